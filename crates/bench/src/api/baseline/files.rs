//! Stores the files of the baseline handler as Quire does: temporary file, fsync, rename, fsync of each folder.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use uuid::Uuid;

/// Creates the folders that uploads need.
pub fn create_folders(folder: &Path) {
    fs::create_dir_all(folder.join("~incoming")).unwrap();
}

/// Stores the file of a document.
pub fn store_file(folder: &Path, document: &str, content: &[u8]) {
    let temporary = folder.join("~incoming").join(Uuid::now_v7().to_string());
    let mut file = File::create_new(&temporary).unwrap();
    file.write_all(content).unwrap();
    file.sync_all().unwrap();
    let document_folder = folder.join(document);
    fs::create_dir(&document_folder).unwrap();
    fs::rename(&temporary, document_folder.join("original.pdf")).unwrap();
    File::open(&document_folder).unwrap().sync_all().unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
}
