//! Recognises lines that start a visit.

use std::ops::Range;

use jiff::civil::{Date, Time};

use super::layout::{Cell, Token};
use super::segments::OTHER_OCCASION_WORDS;
use crate::normal::DateOrder;
use crate::normal::date::{date_at_start, is_plausible_visit_date, is_weekday, time};

/// Words of lines that announce a visit.
const VISIT_WORDS: [&str; 38] = [
    "asistencia",
    "servicio",
    "visita",
    "consulta",
    "control",
    "revision",
    "seguimiento",
    "evolucion",
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
    "besuch",
    "untersuchung",
    "behandlung",
    "konsultation",
    "visite",
    "consult",
    "bezoek",
    "encounter",
    "consultazione",
    "vorstellung",
    "rendez-vous",
    "nachsorge",
];
/// Words that announce a visit behind another word: "Wellness Exam 29/05/2023".
const EXAM_WORDS: [&str; 8] =
    ["exam", "examination", "examen", "exploracion", "esame", "exame", "onderzoek", "session"];
/// Words beside these that make an examination one of a sample, or a document.
const SAMPLE_WORDS: [&str; 23] = [
    "blood",
    "sangre",
    "sang",
    "sangue",
    "blut",
    "bloed",
    "urine",
    "urin",
    "orina",
    "fecal",
    "faecal",
    "heces",
    "lab",
    "labor",
    "analisis",
    "laboratorio",
    "coprologico",
    "vaccine",
    "rabies",
    "since",
    "before",
    "desde",
    "previous",
];
/// Words beside a date that show that it is not the date of a visit.
const OTHER_DATE_WORDS: [&str; 23] = [
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
    "coprologico",
    "informe",
    "report",
];
/// Words that may stand between a date and the word that says what it is for.
const SMALL_WORDS: [&str; 12] =
    ["de", "del", "la", "el", "of", "the", "fecha", "date", "no", "para", "for", "su"];
/// Words that show that a visit is still to come: "Revisión en 10 días (21/11/2023)".
const FUTURE_WORDS: [&str; 14] = [
    "dias",
    "semanas",
    "meses",
    "dentro",
    "days",
    "weeks",
    "months",
    "due",
    "booked",
    "scheduled",
    "programada",
    "reservada",
    "prevista",
    "vereinbart",
];
/// Words behind a time of day.
const TIME_WORDS: [&str; 7] = ["am", "pm", "h", "hs", "hrs", "horas", "uhr"];
/// The most words before the date in a line that announces a visit.
const MAX_WORDS_BEFORE_DATE: usize = 9;
/// The most words of the title of a visit before its date.
const MAX_TITLE_WORDS: usize = 4;
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
    let first = behind_entry_number(tokens, cell.first_word(), order);
    let first = behind_weekday(tokens, first);
    if let Some((date, count)) = date_at(tokens, first, order) {
        let end = first + count;
        let (time, behind) = time_behind(tokens, end);
        let is_timeline = time.is_some();
        let rest = skip_separators(tokens, behind)..tokens.len();
        if !is_timeline && is_other_date(&tokens[rest.clone()], other_dates) {
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
    let is_named = VISIT_WORDS.contains(&first_token.word.as_str()) || starts_with_date_word;
    let words_before = if is_named { MAX_WORDS_BEFORE_DATE } else { MAX_TITLE_WORDS + 2 };
    if !is_named && !first_token.is_capital() {
        return None;
    }
    let most = tokens.len().min(first + words_before);
    let place = (first + 1..most)
        .find_map(|at| date_at(tokens, at, order).map(|(date, count)| (date, at..at + count)));
    let (date, date_tokens) = place?;
    let before = &tokens[first..date_tokens.start];
    if !is_named && !is_title_of_visit(before) {
        return None;
    }
    // A sentence that only mentions a date starts no visit.
    let is_number = |token: &Token<'_>| matches!(token.word.as_str(), "no" | "num" | "nro" | "n" | "nr");
    let is_sentence = before.iter().any(|token| token.text.ends_with(['.', ',', ';']) && !is_number(token));
    let is_future = before.iter().any(|token| FUTURE_WORDS.contains(&token.word.as_str()));
    let (time, behind) = time_behind(tokens, date_tokens.end);
    let rest = skip_separators(tokens, behind)..tokens.len();
    let is_other = before.iter().any(|token| is_other_word(token, other_dates))
        || is_other_date(&tokens[rest.clone()], other_dates);
    (!is_sentence && !is_future && !is_other && rest.len() <= 10).then_some(VisitStart {
        kind: VisitStartKind::Named,
        date,
        time,
        date_tokens,
        rest,
    })
}

/// Whether a few words before a date are the title of a visit: "Office Visit -", "Wellness Exam".
fn is_title_of_visit(before: &[Token<'_>]) -> bool {
    let words: Vec<&str> =
        before.iter().filter(|token| !token.is_separator()).map(|token| token.word.as_str()).collect();
    let is_visit = |word: &&str| VISIT_WORDS.contains(word) || EXAM_WORDS.contains(word);
    let is_plain = |word: &&str| word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '/');
    words.len() <= MAX_TITLE_WORDS
        && words.iter().all(is_plain)
        && words.iter().rev().take(2).any(is_visit)
        && !words.iter().any(|word| SAMPLE_WORDS.contains(word))
        && !before.iter().any(|token| token.colon)
}

/// The date at that token, if a visit can be on that day, and how many tokens it takes.
pub(super) fn date_at(tokens: &[Token<'_>], at: usize, order: DateOrder) -> Option<(Date, usize)> {
    let words: Vec<&str> = tokens.get(at..)?.iter().take(6).map(|token| token.text).collect();
    let (date, count) = date_at_start(&words, order)?;
    let is_visit =
        VISIT_YEARS.contains(&date.year()) && is_plausible_visit_date(date, &words[..count].join(" "));
    is_visit.then_some((date, count))
}

/// The place behind the number of an entry, if its date follows: "2) 14-11-23. Motivo: Vacuna".
fn behind_entry_number(tokens: &[Token<'_>], first: usize, order: DateOrder) -> usize {
    let is_number = tokens.get(first).is_some_and(|token| {
        let bare = token.text.trim_end_matches(['.', ')', '-']);
        bare.len() < token.text.len()
            && (1..=3).contains(&bare.len())
            && bare.bytes().all(|b| b.is_ascii_digit())
    });
    // "1. 5. 2023" is a date.
    let is_entry = is_number
        && date_at(tokens, first, order).is_none()
        && date_at(tokens, behind_weekday(tokens, first + 1), order).is_some();
    first + usize::from(is_entry)
}

/// The place behind the day of the week, if the words start with one.
fn behind_weekday(tokens: &[Token<'_>], first: usize) -> usize {
    let is_weekday = tokens.get(first).is_some_and(|token| is_weekday(&token.word));
    if is_weekday { skip_separators(tokens, first + 1) } else { first }
}

/// The time of day behind a date, and the place behind it.
pub(super) fn time_behind(tokens: &[Token<'_>], end: usize) -> (Option<Time>, usize) {
    let next = skip_separators(tokens, end);
    let Some(time) = tokens.get(next).and_then(|token| time(token.text)) else { return (None, end) };
    let word = tokens.get(next + 1).map_or("", |token| token.word.as_str());
    let is_afternoon = (word == "pm" || tokens[next].word.ends_with("pm")) && time.hour() < 12;
    let time = if is_afternoon { time.with().hour(time.hour() + 12).build().unwrap_or(time) } else { time };
    (Some(time), next + 1 + usize::from(TIME_WORDS.contains(&word)))
}

/// The time of day in a cell that has nothing else.
pub(super) fn time_in(cell: &Cell<'_>) -> Option<Time> {
    let (time, behind) = time_behind(&cell.tokens, 0);
    time.filter(|_| behind == cell.tokens.len())
}

/// Whether this folded word announces a visit.
pub(super) fn is_visit_word(word: &str) -> bool {
    VISIT_WORDS.contains(&word)
}

/// Whether the first word behind a date says that it is another date. Later words are part of what is told.
fn is_other_date(behind: &[Token<'_>], other_dates: &[String]) -> bool {
    let is_small = |token: &&Token<'_>| SMALL_WORDS.contains(&token.word.as_str()) || token.is_separator();
    behind
        .iter()
        .take(3)
        .find(|token| !is_small(token))
        .is_some_and(|token| is_other_word(token, other_dates))
}

/// Whether a word before a date says that it is not the date of a visit: another occasion, a sample or a day to come.
pub(super) fn names_other_occasion(token: &Token<'_>, other_dates: &[String]) -> bool {
    let word = token.word.as_str();
    is_other_word(token, other_dates) || SAMPLE_WORDS.contains(&word) || FUTURE_WORDS.contains(&word)
}

fn is_other_word(token: &Token<'_>, other_dates: &[String]) -> bool {
    let word = token.word.as_str();
    OTHER_DATE_WORDS.contains(&word)
        || OTHER_OCCASION_WORDS.contains(&word)
        || other_dates.iter().any(|other| other == word)
}

fn skip_separators(tokens: &[Token<'_>], from: usize) -> usize {
    let marks = tokens[from.min(tokens.len())..].iter().take_while(|token| token.is_separator()).count();
    from + marks
}
