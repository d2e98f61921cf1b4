//! How each language writes invoices: its words, numbers and dates, and two invented companies.

/// A company that occurs in the invoices of a language.
pub(super) struct Company {
    pub name: &'static str,
    pub street: &'static str,
    pub town: &'static str,
    pub tax_id: &'static str,
}

/// The words of an invoice. Lists have words for the same thing; each layout uses one of them.
pub(super) struct Words {
    pub title: &'static str,
    pub credit_note: &'static str,
    pub number: [&'static str; 3],
    pub date: [&'static str; 3],
    pub due: [&'static str; 3],
    pub customer_number: &'static str,
    pub order_number: &'static str,
    pub delivery_date: &'static str,
    pub supplier: &'static str,
    pub bill_to: [&'static str; 3],
    pub tax_id: [&'static str; 3],
    pub net: [&'static str; 3],
    pub tax: [&'static str; 3],
    pub total: [&'static str; 3],
    pub description: &'static str,
    pub quantity: &'static str,
    pub price: &'static str,
    pub amount: &'static str,
    pub rate: &'static str,
    /// Between the number and the date of an invoice.
    pub of: &'static str,
    pub place_and_date: &'static str,
    pub register: &'static str,
    pub phone: &'static str,
    pub currency: &'static str,
    pub bank: &'static str,
    /// A sentence with `{total}` and `{due}`.
    pub please_pay: &'static str,
    pub items: [&'static str; 3],
    pub months: [&'static str; 12],
    /// Between day, month and year of a date in words.
    pub month_joint: &'static str,
}

/// How a language writes.
pub(super) struct Locale {
    pub code: &'static str,
    pub supplier: Company,
    pub customer: Company,
    pub iban: &'static str,
    pub currency: &'static str,
    pub sign: &'static str,
    pub sign_first: bool,
    pub currency_word: &'static str,
    /// The marks before thousands and decimals.
    pub marks: (&'static str, &'static str),
    /// What stands between the numbers of a date.
    pub date_mark: &'static str,
    pub words: Words,
}

impl Locale {
    /// A sum without its currency. Minus signs stand before it.
    pub fn plain(&self, cents: i64) -> String {
        let all = cents.unsigned_abs();
        let (whole, rest) = ((all / 100).to_string(), all % 100);
        let mut grouped = String::new();
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place) % 3 == 0 {
                grouped.push_str(self.marks.0);
            }
            grouped.push(digit);
        }
        let sign = if cents < 0 { "-" } else { "" };
        format!("{sign}{grouped}{}{rest:02}", self.marks.1)
    }

    /// A sum with the sign of its currency.
    pub fn money(&self, cents: i64) -> String {
        if self.sign_first {
            let sign = if cents < 0 { "-" } else { "" };
            format!("{sign}{}{}", self.sign, self.plain(cents.abs()))
        } else {
            format!("{} {}", self.plain(cents), self.sign)
        }
    }

    pub fn date(&self, (year, month, day): (u16, u8, u8)) -> String {
        let mark = self.date_mark;
        format!("{day:02}{mark}{month:02}{mark}{year}")
    }

    pub fn date_in_words(&self, (year, month, day): (u16, u8, u8)) -> String {
        let month = self.words.months[usize::from(month) - 1];
        let dot = if self.code == "de" { "." } else { "" };
        let joint = self.words.month_joint;
        format!("{day}{dot} {joint}{month} {joint}{year}")
    }
}
