//! Reads e-invoices: the XML of EN 16931 in its syntaxes CII (Factur-X, ZUGFeRD, XRechnung) and UBL.
//!
//! `xml` parses the file into a small tree, safely; `cii` and `ubl` say where each term of the standard stands in the tree;
//! `checks` compares the sums; `rendering` writes the values as text, for files that have no page.
//!
//! Runs in the parser process only.

mod checks;
mod cii;
mod paths;
mod rendering;
mod ubl;
mod xml;

use quire_domain::reading::{DataValue, EmbeddedData};

pub(crate) use self::rendering::render;
use self::xml::{Element, XmlError};

/// Further values are left out.
pub(crate) const MAX_VALUES: usize = 20_000;
/// Longer values are cut.
pub(crate) const MAX_VALUE_CHARS: usize = 1_000;

/// The terms of a party.
struct PartyTerms {
    name: &'static str,
    vat: &'static str,
    tax_number: &'static str,
    /// Street, postcode, city and country.
    address: [&'static str; 4],
}

const SELLER: PartyTerms = PartyTerms {
    name: "BT-27",
    vat: "BT-31",
    tax_number: "BT-32",
    address: ["BT-35", "BT-38", "BT-37", "BT-40"],
};
const BUYER: PartyTerms = PartyTerms {
    name: "BT-44",
    vat: "BT-48",
    tax_number: "BT-48",
    address: ["BT-50", "BT-53", "BT-52", "BT-55"],
};

/// Why a file is not a readable e-invoice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EInvoiceError {
    /// It is not XML, or XML that is refused.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// It is XML of another kind.
    #[error("its root element is {0}, which is no e-invoice")]
    OtherRoot(String),
    /// It has none of the values of an e-invoice.
    #[error("it has no values")]
    Empty,
}

/// Reads an e-invoice. `file` is the name of an embedded file, or empty.
pub fn read(file: &str, content: &[u8]) -> Result<EmbeddedData, EInvoiceError> {
    let root = xml::parse(content)?;
    let (syntax, mut values) = match root.name.as_str() {
        "CrossIndustryInvoice" => ("CII", cii::values(&root)),
        "CrossIndustryDocument" => ("ZUGFeRD 1", cii::values(&root)),
        "Invoice" => ("UBL Invoice", ubl::values(&root)),
        "CreditNote" => ("UBL CreditNote", ubl::values(&root)),
        other => return Err(EInvoiceError::OtherRoot(shortened(other, 60))),
    };
    values.retain(|value| !value.text.is_empty());
    values.truncate(MAX_VALUES);
    if values.is_empty() {
        return Err(EInvoiceError::Empty);
    }
    let findings = checks::findings(&values);
    Ok(EmbeddedData { file: file.to_owned(), syntax: syntax.to_owned(), values, findings, problem: None })
}

/// Whether a file of this name says that it is the XML of an e-invoice.
pub(crate) fn is_invoice_name(name: &str) -> bool {
    let name = name.to_lowercase();
    ["factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"].contains(&name.as_str())
}

fn shortened(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// A value at its element. White space is collapsed.
fn value(term: &str, text: &str, path: String, group: u32) -> DataValue {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    DataValue { term: term.to_owned(), text: shortened(&text, MAX_VALUE_CHARS), path, group }
}

/// The date of an element as `YYYY-MM-DD`: `20240304` with format 102, or an XML date with or without a time zone. A text
/// that is no date stays as it is.
fn date(element: &Element) -> String {
    let text = element.text.trim();
    let digits =
        text.len() >= 8 && text.is_char_boundary(8) && text.as_bytes()[..8].iter().all(u8::is_ascii_digit);
    if digits {
        return format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8]);
    }
    let is_iso = text.len() >= 10
        && text.is_char_boundary(10)
        && text.bytes().take(10).enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if is_iso { text[..10].to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
