//! Files that attack the reader, and files that only call themselves e-invoices.

use quire_testkit::documents::{EInvoice, Syntax};

use super::*;

const HEAD: &str = "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\">";

fn refused(content: &[u8]) -> EInvoiceError {
    read("x.xml", content).unwrap_err()
}

#[test]
fn entities_document_types_and_external_references_are_refused() {
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;\">]>{HEAD}<ID>&lol2;</ID></Invoice>"
    );
    let external = format!("<!DOCTYPE x SYSTEM \"file:///etc/passwd\">{HEAD}<ID>1</ID></Invoice>");
    let parameter =
        format!("<!DOCTYPE x [<!ENTITY % d SYSTEM \"http://127.0.0.1/x\"> %d;]>{HEAD}<ID>1</ID></Invoice>");
    let undeclared = format!("{HEAD}<ID>&passwd;</ID></Invoice>");
    for content in [laughs, external, parameter, undeclared] {
        assert_eq!(refused(content.as_bytes()), EInvoiceError::Xml(XmlError::Entities), "{content}");
    }
}

#[test]
fn large_deep_and_crowded_files_are_refused() {
    let large = [HEAD.as_bytes(), &vec![b' '; 21 << 20]].concat();
    assert_eq!(refused(&large), EInvoiceError::Xml(XmlError::TooLarge));
    let deep = format!("{HEAD}{}", "<ID>".repeat(1_000_000));
    assert_eq!(refused(deep.as_bytes()), EInvoiceError::Xml(XmlError::TooManyElements));
    let crowded = format!("{HEAD}{}</Invoice>", "<ID/>".repeat(300_000));
    assert_eq!(refused(crowded.as_bytes()), EInvoiceError::Xml(XmlError::TooManyElements));
}

#[test]
fn a_long_value_is_cut_and_many_lines_are_limited() {
    let line = "<InvoiceLine><ID>1</ID><Item><Name>x</Name></Item></InvoiceLine>";
    let content = format!("{HEAD}<ID>{}</ID>{}</Invoice>", "x".repeat(100_000), line.repeat(40_000));
    let data = read("", content.as_bytes()).unwrap();
    assert_eq!(data.values[0].text.chars().count(), MAX_VALUE_CHARS);
    assert_eq!(data.values.len(), MAX_VALUES);
}

#[test]
fn files_that_only_call_themselves_e_invoices_are_refused() {
    assert_eq!(refused(b""), EInvoiceError::Xml(XmlError::NotWellFormed));
    assert_eq!(refused(b"%PDF-1.7"), EInvoiceError::Xml(XmlError::NotWellFormed));
    assert_eq!(refused(b"<Invoice/>"), EInvoiceError::Xml(XmlError::Namespace));
    let order = "<Order xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Order-2\"/>";
    assert_eq!(refused(order.as_bytes()), EInvoiceError::OtherRoot("Order".to_owned()));
    assert_eq!(refused(format!("{HEAD}</Invoice>").as_bytes()), EInvoiceError::Empty);
    for cut in ["<ID>1</ID>", "<ID>1</ID></Other>", "<ID>1</Invoice>"] {
        assert_eq!(
            refused(format!("{HEAD}{cut}").as_bytes()),
            EInvoiceError::Xml(XmlError::NotWellFormed),
            "{cut}"
        );
    }
    let twice = format!("{HEAD}<ID>1</ID></Invoice>{HEAD}</Invoice>");
    assert_eq!(refused(twice.as_bytes()), EInvoiceError::Xml(XmlError::NotWellFormed));
}

#[test]
fn other_encodings_are_read_if_they_are_declared() {
    let xml = EInvoice::sample(0).xml(Syntax::Cii);
    let seller = |content: &[u8]| {
        let data = read("", content)?;
        Ok::<_, EInvoiceError>(data.values.into_iter().find(|value| value.term == "BT-27").unwrap().text)
    };
    let latin_1: Vec<u8> = xml.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    let declared = [
        b"<?xml version='1.0' encoding='ISO-8859-1'?>",
        &latin_1[latin_1.iter().position(|byte| *byte == b'\n').unwrap()..],
    ]
    .concat();
    let units = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{FEFF}{xml}").encode_utf16().flat_map(unit).collect()
    };
    let says_utf_16 = xml.replace("UTF-8", "UTF-16").into_bytes();
    let marked = format!("\u{FEFF}{xml}").into_bytes();
    for content in [&declared, &units(u16::to_le_bytes), &units(u16::to_be_bytes), &says_utf_16, &marked] {
        assert_eq!(seller(content).as_deref(), Ok("Bäckerei Grün GmbH"));
    }
    assert_eq!(
        seller(&latin_1),
        Err(EInvoiceError::Xml(XmlError::Encoding)),
        "Latin-1 that says it is UTF-8"
    );
}
