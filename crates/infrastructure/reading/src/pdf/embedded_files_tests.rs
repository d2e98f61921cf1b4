//! E-invoices inside PDFs.

use quire_testkit::documents::{EInvoice, Pdf, Syntax, pdf_with_file, text_page};

use super::*;

const PAGE: [&str; 2] = ["Rechnung RE-2024/00472", "Gesamtbetrag 12,00 EUR"];

fn data(file: Vec<u8>) -> Option<EmbeddedData> {
    PdfFile::open(file).unwrap().embedded_data()
}

#[test]
fn the_invoice_is_found_by_both_ways_and_under_each_name() {
    let invoice = EInvoice::sample(1);
    for syntax in Syntax::ALL {
        for tree in [false, true] {
            let found = data(invoice.pdf(syntax, tree, &PAGE)).unwrap();
            assert_eq!(found.file, syntax.file_name());
            assert_eq!(
                (found.problem.clone(), found.values[0].text.as_str()),
                (None, "RE-2024/00472"),
                "{syntax:?}"
            );
        }
    }
    let xml = invoice.xml(Syntax::UblInvoice);
    assert!(data(pdf_with_file(&PAGE, "Other.XML", xml.as_bytes(), true)).is_some(), "by its root");
    assert_eq!(data(pdf_with_file(&PAGE, "notes.txt", xml.as_bytes(), true)), None);
    assert_eq!(
        data(pdf_with_file(&PAGE, "other.xml", b"<x/>", true)),
        None,
        "no invoice, and does not say so"
    );
    assert_eq!(data(Pdf::of_pages(&[text_page(&PAGE)]).file()), None);
}

#[test]
fn a_broken_invoice_is_a_problem_and_the_page_is_read() {
    let cases: [(&[u8], &str); 4] = [
        (b"no XML at all", "not well-formed"),
        (b"<html/>", "namespace"),
        ("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]><a/>".as_bytes(), "refused"),
        (b"<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xff\xff</a>", "encoding"),
    ];
    for (content, why) in cases {
        let file = pdf_with_file(&PAGE, "factur-x.xml", content, false);
        let problem = data(file.clone()).unwrap().problem.unwrap();
        assert!(problem.contains(why), "{problem}");
        assert_eq!(read(file).unwrap().pages[0].lines.len(), 2);
    }
}

/// A file of 100 MB that is packed into 100 KB costs no more memory than the limit.
#[test]
fn a_packed_bomb_is_a_problem() {
    let file = pdf_with_file(&PAGE, "factur-x.xml", &vec![b' '; 100 << 20], false);
    assert!(file.len() < 1 << 20);
    assert!(data(file).unwrap().problem.unwrap().contains("20 MB"));
}

#[test]
fn a_tree_of_names_that_contains_itself_ends() {
    let mut pdf = Pdf::of_pages(&[text_page(&PAGE)]);
    let node = pdf.object("<< >>");
    pdf.replace(node, format!("<< /Kids [{node} 0 R {node} 0 R] /Names [(a.xml) {node} 0 R] >>"));
    pdf.replace(
        1,
        format!("<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles {node} 0 R >> /AF 17 0 R >>"),
    );
    assert_eq!(data(pdf.file()), None);
}
