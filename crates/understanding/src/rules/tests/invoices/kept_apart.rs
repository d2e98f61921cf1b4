//! Layouts that the rules were not tuned on. Their scores say how the rules do on invoices that nobody has seen.

use super::super::page_builder::PageBuilder;
use super::case::{Case, Printed, RIGHT, items, lines, right, total_rows};

/// One line with bars for number and dates; the customer at the right without a label; the currency before sums.
pub(super) fn bars(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    let tax_id = format!("{}: {}", case.tax_id_label(), supplier.tax_id);
    lines(
        &mut paper,
        45.0,
        50.0,
        &[supplier.name, &tax_id, supplier.street, supplier.town, "office@example.com"],
    );
    lines(&mut paper, 360.0, 130.0, &[customer.name, customer.street, customer.town]);
    let line = format!(
        "{}: {} | {}: {} | {}: {}",
        case.number_label(),
        case.number,
        case.date_label(),
        case.issued(),
        case.due_label(),
        case.payable()
    );
    paper.text_at(45.0, 190.0, &line);
    let y = items(&mut paper, case, 230.0);
    let money = |cents: i64| format!("{} {}", locale.currency, locale.plain(cents));
    let rows = [
        (format!("{}:", case.net_label()), money(case.net)),
        (format!("{} ({} %):", case.tax_label(), case.taxes[0].0), money(case.tax)),
        (format!("{}:", case.total_label()), money(case.total)),
    ];
    let y = total_rows(&mut paper, 320.0, y, &rows);
    paper.text_at(45.0, y + 40.0, &format!("{} - IBAN: {} - BIC: EXAMPLEXXX", words.bank, locale.iban));
    Printed::page(paper, &["customer_tax_id"])
}

/// A letter in prose: the total and the due date in a sentence, sums at the left.
pub(super) fn prose(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    lines(&mut paper, 50.0, 40.0, &[supplier.name, supplier.street, supplier.town, words.phone]);
    lines(&mut paper, 50.0, 120.0, &[customer.name, customer.street, customer.town]);
    paper.text_at(50.0, 180.0, &format!("{}{}", words.place_and_date, locale.date_in_words(case.date)));
    paper.text_at(50.0, 205.0, &format!("{} {}", case.number_label(), case.number));
    let y = items(&mut paper, case, 240.0);
    let sums = [
        format!("{}: {}", case.net_label(), case.money(case.net)),
        format!("{} {} %: {}", case.tax_label(), case.taxes[0].0, case.money(case.tax)),
        format!("{}: {}", case.total_label(), case.money(case.total)),
    ];
    let y = lines(&mut paper, 50.0, y, &sums.each_ref().map(String::as_str));
    let sentence = words.please_pay.replace("{total}", &case.money(case.total));
    paper.text_at(50.0, y + 20.0, &sentence.replace("{due}", &case.payable()));
    let foot = format!("IBAN {} · {} {}", locale.iban, case.tax_id_label(), supplier.tax_id);
    lines(&mut paper, 50.0, 740.0, &[&foot, words.register]);
    Printed::page(paper, &["customer_tax_id"])
}

/// Boxes: labels small above values, the customer in a box at the right, the totals in a column of their own.
pub(super) fn boxes(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    paper.text_at(250.0, 30.0, words.title);
    lines(&mut paper, 40.0, 60.0, &[supplier.name, supplier.street, supplier.town]);
    paper.text_at(40.0, 99.0, &format!("{}: {}", case.tax_id_label(), supplier.tax_id));
    lines(&mut paper, 320.0, 60.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    paper.text_at(320.0, 112.0, &format!("{}: {}", case.tax_id_label(), customer.tax_id));
    let cells = [
        (40.0, 150.0, words.customer_number, "9917".to_owned()),
        (200.0, 150.0, case.number_label(), case.number.clone()),
        (380.0, 150.0, words.order_number, "4711/24".to_owned()),
        (40.0, 185.0, case.date_label(), case.issued()),
        (200.0, 185.0, words.delivery_date, locale.date((2024, case.date.1, 2))),
        (380.0, 185.0, case.due_label(), case.payable()),
    ];
    for (x, y, label, value) in cells {
        paper.text_at(x, y, label);
        paper.text_at(x, y + 12.0, &value);
    }
    let y = items(&mut paper, case, 230.0);
    let sums = [(case.net_label(), case.net), (case.tax_label(), case.tax), (case.total_label(), case.total)];
    for ((label, cents), row) in sums.iter().zip(0_u8..) {
        let y = y + 30.0 * f32::from(row);
        right(&mut paper, RIGHT, y, label);
        right(&mut paper, RIGHT, y + 12.0, &case.money(*cents));
    }
    paper.text_at(40.0, y + 40.0, &format!("IBAN {}", locale.iban));
    Printed::page(paper, &[])
}

/// A credit note with two rates: a table of taxes with a row of sums, all negative.
pub(super) fn credit_with_rates(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    lines(&mut paper, 340.0, 40.0, &[supplier.name, supplier.street, supplier.town]);
    lines(&mut paper, 50.0, 90.0, &[customer.name, customer.street, customer.town]);
    paper.text_at(50.0, 150.0, &format!("{} {}", words.credit_note, case.number));
    paper.text_at(340.0, 150.0, &format!("{}: {}", case.date_label(), case.issued()));
    let y = items(&mut paper, case, 190.0);
    let edges = [120.0, 260.0, 390.0];
    for (edge, head) in edges.iter().zip([words.rate, case.net_label(), case.tax_label()]) {
        right(&mut paper, *edge, y, head);
    }
    let mut at = y;
    for (rate, base, tax) in &case.taxes {
        at += 14.0;
        for (edge, text) in edges.iter().zip([format!("{rate} %"), case.money(*base), case.money(*tax)]) {
            right(&mut paper, *edge, at, &text);
        }
    }
    let y = total_rows(
        &mut paper,
        300.0,
        at + 30.0,
        &[
            (case.net_label().to_owned(), case.money(case.net)),
            (case.tax_label().to_owned(), case.money(case.tax)),
            (case.total_label().to_owned(), case.money(case.total)),
        ],
    );
    let tax_id = format!("{} {}", case.tax_id_label(), supplier.tax_id);
    lines(&mut paper, 50.0, y + 40.0, &[&tax_id, words.register]);
    Printed::page(paper, &["customer_tax_id", "due_date", "iban"])
}

/// Years of two digits, labels with words in brackets, the customer beside its label.
pub(super) fn brackets_in_labels(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    paper.text_at(50.0, 40.0, supplier.name);
    paper.text_at(50.0, 53.0, &format!("{}, {}", supplier.street, supplier.town));
    let short = |(year, month, day): (u16, u8, u8)| locale.date((year - 2000, month, day));
    let rows = [
        (format!("{} (Doc.)", case.number_label()), case.number.clone()),
        (format!("{} (dd/mm/yy)", case.date_label()), short(case.date)),
        (format!("{} (dd/mm/yy)", case.due_label()), short(case.due)),
        (format!("{}:", case.bill_to()), customer.name.to_owned()),
        (format!("{} ({}):", case.tax_id_label(), case.bill_to()), customer.tax_id.to_owned()),
    ];
    for ((label, value), row) in rows.iter().zip(0_u8..) {
        paper.row(90.0 + 15.0 * f32::from(row), &[(50.0, label), (260.0, value)]);
    }
    let y = items(&mut paper, case, 190.0);
    let money = |cents: i64| format!("{} {}", locale.plain(cents), locale.currency);
    let rows = [
        (format!("{} ({})", case.net_label(), locale.currency), money(case.net)),
        (format!("{} ({} %)", case.tax_label(), case.taxes[0].0), money(case.tax)),
        (format!("{} ({})", case.total_label(), locale.currency), money(case.total)),
    ];
    let y = total_rows(&mut paper, 280.0, y, &rows);
    let foot = format!("{} - {} {}", supplier.name, case.tax_id_label(), supplier.tax_id);
    lines(&mut paper, 50.0, y + 60.0, &[&foot, words.register]);
    Printed::page(paper, &["iban"])
}

/// The supplier at the end of the page with its heading, dates in words, sums without a currency but one.
pub(super) fn supplier_last(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    paper.text_at(50.0, 40.0, &format!("{} {}", words.title, case.number));
    lines(&mut paper, 50.0, 70.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    paper.text_at(330.0, 70.0, &format!("{}: {}", case.date_label(), locale.date_in_words(case.date)));
    paper.text_at(330.0, 84.0, &format!("{}: {}", case.due_label(), locale.date_in_words(case.due)));
    paper.text_at(330.0, 98.0, &format!("{}: 5518", words.order_number));
    let y = items(&mut paper, case, 160.0);
    let mut rows = vec![(case.net_label().to_owned(), locale.plain(case.net))];
    for (rate, _, tax) in &case.taxes {
        rows.push((format!("{rate} % {}", case.tax_label()), locale.plain(*tax)));
    }
    rows.push((case.total_label().to_owned(), case.money(case.total)));
    let y = total_rows(&mut paper, 330.0, y, &rows);
    lines(&mut paper, 50.0, y + 60.0, &[words.supplier, supplier.name, supplier.street, supplier.town]);
    let tax_id = format!("{} {}", case.tax_id_label(), supplier.tax_id);
    lines(&mut paper, 50.0, y + 112.0, &[&tax_id, &format!("IBAN {}", locale.iban)]);
    Printed::page(paper, &["customer_tax_id"])
}
