//! Where the terms of EN 16931 stand in CII: Factur-X, ZUGFeRD 1 and 2, XRechnung.

use quire_domain::reading::DataValue;

use super::paths::Found;
use super::xml::Element;
use super::{BUYER, PartyTerms, SELLER, date, value};

const DOCUMENT: &str = "ExchangedDocument|HeaderExchangedDocument";
const TRANSACTION: &str = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction";
const AGREEMENT: &str = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement";
const SUMMATION: &str =
    "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation";

/// The parts of an address, in the order of [`PartyTerms::address`].
const ADDRESS: [&str; 4] = ["LineOne", "PostcodeCode", "CityName", "CountryID"];

pub(super) fn values(root: &Element) -> Vec<DataValue> {
    let root = Found::root(root);
    let mut values = Vec::new();
    document(&root, &mut values);
    for transaction in root.all(TRANSACTION) {
        for agreement in transaction.all(AGREEMENT) {
            party(&agreement, "SellerTradeParty", &SELLER, &mut values);
            party(&agreement, "BuyerTradeParty", &BUYER, &mut values);
            text(&agreement, "BuyerOrderReferencedDocument/IssuerAssignedID|ID", "BT-13", &mut values);
        }
        for settlement in transaction.all(SETTLEMENT) {
            settle(&settlement, &mut values);
        }
        for (item, group) in transaction.all("IncludedSupplyChainTradeLineItem").iter().zip(1..) {
            line(item, group, &mut values);
        }
    }
    values
}

fn document(root: &Found<'_>, values: &mut Vec<DataValue>) {
    for document in root.all(DOCUMENT) {
        text(&document, "ID", "BT-1", values);
        let issued = document.first("IssueDateTime/DateTimeString|DateTime");
        values.extend(issued.map(|found| value("BT-2", &date(found.element), found.path, 0)));
        text(&document, "TypeCode", "BT-3", values);
    }
}

fn text(parent: &Found<'_>, path: &str, term: &str, values: &mut Vec<DataValue>) {
    values.extend(parent.first(path).map(|found| value(term, &found.element.text, found.path, 0)));
}

fn party(agreement: &Found<'_>, name: &str, terms: &PartyTerms, values: &mut Vec<DataValue>) {
    for party in agreement.all(name).iter().take(1) {
        text(party, "Name", terms.name, values);
        for found in party.all("SpecifiedTaxRegistration/ID") {
            let is_tax_number = found.element.attribute("schemeID") == Some("FC");
            let term = if is_tax_number { terms.tax_number } else { terms.vat };
            values.push(value(term, &found.element.text, found.path, 0));
        }
        for (term, part) in terms.address.iter().zip(ADDRESS) {
            text(party, &format!("PostalTradeAddress/{part}"), term, values);
        }
    }
}

fn settle(settlement: &Found<'_>, values: &mut Vec<DataValue>) {
    text(settlement, "InvoiceCurrencyCode", "BT-5", values);
    let currency = settlement.first("InvoiceCurrencyCode").map(|found| found.element.text.trim().to_owned());
    let due = settlement.first("SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString|DateTime");
    values.extend(due.map(|found| value("BT-9", &date(found.element), found.path, 0)));
    let iban = "SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/IBANID";
    text(settlement, iban, "BT-84", values);
    for summation in settlement.all(SUMMATION).iter().take(1) {
        for (term, name) in [
            ("BT-106", "LineTotalAmount"),
            ("BT-107", "AllowanceTotalAmount"),
            ("BT-108", "ChargeTotalAmount"),
            ("BT-109", "TaxBasisTotalAmount"),
            ("BT-110", "TaxTotalAmount"),
            ("BT-112", "GrandTotalAmount"),
            ("BT-113", "TotalPrepaidAmount"),
            ("BT-114", "RoundingAmount"),
            ("BT-115", "DuePayableAmount"),
        ] {
            // A sum may stand twice: in the currency of the invoice, and in that of the tax.
            let all = summation.all(name);
            let is_own = |found: &&Found<'_>| found.element.attribute("currencyID") == currency.as_deref();
            let own = all.iter().find(is_own).or(all.first());
            values.extend(own.map(|found| value(term, &found.element.text, found.path.clone(), 0)));
        }
    }
    for (tax, group) in settlement.all("ApplicableTradeTax").iter().zip(1..) {
        for (term, name) in [
            ("BT-116", "BasisAmount"),
            ("BT-117", "CalculatedAmount"),
            ("BT-118", "CategoryCode"),
            ("BT-119", "RateApplicablePercent|ApplicablePercent"),
        ] {
            let found = tax.first(name);
            values.extend(found.map(|found| value(term, &found.element.text, found.path, group)));
        }
    }
}

fn line(item: &Found<'_>, group: u32, values: &mut Vec<DataValue>) {
    let agreement = "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement";
    let delivery = "SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery";
    let settlement = "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement";
    let summation = "SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation";
    let quantity = format!("{delivery}/BilledQuantity");
    for (term, path) in [
        ("BT-126", "AssociatedDocumentLineDocument/LineID".to_owned()),
        ("BT-153", "SpecifiedTradeProduct/Name".to_owned()),
        ("BT-129", quantity.clone()),
        ("BT-146", format!("{agreement}/NetPriceProductTradePrice/ChargeAmount")),
        ("BT-131", format!("{settlement}/{summation}/LineTotalAmount")),
    ] {
        let found = item.first(&path);
        values.extend(found.map(|found| value(term, &found.element.text, found.path, group)));
    }
    let unit =
        item.first(&quantity).and_then(|found| Some((found.element.attribute("unitCode")?, found.path)));
    values.extend(unit.map(|(unit, path)| value("BT-130", unit, format!("{path}/@unitCode"), group)));
}
