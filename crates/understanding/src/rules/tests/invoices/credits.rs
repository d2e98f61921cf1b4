//! Credit notes and other ways to write sums.

use super::super::page_builder::PageBuilder;
use super::case::{Case, Printed, items, lines, total_rows, usual_totals};

fn head(paper: &mut PageBuilder, case: &Case) {
    let locale = case.locale;
    let (supplier, customer) = (&locale.supplier, &locale.customer);
    let tax_id = format!("{} {}", case.tax_id_label(), supplier.tax_id);
    lines(paper, 50.0, 45.0, &[supplier.name, supplier.street, supplier.town, &tax_id]);
    lines(paper, 330.0, 60.0, &[case.bill_to(), customer.name, customer.street, customer.town]);
    paper.text_at(50.0, 140.0, locale.words.credit_note);
    let number = format!("{}: {}", case.number_label(), case.number);
    let date = format!("{}: {}", case.date_label(), case.issued());
    lines(paper, 50.0, 156.0, &[&number, &date]);
}

fn foot(paper: PageBuilder) -> Printed {
    Printed::page(paper, &["due_date", "customer_tax_id", "iban"])
}

/// A credit note with minus signs before the sums.
pub(super) fn minus(case: &Case) -> Printed {
    let mut paper = PageBuilder::new();
    head(&mut paper, case);
    let y = items(&mut paper, case, 200.0);
    total_rows(&mut paper, 350.0, y, &usual_totals(case));
    foot(paper)
}

/// A credit note with sums in brackets.
pub(super) fn brackets(case: &Case) -> Printed {
    let mut paper = PageBuilder::new();
    head(&mut paper, case);
    let y = items(&mut paper, case, 200.0);
    let money = |cents: i64| format!("({})", case.money(cents.abs()));
    let rows = [
        (case.net_label().to_owned(), money(case.net)),
        (format!("{} ({} %)", case.tax_label(), case.taxes[0].0), money(case.tax)),
        (case.total_label().to_owned(), money(case.total)),
    ];
    total_rows(&mut paper, 350.0, y, &rows);
    foot(paper)
}

/// A credit note with the minus sign behind the sums, and apart from them.
pub(super) fn minus_behind(case: &Case) -> Printed {
    let mut paper = PageBuilder::new();
    head(&mut paper, case);
    let y = items(&mut paper, case, 200.0);
    let plain = |cents: i64| case.locale.plain(cents.abs());
    let currency = case.locale.currency;
    let rows = [
        (case.net_label().to_owned(), format!("{}- {currency}", plain(case.net))),
        (format!("{} {}%", case.tax_label(), case.taxes[0].0), format!("- {} {currency}", plain(case.tax))),
        (case.total_label().to_owned(), format!("{currency} −{}", plain(case.total))),
    ];
    total_rows(&mut paper, 350.0, y, &rows);
    foot(paper)
}
