//! Made invoices: 26 layouts in seven languages, each with its right values. The rules were tuned on 20 layouts; the
//! other six were kept apart, and say how the rules do on layouts that nobody has seen.
//!
//! `cargo test -p quire-understanding invoices_in_seven_languages -- --nocapture` prints the scores by language and key.

mod case;
mod credits;
mod forms;
mod kept_apart;
mod letters;
mod locales;
mod own_schemas;
mod scoring;
mod shapes;
mod texts;
mod words;

use self::case::{Case, Printed};
use self::texts::TextInvoice;

/// A function that prints an invoice in one layout.
type Layout = fn(&Case) -> Printed;

/// A layout: its name, whether it prints several rates of tax, the sign of its sums.
type NamedLayout = (&'static str, Layout, bool, i64);

/// The layouts that the rules were tuned on.
const TUNED: [NamedLayout; 20] = [
    ("classic", letters::classic, false, 1),
    ("classic with two rates", letters::classic, true, 1),
    ("window", letters::window, false, 1),
    ("sentence as title", letters::sentence_title, false, 1),
    ("centred", letters::centred, false, 1),
    ("letterhead at the right", letters::right_letterhead, false, 1),
    ("footer", letters::footer, false, 1),
    ("two pages", letters::two_pages, true, 1),
    ("labels above", forms::labels_above, false, 1),
    ("labels below", forms::labels_below, false, 1),
    ("slashes", forms::slashes, false, 1),
    ("tax table", forms::tax_table, false, 1),
    ("strip", forms::strip, false, 1),
    ("code in head", forms::code_in_head, true, 1),
    ("dotted", forms::dotted, false, 1),
    ("summary first", forms::summary_first, true, 1),
    ("base beside tax", forms::base_beside_tax, true, 1),
    ("minus", credits::minus, false, -1),
    ("brackets", credits::brackets, false, -1),
    ("minus behind", credits::minus_behind, false, -1),
];

/// The layouts that were kept apart.
const KEPT_APART: [NamedLayout; 6] = [
    ("bars", kept_apart::bars, false, 1),
    ("prose", kept_apart::prose, false, 1),
    ("boxes", kept_apart::boxes, false, 1),
    ("credit with rates", kept_apart::credit_with_rates, true, -1),
    ("brackets in labels", kept_apart::brackets_in_labels, false, 1),
    ("supplier last", kept_apart::supplier_last, true, 1),
];

/// The number of layouts that the rules were tuned on.
pub(super) const TUNED_COUNT: usize = TUNED.len();

/// The number of a layout, the language, the pages and the right values.
type PrintedAnswers = (usize, &'static str, Vec<quire_domain::reading::Page>, Vec<(String, String)>);

/// The invoices as texts, each with its place among those that the rules were tuned on. None if it was kept apart.
pub(super) fn text_invoices() -> impl Iterator<Item = (Option<usize>, TextInvoice)> {
    let tuned =
        texts::TUNED.iter().enumerate().map(|(place, (_, file))| (Some(place), TextInvoice::of(file)));
    tuned.chain(
        texts::KEPT_APART
            .iter()
            .chain(&texts::KEPT_APART_LATER)
            .chain(&texts::KEPT_APART_LAST)
            .map(|(_, file)| (None, TextInvoice::of(file))),
    )
}

/// Invoices of every layout in some languages: the number of the layout, the language, the pages and the right values.
pub(super) fn printed_with_answers() -> Vec<PrintedAnswers> {
    let mut all = Vec::new();
    for (place, (_, layout, several_rates, sign)) in TUNED.iter().chain(&KEPT_APART).enumerate() {
        for locale in words::LOCALES.iter().skip(place % 2).step_by(2) {
            let case = Case::of(locale, place, *several_rates, *sign);
            let printed = layout(&case);
            let answers = case.answers().into_iter().filter(|(key, _)| !printed.without.contains(key));
            let answers = answers.map(|(key, want)| (key.to_owned(), want)).collect();
            all.push((place, locale.code, printed.pages, answers));
        }
    }
    all
}
