//! The folder: records of one to twelve pages, prose, tables, and a few scans.

use std::path::Path;
use std::process::Command;

use quire_testkit::documents::Pdf;

use super::program;
use crate::read::made;
use crate::record;

/// One in so many is a scan: a page takes as long to recognise as hundreds to read.
const SCANS: usize = 40;
/// One in so many is no record at all.
const OTHERS: usize = 8;

/// Writes so many PDFs, and says what they are.
pub fn lay_out(folder: &Path, documents: usize) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let mut others = made::all().into_iter().map(|(_, file)| file).cycle();
    let (mut scans, mut prose, mut pages) = (0, 0, 0);
    for number in 0..documents {
        let length = 1 + number * 7 % 12;
        let record = || record::lines(number as u64, length);
        let file = if number % SCANS == SCANS - 1 {
            scans += 1;
            scan(folder, number as u64)
        } else if number % OTHERS == OTHERS - 1 {
            prose += 1;
            // No two files are the same.
            let mut file = others.next().unwrap();
            file.extend(format!("\n% {number}").bytes());
            file
        } else {
            pages += length;
            record::pdf(&record())
        };
        std::fs::write(folder.join(format!("document-{number:04}.pdf")), file).unwrap();
    }
    let records = documents - scans - prose;
    format!("{records} records of {pages} pages, {prose} of prose and tables, {scans} scans of a page")
}

/// A page of a record, as a scanner would deliver it.
fn scan(folder: &Path, seed: u64) -> Vec<u8> {
    let (page, images) = (folder.with_file_name("page.pdf"), folder.with_file_name("images"));
    std::fs::write(&page, record::pdf(&record::lines(seed, 1))).unwrap();
    let mut quire = Command::new(program::quire());
    quire.args(["read", "--scale", "2.78", "--images"]).arg(&images).arg(&page);
    assert!(quire.output().unwrap().status.success());
    let mut pdf = Pdf::of_pages(&[]);
    pdf.scanned_page(&std::fs::read(images.join("page-1.png")).unwrap());
    pdf.file()
}
