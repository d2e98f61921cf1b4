//! One invoice with its right values, and the parts that layouts have in common.

use super::super::page_builder::PageBuilder;
use super::locales::Locale;
use quire_domain::reading::Page;

/// Where totals end, in points from the left.
pub(super) const RIGHT: f32 = 545.0;

/// An invoice to print.
pub(super) struct Case {
    pub locale: &'static Locale,
    /// Which of the words for the same thing the layout uses.
    pub choice: usize,
    pub number: String,
    pub date: (u16, u8, u8),
    pub due: (u16, u8, u8),
    /// The items: quantity, price and sum in cents.
    pub lines: Vec<(i64, i64, i64)>,
    pub net: i64,
    /// The rates in per cent, each with its net amount and its tax.
    pub taxes: Vec<(i64, i64, i64)>,
    pub tax: i64,
    pub total: i64,
}

/// A printed invoice: its pages, and the keys that the layout does not print.
pub(super) struct Printed {
    pub pages: Vec<Page>,
    pub without: &'static [&'static str],
}

impl Printed {
    pub fn page(paper: PageBuilder, without: &'static [&'static str]) -> Self {
        Self { pages: vec![paper.page()], without }
    }
}

impl Case {
    /// The invoice that one layout prints in one language. Each has its own number, dates and sums.
    pub fn of(locale: &'static Locale, layout: usize, several_rates: bool, sign: i64) -> Self {
        let seed = i64::try_from(layout * 7).unwrap() + i64::from(locale.code.as_bytes()[0]);
        let prices = [1_999 + 37 * seed, 24_990 + 1_013 * seed, 4_550 + 11 * seed];
        let quantities = [3, 1 + seed % 4, 1];
        let line = |(count, price): (&i64, i64)| (*count * sign, price, sign * count * price);
        let lines: Vec<_> = quantities.iter().zip(prices).map(line).collect();
        let rates = if several_rates { [21, 21, 10] } else { [20, 20, 20] };
        let mut taxes: Vec<(i64, i64, i64)> = Vec::new();
        for ((_, _, sum), rate) in lines.iter().zip(rates) {
            match taxes.iter_mut().find(|(known, _, _)| *known == rate) {
                Some((_, base, _)) => *base += sum,
                None => taxes.push((rate, *sum, 0)),
            }
        }
        for (rate, base, tax) in &mut taxes {
            *tax = (base.abs() * *rate + 50) / 100 * sign;
        }
        let net = lines.iter().map(|(_, _, sum)| sum).sum();
        let tax = taxes.iter().map(|(_, _, tax)| tax).sum();
        let day = u8::try_from(13 + layout % 15).unwrap();
        let month = u8::try_from(1 + layout % 11).unwrap();
        let numbers =
            [format!("2024/{:04}", 100 + seed), format!("F-{}", 20_000 + seed), (471_000 + seed).to_string()];
        Self {
            locale,
            choice: layout % 3,
            number: numbers[layout % 3].clone(),
            date: (2024, month, day),
            due: (2024, month + 1, day),
            lines,
            net,
            tax,
            total: net + tax,
            taxes,
        }
    }

    pub fn number_label(&self) -> &'static str {
        self.locale.words.number[self.choice]
    }
    pub fn date_label(&self) -> &'static str {
        self.locale.words.date[self.choice]
    }
    pub fn due_label(&self) -> &'static str {
        self.locale.words.due[self.choice]
    }
    pub fn bill_to(&self) -> &'static str {
        self.locale.words.bill_to[self.choice]
    }
    pub fn tax_id_label(&self) -> &'static str {
        self.locale.words.tax_id[self.choice]
    }
    pub fn net_label(&self) -> &'static str {
        self.locale.words.net[self.choice]
    }
    pub fn tax_label(&self) -> &'static str {
        self.locale.words.tax[self.choice]
    }
    pub fn total_label(&self) -> &'static str {
        self.locale.words.total[self.choice]
    }
    pub fn issued(&self) -> String {
        self.locale.date(self.date)
    }
    pub fn payable(&self) -> String {
        self.locale.date(self.due)
    }
    pub fn money(&self, cents: i64) -> String {
        self.locale.money(cents)
    }

    /// The right value of each key.
    pub fn answers(&self) -> Vec<(&'static str, String)> {
        let iso = |(year, month, day): (u16, u8, u8)| format!("{year}-{month:02}-{day:02}");
        #[allow(clippy::cast_precision_loss)] // Sums of a test.
        let sum = |cents: i64| (cents as f64 / 100.0).to_string();
        vec![
            ("invoice_number", self.number.clone()),
            ("issue_date", iso(self.date)),
            ("due_date", iso(self.due)),
            ("supplier_name", self.locale.supplier.name.to_owned()),
            ("supplier_tax_id", self.locale.supplier.tax_id.to_owned()),
            ("customer_name", self.locale.customer.name.to_owned()),
            ("customer_tax_id", self.locale.customer.tax_id.to_owned()),
            ("currency", self.locale.currency.to_owned()),
            ("net_amount", sum(self.net)),
            ("tax_amount", sum(self.tax)),
            ("total_amount", sum(self.total)),
            ("iban", self.locale.iban.replace(' ', "")),
        ]
    }
}

/// Prints lines below each other. Returns the position below them.
pub(super) fn lines(paper: &mut PageBuilder, x: f32, y: f32, lines: &[&str]) -> f32 {
    let mut at = y;
    for line in lines {
        paper.text_at(x, at, line);
        at += 13.0;
    }
    at
}

/// Prints a text that ends at a position.
pub(super) fn right(paper: &mut PageBuilder, x1: f32, y: f32, text: &str) {
    let letters: usize = text.split_whitespace().map(|word| word.chars().count()).sum();
    let gaps = text.split_whitespace().count().saturating_sub(1);
    let width =
        5.0 * f32::from(u16::try_from(letters).unwrap()) + 3.0 * f32::from(u16::try_from(gaps).unwrap());
    paper.text_at(x1 - width, y, text);
}

/// Prints the items as a table. Returns the position below it.
pub(super) fn items(paper: &mut PageBuilder, case: &Case, y: f32) -> f32 {
    let words = &case.locale.words;
    let mut at = y;
    paper.text_at(50.0, at, words.description);
    right(paper, 330.0, at, words.quantity);
    right(paper, 440.0, at, words.price);
    right(paper, RIGHT, at, words.amount);
    for ((count, price, sum), item) in case.lines.iter().zip(words.items) {
        at += 16.0;
        paper.text_at(50.0, at, item);
        right(paper, 330.0, at, &count.to_string());
        right(paper, 440.0, at, &case.locale.plain(*price));
        right(paper, RIGHT, at, &case.locale.plain(*sum));
    }
    at + 30.0
}

/// Prints labels and sums in rows, the sums ending at the right edge. Returns the position below them.
pub(super) fn total_rows(paper: &mut PageBuilder, x: f32, y: f32, rows: &[(String, String)]) -> f32 {
    let mut at = y;
    for (label, sum) in rows {
        paper.text_at(x, at, label);
        right(paper, RIGHT, at, sum);
        at += 15.0;
    }
    at
}

/// Net amount, tax with its rate, and total.
pub(super) fn usual_totals(case: &Case) -> Vec<(String, String)> {
    let mut rows = vec![(case.net_label().to_owned(), case.money(case.net))];
    for (rate, _, tax) in &case.taxes {
        rows.push((format!("{} {rate} %", case.tax_label()), case.money(*tax)));
    }
    rows.push((case.total_label().to_owned(), case.money(case.total)));
    rows
}
