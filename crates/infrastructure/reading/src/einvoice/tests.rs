//! Every syntax with known values, and values that contradict each other.

use proptest::prelude::*;
use quire_testkit::documents::{EInvoice, Syntax};

use super::*;

fn term<'d>(data: &'d EmbeddedData, term: &str) -> Option<&'d DataValue> {
    data.values.iter().find(|value| value.term == term)
}

#[test]
fn every_syntax_gives_the_same_terms() {
    let invoice = EInvoice::sample(3);
    for syntax in Syntax::ALL {
        let data = read("x.xml", invoice.xml(syntax).as_bytes()).unwrap();
        let text = |name: &str| term(&data, name).map(|value| value.text.clone());
        let expected = [
            ("BT-1", "RE-2024/00474"),
            ("BT-2", "2024-04-04"),
            ("BT-9", "2024-05-04"),
            ("BT-5", "EUR"),
            ("BT-27", "Talleres Núñez, S.L."),
            ("BT-31", "ESB12345674"),
            ("BT-44", "Ferretería Ibérica S.L."),
            ("BT-35", "Hauptstr. 1"),
            ("BT-37", "Köln"),
            ("BT-38", "50667"),
            ("BT-84", "DE89370400440532013000"),
            ("BT-118", "S"),
            ("BT-119", "21"),
        ];
        for (name, value) in expected {
            assert_eq!(text(name).as_deref(), Some(value), "{syntax:?} {name}");
        }
        assert_eq!(text("BT-112"), text("BT-115"), "{syntax:?}");
        let lines = data.values.iter().filter(|value| value.term == "BT-153").count();
        assert_eq!(lines, if syntax == Syntax::CiiWithoutLines { 0 } else { 4 }, "{syntax:?}");
        assert_eq!(data.findings, [], "{syntax:?}");
        assert_eq!(data.problem, None);
    }
}

#[test]
fn a_value_says_where_it_stands() {
    let data = read("", EInvoice::sample(1).xml(Syntax::Cii).as_bytes()).unwrap();
    assert_eq!(term(&data, "BT-1").unwrap().path, "/CrossIndustryInvoice/ExchangedDocument/ID");
    let second = data.values.iter().find(|value| value.term == "BT-131" && value.group == 2).unwrap();
    assert!(second.path.contains("/IncludedSupplyChainTradeLineItem[2]/"), "{}", second.path);
    let data = read("", EInvoice::sample(1).xml(Syntax::UblInvoice).as_bytes()).unwrap();
    assert_eq!(term(&data, "BT-1").unwrap().path, "/Invoice/ID");
    let unit = data.values.iter().find(|value| value.term == "BT-130").unwrap();
    assert!(unit.text == "C62" && unit.path.ends_with("/InvoicedQuantity/@unitCode"), "{unit:?}");
}

#[test]
fn the_tax_is_the_one_in_the_currency_of_the_invoice() {
    let invoice = EInvoice::sample(1);
    let data = read("", invoice.xml(Syntax::Cii).as_bytes()).unwrap();
    let tax = format!("{}.{:02}", invoice.tax() / 100, invoice.tax() % 100);
    assert_eq!(term(&data, "BT-110").unwrap().text, tax);
}

#[test]
fn a_total_that_contradicts_its_parts_is_a_finding() {
    for syntax in Syntax::ALL {
        let invoice = EInvoice { error: 200, ..EInvoice::sample(2) };
        let data = read("", invoice.xml(syntax).as_bytes()).unwrap();
        let [finding] = data.findings.as_slice() else { panic!("{syntax:?} {:?}", data.findings) };
        assert_eq!(finding.term, "BT-112", "{syntax:?}");
        let total = invoice.net() + invoice.tax();
        assert_eq!(finding.expected, format!("{}.{:02}", total / 100, total % 100));
        assert!(finding.message.contains("BT-109 + BT-110"), "{}", finding.message);
    }
}

#[test]
fn prefixes_do_not_matter_and_elements_of_other_namespaces_are_skipped() {
    let xml =
        EInvoice::sample(0).xml(Syntax::UblInvoice).replace("cbc:", "b:").replace("xmlns:cbc", "xmlns:b");
    let xml = xml.replacen("<b:ID>", "<x:ID xmlns:x=\"urn:other\">wrong<x:ID>wrong</x:ID></x:ID><b:ID>", 1);
    assert_eq!(term(&read("", xml.as_bytes()).unwrap(), "BT-1").unwrap().text, "RE-2024/00471");
}

#[test]
fn the_values_are_written_as_text() {
    let data = read("", EInvoice::sample(1).xml(Syntax::UblInvoice).as_bytes()).unwrap();
    let blocks = format!("{:?}", render(&data));
    for part in ["Invoice number", "RE-2024/00472", "Müller & Söhne KG", "Artikel 2 & Co", "Rate"] {
        assert!(blocks.contains(part), "{part} is not in {blocks}");
    }
}

proptest! {
    /// Any change of a file is an e-invoice or an error, and what is read stays within the limits.
    #[test]
    fn a_changed_file_is_read_or_refused(
        syntax in prop::sample::select(Syntax::ALL.to_vec()),
        cut in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut xml = EInvoice::sample(1).xml(syntax).into_bytes();
        let at = cut.index(xml.len());
        xml[at] = byte;
        if let Ok(data) = read("", &xml) {
            prop_assert!(data.values.len() <= MAX_VALUES);
            prop_assert!(data.values.iter().all(|value| value.text.chars().count() <= MAX_VALUE_CHARS));
        }
        xml.truncate(at);
        prop_assert!(read("", &xml).is_err(), "a file that was cut off");
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read("", &bytes);
    }

    /// Names with any characters come back as they were.
    #[test]
    fn names_come_back(name in "[a-zA-Z<>&'\"äöüñé ]{0,20}[a-z]") {
        let invoice = EInvoice { seller: name.clone(), ..EInvoice::sample(0) };
        let expected = name.split_whitespace().collect::<Vec<_>>().join(" ");
        for syntax in Syntax::ALL {
            let data = read("", invoice.xml(syntax).as_bytes()).unwrap();
            prop_assert_eq!(&term(&data, "BT-27").unwrap().text, &expected);
        }
    }
}
