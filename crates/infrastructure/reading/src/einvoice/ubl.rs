//! Where the terms of EN 16931 stand in UBL: `Invoice` and `CreditNote`.

use quire_domain::reading::DataValue;

use super::paths::Found;
use super::xml::Element;
use super::{BUYER, PartyTerms, SELLER, date, value};

/// The parts of an address, in the order of [`PartyTerms::address`].
const ADDRESS: [&str; 4] = ["StreetName", "PostalZone", "CityName", "Country/IdentificationCode"];

pub(super) fn values(root: &Element) -> Vec<DataValue> {
    let root = Found::root(root);
    let mut values = Vec::new();
    text(&root, "ID", "BT-1", &mut values);
    day(&root, &["IssueDate"], "BT-2", &mut values);
    text(&root, "InvoiceTypeCode|CreditNoteTypeCode", "BT-3", &mut values);
    text(&root, "DocumentCurrencyCode", "BT-5", &mut values);
    day(&root, &["DueDate", "PaymentMeans/PaymentDueDate"], "BT-9", &mut values);
    text(&root, "OrderReference/ID", "BT-13", &mut values);
    party(&root, "AccountingSupplierParty/Party", &SELLER, &mut values);
    party(&root, "AccountingCustomerParty/Party", &BUYER, &mut values);
    text(&root, "PaymentMeans/PayeeFinancialAccount/ID", "BT-84", &mut values);
    for (term, name) in [
        ("BT-106", "LineExtensionAmount"),
        ("BT-107", "AllowanceTotalAmount"),
        ("BT-108", "ChargeTotalAmount"),
        ("BT-109", "TaxExclusiveAmount"),
        ("BT-112", "TaxInclusiveAmount"),
        ("BT-113", "PrepaidAmount"),
        ("BT-114", "PayableRoundingAmount"),
        ("BT-115", "PayableAmount"),
    ] {
        text(&root, &format!("LegalMonetaryTotal/{name}"), term, &mut values);
    }
    taxes(&root, &mut values);
    for (line, group) in root.all("InvoiceLine|CreditNoteLine").iter().zip(1..) {
        self::line(line, group, &mut values);
    }
    values
}

fn text(parent: &Found<'_>, path: &str, term: &str, values: &mut Vec<DataValue>) {
    values.extend(parent.first(path).map(|found| value(term, &found.element.text, found.path, 0)));
}

fn day(parent: &Found<'_>, paths: &[&str], term: &str, values: &mut Vec<DataValue>) {
    let found = paths.iter().find_map(|path| parent.first(path));
    values.extend(found.map(|found| value(term, &date(found.element), found.path, 0)));
}

fn party(root: &Found<'_>, path: &str, terms: &PartyTerms, values: &mut Vec<DataValue>) {
    for party in root.all(path).iter().take(1) {
        let name = party.first("PartyLegalEntity/RegistrationName").or_else(|| party.first("PartyName/Name"));
        values.extend(name.map(|found| value(terms.name, &found.element.text, found.path, 0)));
        for scheme in party.all("PartyTaxScheme") {
            let Some(found) = scheme.first("CompanyID") else { continue };
            let is_vat = scheme.first("TaxScheme/ID").is_none_or(|id| id.element.text.trim() == "VAT");
            let term = if is_vat { terms.vat } else { terms.tax_number };
            values.push(value(term, &found.element.text, found.path, 0));
        }
        for (term, part) in terms.address.iter().zip(ADDRESS) {
            text(party, &format!("PostalAddress/{part}"), term, values);
        }
    }
}

/// The tax. A second total is in the currency of the tax.
fn taxes(root: &Found<'_>, values: &mut Vec<DataValue>) {
    let currency = root.first("DocumentCurrencyCode").map(|found| found.element.text.trim().to_owned());
    let totals = root.all("TaxTotal");
    let is_own = |total: &&Found<'_>| {
        let amount = total.first("TaxAmount");
        amount.is_some_and(|amount| amount.element.attribute("currencyID") == currency.as_deref())
    };
    let Some(total) = totals.iter().find(is_own).or(totals.first()) else { return };
    text(total, "TaxAmount", "BT-110", values);
    for (part, group) in total.all("TaxSubtotal").iter().zip(1..) {
        for (term, path) in [
            ("BT-116", "TaxableAmount"),
            ("BT-117", "TaxAmount"),
            ("BT-118", "TaxCategory/ID"),
            ("BT-119", "TaxCategory/Percent"),
        ] {
            let found = part.first(path);
            values.extend(found.map(|found| value(term, &found.element.text, found.path, group)));
        }
    }
}

fn line(line: &Found<'_>, group: u32, values: &mut Vec<DataValue>) {
    let quantity = "InvoicedQuantity|CreditedQuantity";
    for (term, path) in [
        ("BT-126", "ID"),
        ("BT-153", "Item/Name"),
        ("BT-129", quantity),
        ("BT-146", "Price/PriceAmount"),
        ("BT-131", "LineExtensionAmount"),
    ] {
        let found = line.first(path);
        values.extend(found.map(|found| value(term, &found.element.text, found.path, group)));
    }
    let unit =
        line.first(quantity).and_then(|found| Some((found.element.attribute("unitCode")?, found.path)));
    values.extend(unit.map(|(unit, path)| value("BT-130", unit, format!("{path}/@unitCode"), group)));
}
