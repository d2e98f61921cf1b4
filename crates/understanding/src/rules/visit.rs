//! Where a visit begins.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::layout::{Cell, Token};
use super::segments::TURNS;
use crate::normal::date::{begins, can_be_visit, time};

/// What a line about a visit begins with.
const VISIT: [&str; 25] = [
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
const OTHER: [&str; 24] = [
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
const TO_COME: [&str; 8] = ["dias", "semanas", "meses", "dentro", "days", "weeks", "months", "due"];
/// Words of the longest line that names a visit before its date.
const BEFORE_DATE: usize = 9;
/// Years in which visits can be.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2100;

/// How a line shows that a visit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// By a date and a time of day: an entry of a timeline.
    Timeline,
    /// By its name and a date.
    Named,
    /// By a date alone, if what follows is clinical.
    Dated,
}

/// A line with which a visit may begin.
pub(super) struct Begins {
    pub shown: Shown,
    pub date: Date,
    pub time: Option<Time>,
    /// The tokens of the date.
    pub at: Range<usize>,
    /// What stands behind it.
    pub tail: Range<usize>,
}

/// Whether a visit begins with this cell. A word of `other_dates` tells that the date is that of something else.
pub(super) fn begin(cell: &Cell<'_>, in_margin: bool, other_dates: &[String]) -> Option<Begins> {
    if in_margin {
        return None;
    }
    let tokens = &cell.tokens;
    let first = cell.first_word();
    if let Some((date, count)) = date_at(tokens, first) {
        let end = first + count;
        let next = skip_marks(tokens, end);
        let time = tokens.get(next).and_then(|token| time(token.text));
        let is_timeline = time.is_some();
        let behind = if is_timeline { next + 1 } else { end };
        let tail = skip_marks(tokens, behind)..tokens.len();
        if !is_timeline && speaks_of_other(tokens, other_dates) {
            return None;
        }
        let shown = if is_timeline { Shown::Timeline } else { Shown::Dated };
        return Some(Begins { shown, date, time, at: first..end, tail });
    }
    named(tokens, first, other_dates)
}

fn named(tokens: &[Token<'_>], first: usize, other_dates: &[String]) -> Option<Begins> {
    let opens = tokens.get(first)?;
    let opens_with_day = matches!(opens.word.as_str(), "dia" | "fecha" | "date")
        && tokens[first..].iter().take(4).any(|token| VISIT.contains(&token.word.as_str()));
    if !(VISIT.contains(&opens.word.as_str()) || opens_with_day) || speaks_of_other(tokens, other_dates) {
        return None;
    }
    let most = tokens.len().min(first + BEFORE_DATE);
    let place =
        (first + 1..most).find_map(|at| date_at(tokens, at).map(|(date, count)| (date, at..at + count)));
    let (date, at) = place?;
    // A sentence that only mentions a date is no heading.
    let is_sentence = tokens[first..at.start].iter().any(|token| token.text.ends_with(['.', ',', ';']));
    let is_to_come = tokens[first..at.start].iter().any(|token| TO_COME.contains(&token.word.as_str()));
    let mut behind = skip_marks(tokens, at.end);
    let time = tokens.get(behind).and_then(|token| time(token.text));
    if time.is_some() {
        behind = skip_marks(tokens, behind + 1);
    }
    let tail = behind..tokens.len();
    (!is_sentence && !is_to_come && tail.len() <= 10).then_some(Begins {
        shown: Shown::Named,
        date,
        time,
        at,
        tail,
    })
}

/// The date that stands at a place of a line, if a visit can be of that day.
pub(super) fn date_at(tokens: &[Token<'_>], at: usize) -> Option<(Date, usize)> {
    let words: Vec<&str> = tokens.get(at..)?.iter().take(6).map(|token| token.text).collect();
    let (date, count) = begins(&words)?;
    let is_visit = YEARS.contains(&date.year()) && can_be_visit(date, &words[..count].join(" "));
    is_visit.then_some((date, count))
}

/// Whether this folded word is one for visits.
pub(super) fn is_visit_word(word: &str) -> bool {
    VISIT.contains(&word)
}

fn speaks_of_other(tokens: &[Token<'_>], other_dates: &[String]) -> bool {
    let is_other = |token: &Token<'_>| {
        let word = token.word.as_str();
        OTHER.contains(&word) || TURNS.contains(&word) || other_dates.iter().any(|other| other == word)
    };
    tokens.iter().take(20).any(is_other)
}

fn skip_marks(tokens: &[Token<'_>], from: usize) -> usize {
    let marks = tokens[from.min(tokens.len())..].iter().take_while(|token| token.is_mark()).count();
    from + marks
}
