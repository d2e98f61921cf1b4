//! The files of the bare handler: beside the place, made durable, moved there, and each folder on the way made durable.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use uuid::Uuid;

/// Makes what has to be there.
pub fn prepare(folder: &Path) {
    fs::create_dir_all(folder.join("~incoming")).unwrap();
}

/// Keeps the file of a document.
pub fn keep(folder: &Path, document: &str, content: &[u8]) {
    let beside = folder.join("~incoming").join(Uuid::now_v7().to_string());
    let mut file = File::create_new(&beside).unwrap();
    file.write_all(content).unwrap();
    file.sync_all().unwrap();
    let own = folder.join(document);
    fs::create_dir(&own).unwrap();
    fs::rename(&beside, own.join("original.pdf")).unwrap();
    File::open(&own).unwrap().sync_all().unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
}
