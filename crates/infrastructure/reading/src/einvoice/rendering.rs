//! Writes the values of an e-invoice as text, so that people can compare and search them: an XML file has no page.

use quire_domain::reading::{DataValue, EmbeddedData};

use crate::typeset::TextBlock;

/// The names of the terms of the whole invoice, in the order in which they are written.
const NAMES: [(&str, &str); 29] = [
    ("BT-1", "Invoice number"),
    ("BT-2", "Issue date"),
    ("BT-3", "Type"),
    ("BT-9", "Due date"),
    ("BT-13", "Order reference"),
    ("BT-27", "Seller"),
    ("BT-31", "Seller VAT number"),
    ("BT-32", "Seller tax number"),
    ("BT-35", "Seller street"),
    ("BT-38", "Seller postcode"),
    ("BT-37", "Seller city"),
    ("BT-40", "Seller country"),
    ("BT-44", "Buyer"),
    ("BT-48", "Buyer VAT number"),
    ("BT-50", "Buyer street"),
    ("BT-53", "Buyer postcode"),
    ("BT-52", "Buyer city"),
    ("BT-55", "Buyer country"),
    ("BT-5", "Currency"),
    ("BT-106", "Sum of lines"),
    ("BT-107", "Allowances"),
    ("BT-108", "Charges"),
    ("BT-109", "Net amount"),
    ("BT-110", "Tax amount"),
    ("BT-112", "Total amount"),
    ("BT-113", "Paid amount"),
    ("BT-114", "Rounding"),
    ("BT-115", "Amount due"),
    ("BT-84", "IBAN"),
];
/// The columns of the lines, and of the tax breakdown.
const LINE_COLUMNS: [(&str, &str); 6] = [
    ("BT-126", "Line"),
    ("BT-153", "Item"),
    ("BT-129", "Quantity"),
    ("BT-130", "Unit"),
    ("BT-146", "Price"),
    ("BT-131", "Net"),
];
const TAX_COLUMNS: [(&str, &str); 4] =
    [("BT-118", "Category"), ("BT-119", "Rate"), ("BT-116", "Basis"), ("BT-117", "Tax")];

/// The text of an e-invoice: its values with their names, its lines and its tax breakdown as tables.
pub(crate) fn render(data: &EmbeddedData) -> Vec<TextBlock> {
    let mut blocks = vec![TextBlock::Paragraph(data.syntax.clone())];
    for (term, name) in NAMES {
        for value in data.values.iter().filter(|value| value.term == term) {
            blocks.push(TextBlock::Row(vec![name.to_owned(), value.text.clone()]));
        }
    }
    blocks.extend(table(&data.values, &LINE_COLUMNS));
    blocks.extend(table(&data.values, &TAX_COLUMNS));
    blocks
}

/// A head and a row for each group. Groups are in order, so one pass over the values is enough.
fn table(values: &[DataValue], columns: &[(&str, &str)]) -> Vec<TextBlock> {
    let mut rows: Vec<(u32, Vec<String>)> = Vec::new();
    for value in values {
        let Some(column) = columns.iter().position(|(term, _)| *term == value.term) else { continue };
        if rows.last().is_none_or(|(group, _)| *group != value.group) {
            rows.push((value.group, vec![String::new(); columns.len()]));
        }
        if let Some((_, row)) = rows.last_mut() {
            row[column].clone_from(&value.text);
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let head = columns.iter().map(|(_, name)| (*name).to_owned()).collect();
    let rows = rows.into_iter().map(|(_, row)| TextBlock::Row(row));
    // An empty paragraph separates the table from what is above it.
    [TextBlock::Paragraph(String::new()), TextBlock::Row(head)].into_iter().chain(rows).collect()
}
