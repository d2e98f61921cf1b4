//! Layouts with a letterhead.

use super::super::page_builder::PageBuilder;
use super::case::{Case, Printed, RIGHT, items, lines, right, total_rows, usual_totals};

fn iban_line(paper: &mut PageBuilder, case: &Case, y: f32) {
    paper.text_at(50.0, y, &format!("{}: IBAN {}", case.locale.words.bank, case.locale.iban));
}

/// A letterhead at the left, labels with colons at the right, a block of totals at the right.
pub(super) fn classic(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    lines(&mut paper, 50.0, 45.0, &[supplier.name, supplier.street, supplier.town, locale.words.phone]);
    paper.text_at(50.0, 97.0, &format!("{}: {}", case.tax_id_label(), supplier.tax_id));
    paper.text_at(380.0, 45.0, locale.words.title);
    let meta = [
        format!("{}: {}", case.number_label(), case.number),
        format!("{}: {}", case.date_label(), case.issued()),
        format!("{}: {}", case.due_label(), case.payable()),
        format!("{}: K-3391", locale.words.customer_number),
    ];
    lines(&mut paper, 380.0, 62.0, &meta.each_ref().map(String::as_str));
    lines(&mut paper, 50.0, 140.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    paper.text_at(50.0, 192.0, &format!("{}: {}", case.tax_id_label(), customer.tax_id));
    let y = items(&mut paper, case, 240.0);
    let y = total_rows(&mut paper, 380.0, y, &usual_totals(case));
    iban_line(&mut paper, case, y + 30.0);
    Printed::page(paper, &[])
}

/// A business letter: the sender in one line, an address without a label, a footer in three columns.
pub(super) fn window(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    right(&mut paper, RIGHT, 40.0, supplier.name);
    paper.text_at(50.0, 120.0, &format!("{} · {} · {}", supplier.name, supplier.street, supplier.town));
    lines(&mut paper, 50.0, 140.0, &[customer.name, customer.street, customer.town]);
    let meta = [
        (case.date_label(), case.issued()),
        (locale.words.customer_number, "10482".to_owned()),
        (locale.words.order_number, "B-7741".to_owned()),
        (case.due_label(), case.payable()),
    ];
    for ((label, value), row) in meta.iter().zip(0_u8..) {
        let y = 140.0 + 14.0 * f32::from(row);
        paper.text_at(350.0, y, label);
        paper.text_at(465.0, y, value);
    }
    paper.text_at(50.0, 230.0, &format!("{} {}", case.number_label(), case.number));
    let y = items(&mut paper, case, 270.0);
    total_rows(&mut paper, 350.0, y, &usual_totals(case));
    let tax_id = format!("{}: {}", case.tax_id_label(), supplier.tax_id);
    let iban = format!("IBAN: {}", locale.iban);
    lines(&mut paper, 50.0, 740.0, &[supplier.name, supplier.street, supplier.town]);
    lines(&mut paper, 220.0, 740.0, &[locale.words.phone, "www.example.com", &tax_id]);
    lines(&mut paper, 390.0, 740.0, &["Example Bank", &iban]);
    Printed::page(paper, &["customer_tax_id"])
}

/// The number and the date in one sentence, with the code of the kind of document in brackets.
pub(super) fn sentence_title(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    lines(&mut paper, 50.0, 45.0, &[supplier.name, supplier.street, supplier.town]);
    let title = words.title.to_lowercase();
    let mut letters = title.chars();
    let title: String = letters.next().unwrap().to_uppercase().chain(letters).collect();
    let date = locale.date_in_words(case.date);
    paper.text_at(50.0, 110.0, &format!("{title} (380) no. {} {} {date}", case.number, words.of));
    lines(&mut paper, 330.0, 45.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    let y = items(&mut paper, case, 160.0);
    let y = total_rows(&mut paper, 300.0, y, &usual_totals(case));
    paper.text_at(50.0, y + 20.0, &format!("{} {}", case.due_label(), case.payable()));
    iban_line(&mut paper, case, y + 40.0);
    paper.text_at(50.0, y + 60.0, &format!("{} {}", case.tax_id_label(), supplier.tax_id));
    Printed::page(paper, &["customer_tax_id"])
}

/// A centred letterhead, place and date in words, no label for the date.
pub(super) fn centred(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    paper.text_at(220.0, 40.0, supplier.name);
    paper.text_at(180.0, 54.0, &format!("{} - {}", supplier.street, supplier.town));
    paper.text_at(
        190.0,
        68.0,
        &format!("{} - {} {}", locale.words.phone, case.tax_id_label(), supplier.tax_id),
    );
    lines(&mut paper, 330.0, 110.0, &[customer.name, customer.street, customer.town]);
    let date = locale.date_in_words(case.date);
    right(&mut paper, RIGHT, 170.0, &format!("{}{date}", locale.words.place_and_date));
    paper.text_at(50.0, 200.0, &format!("{} {}", locale.words.title, case.number));
    let y = items(&mut paper, case, 240.0);
    let y = total_rows(&mut paper, 350.0, y, &usual_totals(case));
    iban_line(&mut paper, case, y + 30.0);
    Printed::page(paper, &["customer_tax_id", "due_date"])
}

/// The letterhead at the right in capitals, other dates and numbers beside the right ones.
pub(super) fn right_letterhead(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    let name = supplier.name.to_uppercase();
    lines(&mut paper, 360.0, 40.0, &[&name, supplier.street, supplier.town, words.phone, "info@example.com"]);
    lines(&mut paper, 50.0, 120.0, &[customer.name, customer.street, customer.town]);
    let rows = [
        (words.order_number, "88-2310".to_owned()),
        (words.delivery_date, locale.date((2024, case.date.1, 3))),
        (case.number_label(), case.number.clone()),
        (case.date_label(), case.issued()),
        (words.customer_number, "20417".to_owned()),
        (case.due_label(), case.payable()),
    ];
    for ((label, value), row) in rows.iter().zip(0_u8..) {
        let y = 190.0 + 14.0 * f32::from(row);
        paper.row(y, &[(50.0, label), (190.0, value)]);
    }
    let y = items(&mut paper, case, 300.0);
    let y = total_rows(&mut paper, 330.0, y, &usual_totals(case));
    iban_line(&mut paper, case, y + 30.0);
    paper.text_at(50.0, 760.0, words.register);
    paper.text_at(50.0, 773.0, &format!("{}: {}", case.tax_id_label(), supplier.tax_id));
    Printed::page(paper, &["customer_tax_id"])
}

/// The name of the supplier as a logo and in the footer, between the bank and the register.
pub(super) fn footer(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let words = &locale.words;
    paper.text_at(50.0, 40.0, words.title);
    lines(&mut paper, 50.0, 80.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    paper.text_at(50.0, 132.0, &format!("{} {}", case.tax_id_label(), customer.tax_id));
    let meta = [(case.number_label(), case.number.clone()), (case.date_label(), case.issued())];
    for ((label, value), row) in meta.iter().zip(0_u8..) {
        let y = 80.0 + 14.0 * f32::from(row);
        paper.text_at(350.0, y, &format!("{label}:"));
        paper.text_at(465.0, y, value);
    }
    let y = items(&mut paper, case, 200.0);
    total_rows(&mut paper, 350.0, y, &usual_totals(case));
    let first = format!("{} | {} | {}", supplier.name, supplier.street, supplier.town);
    let second = format!("{} {} | IBAN {}", case.tax_id_label(), supplier.tax_id, locale.iban);
    lines(&mut paper, 50.0, 750.0, &[&first, words.register, &second]);
    Printed::page(paper, &["due_date"])
}

/// Two pages: the totals stand on the second.
pub(super) fn two_pages(case: &Case) -> Printed {
    let (mut paper, locale) = (PageBuilder::new(), case.locale);
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    lines(&mut paper, 50.0, 45.0, &[supplier.name, supplier.street, supplier.town]);
    lines(&mut paper, 330.0, 45.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    let number = format!("{} {}", case.number_label(), case.number);
    let date = format!("{} {}", case.date_label(), case.issued());
    lines(&mut paper, 50.0, 130.0, &[&number, &date]);
    items(&mut paper, case, 200.0);
    paper.text_at(500.0, 800.0, "1 / 2");
    let mut second = PageBuilder::new();
    lines(&mut second, 50.0, 45.0, &[supplier.name, &number]);
    total_rows(&mut second, 350.0, 120.0, &usual_totals(case));
    iban_line(&mut second, case, 240.0);
    second.text_at(50.0, 260.0, &format!("{}: {}", case.tax_id_label(), supplier.tax_id));
    second.text_at(50.0, 280.0, &format!("{}: {}", case.due_label(), case.payable()));
    Printed { pages: vec![paper.page(), second.page()], without: &["customer_tax_id"] }
}
