//! Where a visit begins.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::layout::{Cell, Token};
use super::segments::OTHER_OCCASION_WORDS;
use crate::normal::date::{date_at_start, is_plausible_visit_date, time};

/// What a line about a visit begins with.
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
/// What tells that a date is that of something else.
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
/// What tells that a visit is still to come: "Revisión en 10 días (21/11/2023)".
const FUTURE_WORDS: [&str; 8] = ["dias", "semanas", "meses", "dentro", "days", "weeks", "months", "due"];
/// Words of the longest line that names a visit before its date.
const MAX_WORDS_BEFORE_DATE: usize = 9;
/// Years in which visits can be.
const VISIT_YEARS: std::ops::RangeInclusive<i16> = 1970..=2100;

/// How a line shows that a visit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisitStartKind {
    /// By a date and a time of day: an entry of a timeline.
    Timeline,
    /// By its name and a date.
    Named,
    /// By a date alone, if what follows is clinical.
    Dated,
}

/// A line with which a visit may begin.
pub(super) struct VisitStart {
    pub kind: VisitStartKind,
    pub date: Date,
    pub time: Option<Time>,
    /// The tokens of the date.
    pub date_tokens: Range<usize>,
    /// What stands behind it.
    pub rest: Range<usize>,
}

/// Whether a visit begins with this cell. A word of `other_dates` tells that the date is that of something else.
pub(super) fn visit_start(cell: &Cell<'_>, in_margin: bool, other_dates: &[String]) -> Option<VisitStart> {
    if in_margin {
        return None;
    }
    let tokens = &cell.tokens;
    let first = cell.first_word();
    if let Some((date, count)) = date_at(tokens, first) {
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
    named_visit_start(tokens, first, other_dates)
}

fn named_visit_start(tokens: &[Token<'_>], first: usize, other_dates: &[String]) -> Option<VisitStart> {
    let opens = tokens.get(first)?;
    let opens_with_day = matches!(opens.word.as_str(), "dia" | "fecha" | "date")
        && tokens[first..].iter().take(4).any(|token| VISIT_WORDS.contains(&token.word.as_str()));
    if !(VISIT_WORDS.contains(&opens.word.as_str()) || opens_with_day) || is_other_date(tokens, other_dates) {
        return None;
    }
    let most = tokens.len().min(first + MAX_WORDS_BEFORE_DATE);
    let place =
        (first + 1..most).find_map(|at| date_at(tokens, at).map(|(date, count)| (date, at..at + count)));
    let (date, date_tokens) = place?;
    // A sentence that only mentions a date is no heading.
    let is_sentence =
        tokens[first..date_tokens.start].iter().any(|token| token.text.ends_with(['.', ',', ';']));
    let is_to_come =
        tokens[first..date_tokens.start].iter().any(|token| FUTURE_WORDS.contains(&token.word.as_str()));
    let mut behind = skip_separators(tokens, date_tokens.end);
    let time = tokens.get(behind).and_then(|token| time(token.text));
    if time.is_some() {
        behind = skip_separators(tokens, behind + 1);
    }
    let rest = behind..tokens.len();
    (!is_sentence && !is_to_come && rest.len() <= 10).then_some(VisitStart {
        kind: VisitStartKind::Named,
        date,
        time,
        date_tokens,
        rest,
    })
}

/// The date that stands at a place of a line, if a visit can be of that day.
pub(super) fn date_at(tokens: &[Token<'_>], at: usize) -> Option<(Date, usize)> {
    let words: Vec<&str> = tokens.get(at..)?.iter().take(6).map(|token| token.text).collect();
    let (date, count) = date_at_start(&words)?;
    let is_visit =
        VISIT_YEARS.contains(&date.year()) && is_plausible_visit_date(date, &words[..count].join(" "));
    is_visit.then_some((date, count))
}

/// Whether this folded word is one for visits.
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
