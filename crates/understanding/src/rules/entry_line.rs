//! The first line of an entry: whether it looks like the one before, and what stands behind its date.

use std::ops::Range;

use super::FieldFinder;
use super::labelled::has_weight_unit;
use super::layout::{Cell, Token};
use super::visit_start;
use crate::Normaliser;

impl FieldFinder<'_> {
    /// Whether a date starts its line as the date of the last entry does: at the same edge, behind the same mark, written in
    /// the same way. The entries of a list look alike.
    pub(super) fn is_like_last_entry(&self, cell: usize, date: &Range<usize>) -> bool {
        let Some(last) = self.last_entry else { return false };
        let (one, two) = (&self.layout.cells[last], &self.layout.cells[cell]);
        let shape = |text: &str| -> String {
            let of = |c: char| if c.is_ascii_digit() { '0' } else { c };
            text.chars().map(of).filter(|c| !c.is_alphabetic()).collect()
        };
        let mark = |cell: &Cell<'_>| cell.tokens.first().map_or("", |first| first.text).to_owned();
        let is_marked = one.first_word() > 0;
        let first = one.tokens[one.first_word()..].first();
        (one.rect.x0 - two.rect.x0).abs() <= 4.0
            && one.first_word() == two.first_word()
            && (!is_marked || mark(one) == mark(two))
            && first.is_some_and(|first| shape(first.text).len() == shape(two.tokens[date.start].text).len())
    }

    /// The same for an entry that takes one line, whose parts marks separate: "11-sep-2023 / 46 kg / Dx: piodermia".
    pub(super) fn is_row_like_last(&self, cell: usize, date: &Range<usize>) -> bool {
        let is_mark =
            |cell: usize, at: usize| self.layout.cells[cell].tokens.get(at).is_some_and(Token::is_separator);
        let is_row = |last: usize| {
            let first = self.layout.cells[last].first_word();
            is_mark(cell, date.end) && is_mark(last, first + date.len())
        };
        self.last_entry.is_some_and(is_row) && self.is_like_last_entry(cell, date)
    }

    /// The tokens without the marks behind them: "17/07/2023 ===== Dra. Isabel Mena =====".
    pub(super) fn without_marks(&self, cell: usize, tail: &Range<usize>) -> Range<usize> {
        let words = &self.layout.cells[cell].tokens;
        let marks = tail.clone().rev().take_while(|at| words[*at].is_separator()).count();
        tail.start..tail.end - marks
    }

    /// The tokens without a weight before them or in brackets behind them, which is one of the visit: "46 kg / Vómitos",
    /// "Vacunación anual (30,9 kg)".
    pub(super) fn without_weight(&mut self, cell: usize, tail: &Range<usize>) -> Range<usize> {
        if let Some(weight) = (1..=2).map(|count| tail.start..tail.start + count).find(|weight| {
            let words = &self.layout.cells[cell].tokens;
            let is_apart = weight.end == tail.end || words.get(weight.end).is_some_and(Token::is_separator);
            weight.end <= tail.end
                && is_apart
                && has_weight_unit(&self.layout.cells[cell].text(weight.clone()))
        }) {
            let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
            self.add_unlabelled(key, &(cell, weight.clone()), None, "weight_line");
            let words = &self.layout.cells[cell].tokens;
            let marks = (weight.end..tail.end).take_while(|at| words[*at].is_separator()).count();
            return weight.end + marks..tail.end;
        }
        let words = &self.layout.cells[cell].tokens;
        let opens = tail.clone().rev().take(2).find(|at| words[*at].text.starts_with('('));
        let Some(start) = opens else { return tail.clone() };
        let text = self.layout.cells[cell].text(start..tail.end);
        let inside = text.trim_matches(['(', ')', '.']);
        if !has_weight_unit(inside) {
            return tail.clone();
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        self.add_unlabelled(key, &(cell, start..tail.end), Some(inside), "weight_line");
        tail.start..start
    }

    /// The days on which a stay began and ended, in its title: "INGRESO 20/05/2024 - ALTA 23/05/2024".
    pub(super) fn days_of_stay(&mut self, cell: usize, date: &Range<usize>, tail: &Range<usize>) {
        let it = &self.layout.cells[cell];
        let lead_in = |from: usize| {
            let (key, count) = self.labels.lead_in_at_start(it.tokens.get(from..)?)?;
            (self.schema.keys[key].normaliser == Normaliser::Date).then_some((key, from + count))
        };
        let first = lead_in(it.first_word()).filter(|(_, end)| *end == date.start);
        let last = lead_in(tail.start).and_then(|(key, from)| {
            let (_, count) = visit_start::date_at(&it.tokens[..tail.end], from, self.dates.order)?;
            Some((key, from..from + count))
        });
        let days = first.map(|(key, _)| (key, date.clone())).into_iter().chain(last);
        for (key, day) in days.collect::<Vec<_>>() {
            self.add_unlabelled(Some(key), &(cell, day), None, "stay");
        }
    }

    /// The tokens behind words in brackets, such as the initials of the vet: "17/06/2024 (PN) Straining".
    pub(super) fn behind_brackets(&self, cell: usize, tail: &Range<usize>) -> Range<usize> {
        let words = &self.layout.cells[cell].tokens;
        let opens =
            words.get(tail.start).is_some_and(|token| token.text.starts_with('(')) && !tail.is_empty();
        let close = tail.clone().take(6).find(|at| words[*at].text.ends_with(')'));
        match close.filter(|_| opens) {
            Some(close) => close + 1..tail.end,
            None => tail.clone(),
        }
    }

    /// Whether the words behind the title of a visit say why somebody came: "Consulta 14/05/2023 - Gastroenteritis aguda".
    pub(super) fn is_reason_behind_title(
        &self,
        cell: usize,
        date: &Range<usize>,
        tail: &Range<usize>,
    ) -> bool {
        let words = &self.layout.cells[cell].tokens;
        let is_apart = tail.start > date.end
            || words[date.end - 1].text.ends_with(['-', ':', ',', '.'])
            || words[date.end - 1].colon;
        let first = &words[tail.start];
        let is_word = |token: &Token<'_>| token.text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
        is_apart
            && first.is_capital()
            && !first.text.starts_with(|c: char| c.is_ascii_digit())
            && is_word(first)
            && !(tail.len() == 1 && self.has_meaning(first))
            && self.labels.lead_in_at_start(&words[tail.clone()]).is_none()
    }

    /// The first sentence of the words behind a date, and those behind it if they state a weight.
    pub(super) fn first_sentence(&self, cell: usize, tail: &Range<usize>) -> (Range<usize>, Range<usize>) {
        let words = &self.layout.cells[cell].tokens;
        let is_weight = |at: &usize| {
            self.layout.count_step();
            let label = self.labels.label_at_start(&words[*at..tail.end]);
            let key = label.and_then(|(meaning, _)| meaning.key);
            key.is_some_and(|key| self.schema.keys[key].normaliser == Normaliser::Weight)
                && (*at == tail.start || words[*at - 1].text.ends_with(['.', ';', ',']))
        };
        // A sentence that leads to a value, as "Viene por" does, is read with the text.
        if self.labels.lead_in_at_start(&words[tail.clone()]).is_some() {
            return (tail.start..tail.start, tail.clone());
        }
        let ends = |at: &usize| {
            words[*at].text.ends_with(['.', ';'])
                && words.get(at + 1).is_some_and(|next| next.is_capital() && *at + 1 < tail.end)
                && words[*at].word.chars().count() > 2
        };
        let sentence = tail.clone().find(ends).map(|at| at + 1);
        match tail.clone().find(is_weight).into_iter().chain(sentence).min() {
            Some(end) => (tail.start..end, end..tail.end),
            None => (tail.clone(), tail.end..tail.end),
        }
    }
}
