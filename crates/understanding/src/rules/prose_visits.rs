//! Visits that are told in sentences: "Acudió a consulta el 28/03/2024 por vómitos", "Bella wurde am 4. Mai vorgestellt".

use std::ops::Range;

use jiff::civil::Date;

use super::FieldFinder;
use super::flow::Flow;
use super::prose::MAX_WORDS_TO_DATE;
use super::visit_start::{self, VisitStartKind};
use crate::{Normaliser, Scope};

/// Words that say that somebody came, in the past tense.
const ARRIVED: [&str; 67] = [
    "bringing",
    "brought",
    "volvio",
    "regreso",
    "acudia",
    "acudio",
    "acudieron",
    "presentado",
    "presentada",
    "presento",
    "atendido",
    "atendida",
    "atendimos",
    "visitado",
    "visitada",
    "visto",
    "vista",
    "vimos",
    "vino",
    "visito",
    "valorado",
    "valorada",
    "examinado",
    "examinada",
    "returned",
    "presented",
    "seen",
    "saw",
    "examined",
    "attended",
    "visited",
    "evaluated",
    "assessed",
    "came",
    "vorgestellt",
    "untersucht",
    "gesehen",
    "behandelt",
    "kam",
    "vu",
    "vue",
    "examine",
    "examinee",
    "presente",
    "presentee",
    "recu",
    "recue",
    "revenu",
    "revenue",
    "venu",
    "venue",
    "visitato",
    "visitata",
    "tornato",
    "tornata",
    "venuto",
    "presentato",
    "presentata",
    "gezien",
    "onderzocht",
    "aangeboden",
    "kwam",
    "voltou",
    "regressou",
    "veio",
    "observado",
    "observada",
];
/// Words that say so in the present tense, or that name the visit. Within a visit they may mean one to come.
const ARRIVES: [&str; 6] = ["vuelve", "acude", "consulta", "consultation", "konsultation", "vorstellung"];
/// Words in a sentence that say that the day is still to come, or that it was another occasion.
const NOT_THEN: [&str; 33] = [
    "will",
    "be",
    "should",
    "must",
    "if",
    "si",
    "wenn",
    "next",
    "last",
    "previously",
    "due",
    "booked",
    "scheduled",
    "reminder",
    "sera",
    "seran",
    "proxima",
    "proximo",
    "ultima",
    "ultimo",
    "debe",
    "debera",
    "wird",
    "werden",
    "nachste",
    "nachster",
    "nachsten",
    "prochain",
    "prochaine",
    "sara",
    "prossimo",
    "prossima",
    "volgende",
];
/// Words for a document, behind a word that would otherwise say that somebody came: "el presente informe".
const DOCUMENT_NOUNS: [&str; 8] =
    ["informe", "documento", "certificado", "historial", "escrito", "rapport", "certificat", "document"];
/// Words for where somebody came.
const VISIT_NOUNS: [&str; 12] = [
    "consulta",
    "clinica",
    "hospital",
    "urgencias",
    "centro",
    "visita",
    "revision",
    "consultation",
    "visite",
    "clinique",
    "praxis",
    "sprechstunde",
];
/// Words between the date of a visit and its reason.
const REASON_WORDS: [&str; 28] = [
    "por",
    "because of",
    "for",
    "due to",
    "debido a",
    "with",
    "con motivo de",
    "a causa de",
    "wegen",
    "aufgrund",
    "aufgrund von",
    "pour",
    "en raison de",
    "en raison d'une",
    "suite a",
    "suite a une",
    "a cause de",
    "per",
    "a causa di",
    "per via di",
    "wegens",
    "vanwege",
    "in verband met",
    "i.v.m",
    "devido a",
    "por causa de",
    "porque",
    "because",
];
/// Small words before a date.
const BEFORE_DATE: [&str; 12] = ["el", "dia", "on", "the", "am", "le", "il", "op", "em", "no", "den", "in"];
/// The most words between the date at the start of a sentence and the word for the arrival.
const MAX_WORDS_FROM_DATE: usize = 3;
/// The same in languages whose verb stands last.
const MAX_WORDS_TO_VERB: usize = 8;
/// Verbs that stand behind the date and the reason.
const LAST_VERBS: [&str; 7] =
    ["vorgestellt", "untersucht", "gesehen", "behandelt", "gezien", "onderzocht", "aangeboden"];

/// The most words between a word for an arrival and its date behind a small word: "presented with a lameness … on 13 May".
const MAX_WORDS_TO_LED_DATE: usize = 18;

/// The first two words of where it was, behind the reason.
const PLACES: [(&str, &str); 10] = [
    ("bei", "uns"),
    ("in", "unserer"),
    ("in", "unsere"),
    ("bij", "ons"),
    ("in", "onze"),
    ("dans", "notre"),
    ("en", "nuestra"),
    ("en", "nuestro"),
    ("at", "our"),
    ("presso", "la"),
];

impl FieldFinder<'_> {
    /// Opens a visit for a sentence such as "Acudió a consulta el 28/03/2024" or "El 28/03/2024 acudió a consulta". Within a
    /// visit, only a later day opens another one.
    pub(super) fn visit_in_sentence(&mut self, flow: &Flow<'_>, at: usize) {
        let word = flow.tokens[at].word.as_str();
        let is_arrival = ARRIVED.contains(&word) || (self.visit.is_none() && ARRIVES.contains(&word));
        if !is_arrival {
            return;
        }
        let end = flow.sentence_end(at);
        // "Y para que conste, se expide el presente informe": a document is no visit.
        if flow.tokens.get(at + 1).is_some_and(|next| DOCUMENT_NOUNS.contains(&next.word.as_str())) {
            return;
        }
        if let Some((date, place)) = self.date_at_sentence_start(flow, at) {
            if self.visit.is_none_or(|visit| self.visits[visit].date != date) {
                self.open_visit(date, Some(VisitStartKind::Named), &flow.spans(place.clone()), None);
                let words = at + 1..end.min(at + 4);
                let to = words.clone().find(|at| VISIT_NOUNS.contains(&flow.tokens[*at].word.as_str()));
                if !self.reason_behind_date(flow, to.map_or(at + 1, |to| to + 1), end) {
                    self.reason_behind_date(flow, place.end, at);
                }
            }
            return;
        }
        let is_last = LAST_VERBS.contains(&word);
        let before = if is_last { self.date_before(flow, at) } else { None };
        let found = before.or_else(|| {
            let days = at + 1..end.min(at + 1 + MAX_WORDS_TO_LED_DATE);
            days.into_iter().find_map(|day| {
                let is_near = day <= at + MAX_WORDS_TO_DATE;
                let is_led = BEFORE_DATE.contains(&flow.tokens[day - 1].word.as_str());
                if !is_near && !is_led {
                    return None;
                }
                let at = day;
                let (date, count) = visit_start::date_at(&flow.tokens, at, self.dates.order)?;
                Some((date, at..at + count))
            })
        });
        let Some((date, place)) = found else { return };
        let is_later = self.visit.is_none_or(|visit| self.visits[visit].date < date);
        if !is_later || self.is_not_then(flow, at, &place) {
            return;
        }
        self.open_visit(date, Some(VisitStartKind::Named), &flow.spans(place.clone()), None);
        if place.end <= at {
            let is_told = self.reason_behind_date(flow, at + 1, end);
            if !is_told {
                self.reason_behind_date(flow, place.end, at);
            }
        } else {
            self.reason_behind_date(flow, place.end, end);
        }
    }

    /// Whether the words around an arrival say that it is still to come, or was another occasion.
    fn is_not_then(&self, flow: &Flow<'_>, at: usize, date: &Range<usize>) -> bool {
        let first = (at.saturating_sub(MAX_WORDS_TO_DATE)..at)
            .rev()
            .find(|place| flow.ends_sentence(*place))
            .map_or(at.saturating_sub(MAX_WORDS_TO_DATE), |stop| stop + 1);
        let last = date.start.max(at);
        flow.tokens[first..last].iter().any(|token| {
            self.layout.count_step();
            NOT_THEN.contains(&token.word.as_str())
        })
    }

    /// The day before a verb that stands last: "Wir haben Bella am 04.05.2023 wegen Durchfalls untersucht".
    fn date_before(&self, flow: &Flow<'_>, at: usize) -> Option<(Date, Range<usize>)> {
        let first = at.saturating_sub(MAX_WORDS_TO_VERB);
        for day in (first..at).rev() {
            self.layout.count_step();
            if let Some((date, count)) = visit_start::date_at(&flow.tokens[..at], day, self.dates.order) {
                return Some((date, day..day + count));
            }
            // The dot of "4." does not end a sentence.
            if flow.ends_sentence(day) {
                return None;
            }
        }
        None
    }

    /// "el 5 de noviembre de 2023 por vómitos": the reason stands behind the date.
    pub(super) fn reason_behind_date(&mut self, flow: &Flow<'_>, from: usize, end: usize) -> bool {
        let is_reason =
            |key: &crate::SchemaKey| key.scope == Scope::VisitHead && key.normaliser == Normaliser::Text;
        let Some(key) = self.schema.keys.iter().position(is_reason) else { return false };
        let count = (1..=3).rev().find(|count| {
            let words: Vec<&str> =
                flow.tokens.iter().skip(from).take(*count).map(|token| token.word.as_str()).collect();
            REASON_WORDS.contains(&words.join(" ").as_str())
        });
        let ends = flow.tokens[from - 1].text.ends_with(['.', ';']) && flow.ends_sentence(from - 1);
        let Some(count) = count.filter(|count| !ends && from + count < end) else { return false };
        let value = self.clause(flow, from + count, end);
        // The verb that stands last is no part of the reason, and neither is where it was.
        let verb = value.clone().find(|at| LAST_VERBS.contains(&flow.tokens[*at].word.as_str()));
        let place = value.clone().find(|at| {
            let next = flow.tokens.get(at + 1).map_or("", |next| next.word.as_str());
            PLACES.contains(&(flow.tokens[*at].word.as_str(), next))
        });
        let value = value.start..verb.into_iter().chain(place).min().unwrap_or(value.end);
        !value.is_empty() && self.add_mention(key, flow, value)
    }

    /// The date that a sentence starts with, if the word at this place follows it: "El día 8 de marzo de 2024 acudió".
    pub(super) fn date_at_sentence_start(&self, flow: &Flow<'_>, at: usize) -> Option<(Date, Range<usize>)> {
        let first = at.saturating_sub(MAX_WORDS_TO_DATE);
        let start = (first..at).rev().find(|place| *place == 0 || flow.ends_sentence(*place - 1))?;
        let is_small = |place: &usize| BEFORE_DATE.contains(&flow.tokens[*place].word.as_str());
        let day = (start..at).find(|place| !is_small(place))?;
        let (date, count) = visit_start::date_at(&flow.tokens, day, self.dates.order)?;
        let end = day + count;
        let is_last = LAST_VERBS.contains(&flow.tokens[at].word.as_str());
        let most = if is_last { MAX_WORDS_TO_VERB } else { MAX_WORDS_FROM_DATE };
        (end <= at && at - end <= most).then_some((date, day..end))
    }
}
