//! Generates the PDFs of the folder: records of one to twelve pages, prose, tables, and a few scans.

use std::path::Path;
use std::process::Command;

use quire_testkit::documents::Pdf;

use super::program;
use crate::read::generated;
use crate::record;

/// One in this many documents is a scan. OCR of a page takes as long as reading hundreds of pages.
const SCAN_ONE_IN: usize = 40;
/// One in this many documents is not a clinical record.
const OTHER_ONE_IN: usize = 8;

/// Writes the PDFs and returns a description of them.
pub fn write_pdfs(folder: &Path, documents: usize) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let mut others = generated::all().into_iter().map(|(_, file)| file).cycle();
    let (mut scans, mut prose, mut pages) = (0, 0, 0);
    for number in 0..documents {
        let length = 1 + number * 7 % 12;
        let record = || record::lines(number as u64, length);
        let file = if number % SCAN_ONE_IN == SCAN_ONE_IN - 1 {
            scans += 1;
            scan(folder, number as u64)
        } else if number % OTHER_ONE_IN == OTHER_ONE_IN - 1 {
            prose += 1;
            // A comment makes each file unique.
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
    format!(
        "{records} records with {pages} pages, {prose} documents with prose and tables, {scans} scans of one page"
    )
}

/// A page of a record as a scanned PDF.
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
