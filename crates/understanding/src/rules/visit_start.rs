//! Recognises lines that start a visit.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::layout::{Cell, Token};
use super::segments::OTHER_OCCASION_WORDS;
use crate::normal::DateOrder;
use crate::normal::date::{date_at_start, is_plausible_visit_date, time};

/// First words of lines that announce a visit.
const VISIT_WORDS: [&str; 25] = [
    "asistencia",
    "servicio",
    "visita",
    "consulta",
    "control",
    "revision",
    "seguimiento",
    "ingreso",
    "alta",
    "urgencia",
    "urgencias",
    "cita",
    "atencion",
    "hospitalizacion",
    "vacunacion",
    "cirugia",
    "visit",
    "consultation",
    "appointment",
    "check-up",
    "checkup",
    "recheck",
    "follow-up",
    "admission",
    "emergency",
];
/// Words that show that a date is not the date of a visit.
const OTHER_DATE_WORDS: [&str; 24] = [
    "nacimiento",
    "nac",
    "dob",
    "birth",
    "born",
    "factura",
    "invoice",
    "emision",
    "documento",
    "document",
    "dni",
    "nif",
    "pasaporte",
    "passport",
    "lote",
    "batch",
    "referencia",
    "presupuesto",
    "analisis",
    "laboratorio",
    "orina",
    "coprologico",
    "informe",
    "report",
];
/// Words that show that a visit is still to come: "Revisión en 10 días (21/11/2023)".
const FUTURE_WORDS: [&str; 8] = ["dias", "semanas", "meses", "dentro", "days", "weeks", "months", "due"];
/// The most words before the date in a line that announces a visit.
const MAX_WORDS_BEFORE_DATE: usize = 9;
/// The years in which visits can be.
const VISIT_YEARS: std::ops::RangeInclusive<i16> = 1970..=2100;

/// How a line starts a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisitStartKind {
    /// With a date and a time of day: an entry of a timeline.
    Timeline,
    /// With a visit word and a date.
    Named,
    /// With a date alone. It counts if visit data follows.
    Dated,
}

/// A line that may start a visit.
pub(super) struct VisitStart {
    pub kind: VisitStartKind,
    pub date: Date,
    pub time: Option<Time>,
    /// The tokens of the date.
    pub date_tokens: Range<usize>,
    /// The tokens behind the date and the time.
    pub rest: Range<usize>,
}

/// The start of a visit in this cell, if there is one. `other_dates` are further words that show that a date is not
/// the date of a visit.
pub(super) fn visit_start(
    cell: &Cell<'_>,
    in_margin: bool,
    other_dates: &[String],
    order: DateOrder,
) -> Option<VisitStart> {
    if in_margin {
        return None;
    }
    let tokens = &cell.tokens;
    let first = cell.first_word();
    if let Some((date, count)) = date_at(tokens, first, order) {
        let end = first + count;
        let next = skip_separators(tokens, end);
        let time = tokens.get(next).and_then(|token| time(token.text));
        let is_timeline = time.is_some();
        let behind = if is_timeline { next + 1 } else { end };
        let rest = skip_separators(tokens, behind)..tokens.len();
        if !is_timeline && is_other_date(tokens, other_dates) {
            return None;
        }
        let kind = if is_timeline { VisitStartKind::Timeline } else { VisitStartKind::Dated };
        return Some(VisitStart { kind, date, time, date_tokens: first..end, rest });
    }
    named_visit_start(tokens, first, other_dates, order)
}

fn named_visit_start(
    tokens: &[Token<'_>],
    first: usize,
    other_dates: &[String],
    order: DateOrder,
) -> Option<VisitStart> {
    let first_token = tokens.get(first)?;
    let starts_with_date_word = matches!(first_token.word.as_str(), "dia" | "fecha" | "date")
        && tokens[first..].iter().take(4).any(|token| VISIT_WORDS.contains(&token.word.as_str()));
    if !(VISIT_WORDS.contains(&first_token.word.as_str()) || starts_with_date_word)
        || is_other_date(tokens, other_dates)
    {
        return None;
    }
    let most = tokens.len().min(first + MAX_WORDS_BEFORE_DATE);
    let place = (first + 1..most)
        .find_map(|at| date_at(tokens, at, order).map(|(date, count)| (date, at..at + count)));
    let (date, date_tokens) = place?;
    // A sentence that only mentions a date starts no visit.
    let is_sentence =
        tokens[first..date_tokens.start].iter().any(|token| token.text.ends_with(['.', ',', ';']));
    let is_future =
        tokens[first..date_tokens.start].iter().any(|token| FUTURE_WORDS.contains(&token.word.as_str()));
    let mut behind = skip_separators(tokens, date_tokens.end);
    let time = tokens.get(behind).and_then(|token| time(token.text));
    if time.is_some() {
        behind = skip_separators(tokens, behind + 1);
    }
    let rest = behind..tokens.len();
    (!is_sentence && !is_future && rest.len() <= 10).then_some(VisitStart {
        kind: VisitStartKind::Named,
        date,
        time,
        date_tokens,
        rest,
    })
}

/// The date at that token, if a visit can be on that day, and how many tokens it takes.
pub(super) fn date_at(tokens: &[Token<'_>], at: usize, order: DateOrder) -> Option<(Date, usize)> {
    let words: Vec<&str> = tokens.get(at..)?.iter().take(6).map(|token| token.text).collect();
    let (date, count) = date_at_start(&words, order)?;
    let is_visit =
        VISIT_YEARS.contains(&date.year()) && is_plausible_visit_date(date, &words[..count].join(" "));
    is_visit.then_some((date, count))
}

/// Whether this folded word announces a visit.
pub(super) fn is_visit_word(word: &str) -> bool {
    VISIT_WORDS.contains(&word)
}

fn is_other_date(tokens: &[Token<'_>], other_dates: &[String]) -> bool {
    let is_other = |token: &Token<'_>| {
        let word = token.word.as_str();
        OTHER_DATE_WORDS.contains(&word)
            || OTHER_OCCASION_WORDS.contains(&word)
            || other_dates.iter().any(|other| other == word)
    };
    tokens.iter().take(20).any(is_other)
}

fn skip_separators(tokens: &[Token<'_>], from: usize) -> usize {
    let marks = tokens[from.min(tokens.len())..].iter().take_while(|token| token.is_separator()).count();
    from + marks
}
