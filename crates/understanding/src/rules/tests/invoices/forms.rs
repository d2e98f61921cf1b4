//! Layouts with labels and values in tables and forms.

use super::super::page_builder::PageBuilder;
use super::case::{Case, Printed, RIGHT, items, lines, right, total_rows, usual_totals};

/// Both companies side by side below headings.
fn parties(paper: &mut PageBuilder, case: &Case, y: f32) {
    let (supplier, customer) = (&case.locale.supplier, &case.locale.customer);
    let tax_id = |id: &str| format!("{}: {id}", case.tax_id_label());
    let ids = (tax_id(supplier.tax_id), tax_id(customer.tax_id));
    let heading = case.locale.words.supplier;
    lines(paper, 50.0, y, &[heading, supplier.name, supplier.street, supplier.town, &ids.0]);
    lines(paper, 320.0, y, &[case.bill_to(), customer.name, customer.street, customer.town, &ids.1]);
}

fn bank(paper: &mut PageBuilder, case: &Case, y: f32) {
    paper.text_at(50.0, y, &format!("IBAN: {}", case.locale.iban));
}

/// Labels above values, four in a row.
pub(super) fn labels_above(case: &Case) -> Printed {
    let (mut paper, words) = (PageBuilder::new(), &case.locale.words);
    paper.text_at(50.0, 40.0, words.title);
    parties(&mut paper, case, 70.0);
    let places = [50.0, 180.0, 310.0, 430.0];
    let labels = [case.number_label(), case.date_label(), case.due_label(), words.customer_number];
    let values = [case.number.clone(), case.issued(), case.payable(), "30718".to_owned()];
    for ((x, label), value) in places.iter().zip(labels).zip(&values) {
        paper.text_at(*x, 160.0, label);
        paper.text_at(*x, 174.0, value);
    }
    let y = items(&mut paper, case, 220.0);
    let y = total_rows(&mut paper, 350.0, y, &usual_totals(case));
    bank(&mut paper, case, y + 20.0);
    Printed::page(paper, &[])
}

/// Labels below values, as under a line to fill in.
pub(super) fn labels_below(case: &Case) -> Printed {
    let (mut paper, words) = (PageBuilder::new(), &case.locale.words);
    paper.text_at(50.0, 40.0, words.title);
    parties(&mut paper, case, 70.0);
    let places = [50.0, 220.0, 400.0];
    let labels = [case.number_label(), case.date_label(), case.due_label()];
    let values = [case.number.clone(), case.issued(), case.payable()];
    for ((x, label), value) in places.iter().zip(labels).zip(&values) {
        paper.text_at(*x, 170.0, value);
        paper.text_at(*x, 181.0, label);
    }
    let y = items(&mut paper, case, 220.0);
    let y = total_rows(&mut paper, 350.0, y, &usual_totals(case));
    bank(&mut paper, case, y + 20.0);
    Printed::page(paper, &[])
}

/// Labels in two languages, joined by a slash.
pub(super) fn slashes(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let both = |label: &str, english: &str| format!("{label} / {english}");
    paper.text_at(50.0, 40.0, &both(locale.words.title, "INVOICE"));
    parties(&mut paper, case, 70.0);
    let rows = [
        (both(case.number_label(), "Invoice number"), case.number.clone()),
        (both(case.date_label(), "Invoice date"), case.issued()),
        (both(case.due_label(), "Due date"), case.payable()),
        (both(locale.words.customer_number, "Customer number"), "C/4471".to_owned()),
    ];
    for ((label, value), row) in rows.iter().zip(0_u8..) {
        let y = 160.0 + 14.0 * f32::from(row);
        paper.row(y, &[(50.0, label), (330.0, value)]);
    }
    let y = items(&mut paper, case, 240.0);
    let totals = [
        (both(case.net_label(), "Net amount"), case.money(case.net)),
        (format!("{}/VAT {} %", case.tax_label(), case.taxes[0].0), case.money(case.tax)),
        (both(case.total_label(), "Total amount"), case.money(case.total)),
    ];
    let y = total_rows(&mut paper, 250.0, y, &totals);
    bank(&mut paper, case, y + 20.0);
    Printed::page(paper, &[])
}

/// The taxes as a table: net amount, rate, tax and total below their heads.
pub(super) fn tax_table(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    parties(&mut paper, case, 45.0);
    let number = format!("{}: {}", case.number_label(), case.number);
    let date = format!("{}: {}", case.date_label(), case.issued());
    lines(&mut paper, 50.0, 130.0, &[&number, &date]);
    let y = items(&mut paper, case, 180.0);
    let heads = [case.net_label(), locale.words.rate, case.tax_label(), case.total_label()];
    let edges = [160.0, 270.0, 390.0, RIGHT];
    for (edge, head) in edges.iter().zip(heads) {
        right(&mut paper, *edge, y, head);
    }
    let (rate, base, tax) = case.taxes[0];
    let values = [case.money(base), format!("{rate},00 %"), case.money(tax), case.money(case.total)];
    for (edge, value) in edges.iter().zip(&values) {
        right(&mut paper, *edge, y + 15.0, value);
    }
    paper.text_at(50.0, y + 40.0, &format!("{} {}", case.due_label(), case.payable()));
    bank(&mut paper, case, y + 60.0);
    Printed::page(paper, &[])
}

/// A strip of totals at the end of the page, with other heads among them.
pub(super) fn strip(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    parties(&mut paper, case, 45.0);
    let meta = format!("{}: {}   {}: {}", case.number_label(), case.number, case.date_label(), case.issued());
    paper.text_at(50.0, 130.0, &meta);
    items(&mut paper, case, 180.0);
    let heads = [
        locale.words.quantity,
        case.net_label(),
        case.tax_label(),
        locale.words.currency,
        case.total_label(),
    ];
    let count: i64 = case.lines.iter().map(|(count, _, _)| count).sum();
    let values = [
        count.to_string(),
        locale.plain(case.net),
        locale.plain(case.tax),
        locale.currency.to_owned(),
        locale.plain(case.total),
    ];
    let places = [50.0, 130.0, 250.0, 350.0, 440.0];
    for ((x, head), value) in places.iter().zip(heads).zip(&values) {
        paper.text_at(*x, 600.0, head);
        paper.text_at(*x, 614.0, value);
    }
    bank(&mut paper, case, 650.0);
    Printed::page(paper, &["due_date"])
}

/// The code of the currency once, in the heads; two rates of tax.
pub(super) fn code_in_head(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    parties(&mut paper, case, 45.0);
    let meta = [
        (case.number_label(), case.number.clone()),
        (case.date_label(), locale.date_in_words(case.date)),
        (case.due_label(), locale.date_in_words(case.due)),
    ];
    for ((label, value), row) in meta.iter().zip(0_u8..) {
        paper.row(130.0 + 14.0 * f32::from(row), &[(50.0, label), (200.0, value)]);
    }
    right(&mut paper, RIGHT, 180.0, locale.currency);
    let y = items(&mut paper, case, 195.0);
    let mut rows = vec![(case.net_label().to_owned(), locale.plain(case.net))];
    for (rate, base, tax) in &case.taxes {
        rows.push((format!("{} {rate}% ({})", case.tax_label(), locale.plain(*base)), locale.plain(*tax)));
    }
    rows.push((format!("{} {}", case.total_label(), locale.currency), locale.plain(case.total)));
    let y = total_rows(&mut paper, 300.0, y, &rows);
    bank(&mut paper, case, y + 20.0);
    Printed::page(paper, &[])
}

/// Label and sum in one line with dots between them; the currency as a word.
pub(super) fn dotted(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    lines(&mut paper, 50.0, 45.0, &[supplier.name, supplier.street, supplier.town]);
    let mut rows = vec![
        format!("{} {}", case.tax_id_label(), supplier.tax_id),
        format!("{}: {}", case.bill_to(), customer.name),
        format!("{} {}", case.number_label(), case.number),
        format!("{} {}", case.date_label(), case.issued()),
        String::from("--------------------------------"),
    ];
    for ((_, _, sum), item) in case.lines.iter().zip(words.items) {
        rows.push(format!("{item} ........ {}", locale.plain(*sum)));
    }
    rows.push(format!("{} ........ {}", case.net_label(), locale.plain(case.net)));
    rows.push(format!("{} {} % ........ {}", case.tax_label(), case.taxes[0].0, locale.plain(case.tax)));
    let total = locale.plain(case.total);
    rows.push(format!("{} ........ {total} {}", case.total_label(), locale.currency_word));
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    lines(&mut paper, 50.0, 100.0, &rows);
    Printed::page(paper, &["due_date", "customer_tax_id", "iban", "line_item"])
}

/// The total in a box at the top, and again at the end.
pub(super) fn summary_first(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    parties(&mut paper, case, 45.0);
    let boxes = [
        (50.0, case.number_label(), case.number.clone()),
        (220.0, case.due_label(), case.payable()),
        (400.0, case.total_label(), case.money(case.total)),
    ];
    for (x, label, value) in boxes {
        paper.text_at(x, 140.0, label);
        paper.text_at(x, 156.0, &value);
    }
    paper.text_at(50.0, 190.0, &format!("{}: {}", case.date_label(), case.issued()));
    let y = items(&mut paper, case, 220.0);
    let y = total_rows(&mut paper, 350.0, y, &usual_totals(case));
    paper.text_at(50.0, y + 20.0, &format!("{}: {}", locale.words.currency, locale.currency));
    bank(&mut paper, case, y + 40.0);
    Printed::page(paper, &[])
}

/// The rate and the net amount stand between the label of the tax and its sum.
pub(super) fn base_beside_tax(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    parties(&mut paper, case, 45.0);
    let number = format!("{} {}", case.number_label(), case.number);
    let date = format!("{} {}", case.date_label(), case.issued());
    lines(&mut paper, 50.0, 130.0, &[&number, &date]);
    let mut y = items(&mut paper, case, 180.0);
    paper.text_at(280.0, y, case.net_label());
    right(&mut paper, RIGHT, y, &case.money(case.net));
    for (rate, base, tax) in &case.taxes {
        y += 15.0;
        paper.text_at(280.0, y, case.tax_label());
        right(&mut paper, 390.0, y, &format!("{rate} %"));
        right(&mut paper, 470.0, y, &locale.plain(*base));
        right(&mut paper, RIGHT, y, &case.money(*tax));
    }
    paper.text_at(280.0, y + 15.0, case.total_label());
    right(&mut paper, RIGHT, y + 15.0, &case.money(case.total));
    paper.text_at(50.0, y + 50.0, &format!("{}: {}", case.due_label(), case.payable()));
    bank(&mut paper, case, y + 70.0);
    Printed::page(paper, &[])
}
