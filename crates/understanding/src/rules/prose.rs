//! Finds values in whole sentences: "Remito a Lúa, perra de raza Border Collie, con microchip 941…", "She was admitted on
//! 2 February 2024 because of …". The lead-ins of the schema tell what follows; the form of the value tells where it ends.

use std::ops::Range;

use super::candidate::Provenance;
use super::flow::Flow;
use super::labelled::has_weight_unit;
use super::layout::Token;
use super::value_position::TokenSpan;
use super::visit_start::{self, VisitStartKind};
use super::{FieldFinder, UNLABELLED_RANK};
use crate::normal::{InSentence, has_street, says_sex};
use crate::{Normaliser, Scope};

/// The shortest paragraph that counts as prose, in words.
const MIN_WORDS: usize = 6;
/// The longest text behind a lead-in, in words.
pub(super) const MAX_TEXT_WORDS: usize = 40;
/// The most words between a word for an arrival and its date.
pub(super) const MAX_WORDS_TO_DATE: usize = 8;
/// The most groups of figures of a number in a sentence.
const MAX_GROUPS: usize = 6;
/// The fewest figures of a code in a sentence.
const MIN_CODE_DIGITS: usize = 3;
/// Words between the label of a weight and its value.
const LINKING_WORDS: [&str; 11] =
    ["era", "es", "fue", "de", "actual", "is", "was", "of", "today", "hoy", "aproximado"];
/// Words that stand between a lead-in and a name.
const BEFORE_NAME: [&str; 30] = [
    "d", "da", "dna", "don", "dona", "sr", "sra", "mr", "mrs", "ms", "dr", "dra", "el", "la", "the", "es",
    "mme", "mlle", "monsieur", "madame", "herr", "herrn", "frau", "sig", "sigra", "signora", "signor",
    "mevr", "mevrouw", "dhr",
];
/// Small words within names.
const IN_NAME: [&str; 8] = ["de", "del", "la", "los", "las", "van", "von", "di"];
/// Words that join two clauses and belong to neither.
const CONNECTORS: [&str; 20] = [
    "and", "y", "e", "se", "le", "was", "were", "fue", "he", "she", "it", "we", "then", "who", "que", "has",
    "been", "on", "el", "a",
];
/// Words before the day on which something happened, and the most words of such a day.
const DAY_WORDS: [&str; 9] = ["el", "on", "am", "le", "il", "dia", "op", "em", "den"];
const MAX_DAY_WORDS: usize = 8;

impl FieldFinder<'_> {
    /// Finds values and visits in the paragraph that starts with these words.
    pub(super) fn read_prose(&mut self, cell: usize, tokens: &Range<usize>) {
        let spans = self.paragraph(cell, tokens);
        let count: usize = spans.iter().map(|(_, tokens)| tokens.len()).sum();
        if count >= MIN_WORDS {
            self.mark_used(&spans[1..]);
            let flow = self.flow_of(&spans);
            self.facts_without_name(&flow);
            let taken = self.read_flow(&flow);
            self.read_told_in_letter(&spans, &taken);
        }
    }

    /// Finds values in a paragraph. Returns which of its words are values of a visit.
    pub(super) fn read_flow(&mut self, flow: &Flow<'_>) -> Vec<bool> {
        let mut taken = vec![false; flow.tokens.len()];
        let mut of_subject = 0..0;
        // "I saw Max, a 7-year-old Labrador, on 3 April": the visit may be told before the subject.
        let tells_subject = self.visit.is_none();
        for at in 0..flow.tokens.len() {
            self.layout.count_step();
            let is_start = at == 0 || flow.ends_sentence(at - 1);
            if tells_subject && at >= of_subject.end {
                of_subject = self.subject_sentence(flow, at).unwrap_or(of_subject);
            }
            if is_start || flow.tokens[at - 1].text.ends_with(';') {
                self.visits_of_sentence(flow, at);
            }
            if is_start {
                self.person_at_start(flow, at);
                self.weight_at_start(flow, at);
            }
            self.weight_behind_label(flow, at);
            if of_subject.contains(&at) {
                self.fact_in_sentence(flow, at, &of_subject);
            }
            if taken[at] || self.is_in_history {
                continue;
            }
            match self.labels.lead_in_at_start(&flow.tokens[at..]) {
                Some((key, count)) => self.behind_lead_in(flow, at..at + count, key, &mut taken),
                None => self.label_in_sentence(flow, at),
            }
        }
        taken
    }

    /// Opens the visits that a sentence tells of, before its other values are read: they belong to them.
    fn visits_of_sentence(&mut self, flow: &Flow<'_>, start: usize) {
        if self.is_in_history {
            return;
        }
        for at in start..flow.sentence_end(start) {
            self.layout.count_step();
            self.visit_in_sentence(flow, at);
        }
    }

    /// Finds weights in the text behind a label of something else: "Exploración: Peso 5,6 kg. Mucosas rosas".
    pub(super) fn weights_in_text(&mut self, spans: &[TokenSpan]) {
        let flow = self.flow_of(spans);
        for at in 0..flow.tokens.len() {
            self.layout.count_step();
            self.weight_behind_label(&flow, at);
        }
    }

    pub(super) fn add_mention(&mut self, key: usize, flow: &Flow<'_>, range: Range<usize>) -> bool {
        self.add_told(key, &flow.spans(range))
    }

    /// Proposes a value that a sentence tells.
    fn add_told(&mut self, key: usize, spans: &[TokenSpan]) -> bool {
        let provenance = Provenance {
            rank: UNLABELLED_RANK,
            mapping: "fallback::sentence".to_owned(),
            label: None,
            text: None,
        };
        self.add_candidate(key, spans, provenance)
    }

    /// Whether the open visit has a value of a key.
    fn has_value_of_visit(&self, key: usize) -> bool {
        let mut latest = self.candidates.iter().rev().take(60);
        latest.any(|candidate| {
            candidate.key == key && candidate.visit == self.visit && candidate.value.is_some()
        })
    }

    pub(super) fn add_once(&mut self, normaliser: Normaliser, flow: &Flow<'_>, range: Range<usize>) {
        let key = self.schema.keys.iter().position(|key| key.normaliser == normaliser);
        if let Some(key) = key.filter(|key| !self.has_value(*key)) {
            self.add_mention(key, flow, range);
        }
    }

    /// A weight behind its label, within the text about a visit: "El peso era de 3,9 kg".
    fn weight_behind_label(&mut self, flow: &Flow<'_>, at: usize) {
        if self.visit.is_none() {
            return;
        }
        let Some((meaning, count)) = self.labels.label_at_start(&flow.tokens[at..]) else { return };
        let is_weight = |key: &usize| self.schema.keys[*key].normaliser == Normaliser::Weight;
        let Some(key) = meaning.key.filter(is_weight) else { return };
        let behind = flow.tokens[at + count..].iter().take(3);
        let small = behind.take_while(|token| LINKING_WORDS.contains(&token.word.as_str())).count();
        let from = at + count + small;
        // "13 lbs 6 oz" has four words.
        let value = [4, 1, 2].map(|count| from..from + count).into_iter().find(|value| {
            value.end <= flow.tokens.len()
                && has_weight_unit(flow.text(value.clone()).trim_end_matches([',', '.', ';']))
        });
        if let Some(value) = value {
            self.add_mention(key, flow, value);
        }
    }

    /// A number with a unit of weight at the start of a sentence: "4,1 kg. Ojo derecho cerrado".
    fn weight_at_start(&mut self, flow: &Flow<'_>, at: usize) {
        if self.visit.is_none() || !flow.tokens[at].text.starts_with(|c: char| c.is_ascii_digit()) {
            return;
        }
        let range = (1..=2).map(|count| at..at + count).find(|range| {
            range.end <= flow.tokens.len()
                && has_weight_unit(flow.text(range.clone()).trim_end_matches([',', '.']))
        });
        let is_alone = |range: &Range<usize>| {
            flow.tokens[range.end - 1].text.ends_with(['.', ',', ';'])
                || flow.tokens.get(range.end).is_none_or(Token::is_separator)
        };
        if let Some(range) = range.filter(is_alone) {
            let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
            if let Some(key) = key {
                self.add_mention(key, flow, range);
            }
        }
    }

    /// Reads the value behind a lead-in.
    fn behind_lead_in(&mut self, flow: &Flow<'_>, lead_in: Range<usize>, key: usize, taken: &mut [bool]) {
        let schema_key = &self.schema.keys[key];
        let (from, end) = (lead_in.end, flow.sentence_end(lead_in.start));
        let ends_before = flow.tokens[lead_in.end - 1].text.ends_with(['.', ';']);
        if from >= end || ends_before {
            return;
        }
        match schema_key.normaliser {
            Normaliser::Date => self.date_of_lead_in(flow, key, lead_in.start, from..end),
            normaliser if normaliser.is_name() => self.name_behind_lead_in(flow, key, from..end),
            Normaliser::Address => {
                let range = address_in_sentence(flow, from, end.min(from + 16));
                if !self.has_value(key) {
                    self.add_mention(key, flow, range);
                }
            }
            Normaliser::Text if schema_key.scope != Scope::Document => {
                let value = self.clause(flow, from, end);
                // "Se recomienda" leads to a plan, or to advice such as to brush the coat.
                let is_open = !schema_key.repeatable && !schema_key.cues.is_empty();
                if is_open && self.first_cue_of(key, &flow.tokens[value.clone()]).is_none() {
                    return;
                }
                let is_list = schema_key.repeatable;
                // The reason for a visit is told once.
                let is_told = schema_key.scope == Scope::VisitHead && self.has_value_of_visit(key);
                if value.is_empty() || is_told {
                    return;
                }
                let spans = flow.spans(value.clone());
                let values = if is_list { self.split_at_joints(key, &spans) } else { vec![spans] };
                let added: Vec<bool> = values.iter().map(|spans| self.add_told(key, spans)).collect();
                if added.contains(&true) {
                    taken[lead_in.start..value.end].fill(true);
                }
            }
            normaliser => {
                let most = normaliser.most_words();
                let value = (from..end.min(from + 3)).find_map(|start| {
                    (1..=most).rev().map(|count| start..start + count).find(|range| {
                        range.end <= end
                            && flow.tokens[start].text.starts_with(|c: char| c.is_ascii_digit())
                            && (normaliser != Normaliser::Weight
                                || has_weight_unit(
                                    flow.text(range.clone()).trim_end_matches([',', '.', ';']),
                                ))
                            && normaliser.apply_in(&flow.text(range.clone()), self.dates.order).is_some()
                    })
                });
                if let Some(value) = value {
                    self.add_mention(key, flow, value);
                }
            }
        }
    }

    /// The words up to the end of a clause: the sentence ends, or another lead-in begins.
    pub(super) fn clause(&self, flow: &Flow<'_>, from: usize, end: usize) -> Range<usize> {
        let end = end.min(from + MAX_TEXT_WORDS);
        let is_other = |at: &usize| {
            self.layout.count_step();
            self.labels.lead_in_at_start(&flow.tokens[*at..end]).is_some_and(|(key, _)| {
                let key = &self.schema.keys[key];
                key.scope != Scope::Document || key.normaliser == Normaliser::Weight
            })
        };
        let other = (from + 1..end).find(is_other);
        let mut end = other.unwrap_or(end);
        while other.is_some() && end > from && CONNECTORS.contains(&flow.tokens[end - 1].word.as_str()) {
            end -= 1;
        }
        from..self.before_day(flow, from..end)
    }

    /// The end of a clause without the day on which it happened: "a rhinoplasty on 18 May".
    fn before_day(&self, flow: &Flow<'_>, clause: Range<usize>) -> usize {
        let is_day = |at: &usize| {
            let leads = DAY_WORDS.contains(&flow.tokens[*at].word.as_str());
            let day =
                leads.then(|| visit_start::date_at(&flow.tokens[..clause.end], at + 1, self.dates.order));
            day.flatten().is_some_and(|(_, count)| at + 1 + count == clause.end)
        };
        let last = clause.end.saturating_sub(MAX_DAY_WORDS).max(clause.start + 1);
        (last..clause.end).find(is_day).unwrap_or(clause.end)
    }

    /// The date of an admission or a discharge: behind its word, or at the start of the sentence. It opens a visit if none is
    /// open, and if the sentence starts with another day.
    fn date_of_lead_in(&mut self, flow: &Flow<'_>, key: usize, lead_in: usize, range: Range<usize>) {
        if let Some((date, place)) = self.date_at_sentence_start(flow, lead_in) {
            let is_other = self.visit.is_none_or(|visit| self.visits[visit].date < date);
            if is_other && self.admission() == Some(key) {
                self.open_visit(date, Some(VisitStartKind::Named), &flow.spans(place.clone()), None);
            }
            self.add_mention(key, flow, place);
            return;
        }
        let days = range.start..range.end.min(range.start + MAX_WORDS_TO_DATE);
        let day = days.into_iter().find_map(|at| {
            visit_start::date_at(&flow.tokens, at, self.dates.order)
                .map(|(date, count)| (date, at..at + count))
        });
        let Some((date, place)) = day else { return };
        if self.visit.is_none() {
            self.open_visit(date, Some(VisitStartKind::Named), &flow.spans(place.clone()), None);
        }
        self.add_mention(key, flow, place.clone());
        self.reason_behind_date(flow, place.end, range.end);
    }

    /// The key of the date on which a visit began: the first date of visits beside the date of the visit itself.
    fn admission(&self) -> Option<usize> {
        let visit_date = self.schema.visit_date();
        self.schema.keys.iter().enumerate().position(|(place, key)| {
            let is_date = key.scope == Scope::VisitHead && key.normaliser == Normaliser::Date;
            is_date && Some(place) != visit_date
        })
    }

    /// A name behind a lead-in, and the address of a person behind the name.
    fn name_behind_lead_in(&mut self, flow: &Flow<'_>, key: usize, range: Range<usize>) {
        let mut from = range.start;
        while from < range.end
            && (BEFORE_NAME.contains(&flow.tokens[from].word.as_str()) || flow.tokens[from].is_separator())
        {
            from += 1;
        }
        let is_person = self.schema.keys[key].normaliser == Normaliser::Person;
        let run = capital_run(flow, from, range.end, if is_person { 5 } else { 2 });
        let least = if is_person { 2 } else { 1 };
        let is_label = run.clone().any(|at| self.has_meaning(&flow.tokens[at]));
        if run.len() < least || is_label || self.has_value(key) {
            return;
        }
        self.add_mention(key, flow, run.clone());
        let address =
            self.key_in_section(self.schema.keys[key].section.clone().as_deref(), Normaliser::Address);
        let Some(address) = address.filter(|address| is_person && !self.has_value(*address)) else { return };
        let is_small =
            |at: &usize| matches!(flow.tokens[*at].word.as_str(), "of" | "en" | "at" | "from" | "de");
        let start =
            run.end + usize::from(Some(run.end).filter(|at| *at < range.end).is_some_and(|at| is_small(&at)));
        let rest = start..range.end.min(start + 16);
        let opening = flow.text(rest.start..rest.end.min(rest.start + 4));
        if !rest.is_empty() && has_street(&opening) && opening.bytes().any(|b| b.is_ascii_digit()) {
            self.add_mention(address, flow, rest);
        }
    }

    /// Finds a label in the middle of a sentence whose value is recognisable by itself.
    fn label_in_sentence(&mut self, flow: &Flow<'_>, at: usize) {
        let Some((meaning, count)) = self.labels.label_at_start(&flow.tokens[at..]) else { return };
        let (from, end) = (at + count, flow.tokens.len());
        let Some(normaliser) = meaning.key.map(|key| self.schema.keys[key].normaliser) else { return };
        match normaliser.in_sentence() {
            InSentence::BehindLabel(most) => {
                let value = from..end.min(from + most);
                if normaliser.apply_in(&flow.text(value.clone()), self.dates.order).is_some() {
                    self.add_once(normaliser, flow, value);
                }
            }
            InSentence::FiguresBehindLabel => {
                let is_figures = |at: &usize| {
                    let bare = flow.tokens[*at].text.trim_matches(|c: char| !c.is_alphanumeric());
                    !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit() || b == b'-')
                };
                let value = from..from + (from..end).take(MAX_GROUPS).take_while(is_figures).count();
                if !value.is_empty() && normaliser.apply(&flow.text(value.clone())).is_some() {
                    self.add_once(normaliser, flow, value);
                }
            }
            InSentence::CodeBehindLabel => {
                let key = meaning.key.filter(|key| !self.has_value(*key) && self.visit.is_none());
                let is_code = flow.tokens.get(from).is_some_and(|token| {
                    let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
                    digits >= MIN_CODE_DIGITS && normaliser.apply(token.text).is_some()
                });
                if let Some(key) = key.filter(|_| is_code) {
                    self.add_mention(key, flow, from..from + 1);
                }
            }
            InSentence::CapitalsBehindLabel(most) => {
                let run = kind_in_sentence(flow, capital_run(flow, from, end, most), end);
                if !run.is_empty() {
                    self.add_once(normaliser, flow, run);
                }
            }
            InSentence::No => {}
        }
    }
}

/// The words of an address in a sentence: up to the comma behind which the sentence goes on. "la calle Asalto 39, 50002
/// Zaragoza, es propietario".
fn address_in_sentence(flow: &Flow<'_>, from: usize, end: usize) -> Range<usize> {
    let is_article = |at: usize| matches!(flow.tokens[at].word.as_str(), "la" | "el" | "the");
    let start = from + usize::from(from + 1 < end && is_article(from));
    let has_digit = |at: usize| flow.tokens[at].text.bytes().any(|b| b.is_ascii_digit());
    let is_last = |at: &usize| {
        flow.tokens[*at].text.ends_with([',', ';'])
            && (start..=*at).any(has_digit)
            && flow.tokens.get(at + 1).is_some_and(|next| next.text.starts_with(char::is_lowercase))
    };
    start..(start..end).find(is_last).map_or(end, |at| at + 1)
}

/// A kind in a sentence, with the small word that belongs to it before a comma: "Braco húngaro, macho".
fn kind_in_sentence(flow: &Flow<'_>, run: Range<usize>, end: usize) -> Range<usize> {
    let is_open = |at: usize| !flow.tokens[at].text.ends_with([',', ';', '.']);
    let is_small = |token: &Token<'_>| {
        let is_word = token.text.trim_end_matches([',', ';', '.']).chars().all(char::is_lowercase);
        is_word && token.text.chars().count() > 3 && token.text.ends_with([',', ';', '.'])
    };
    let goes_on = !run.is_empty()
        && run.end < end
        && is_open(run.end - 1)
        && is_small(&flow.tokens[run.end])
        && !says_sex(&flow.tokens[run.end].word);
    run.start..run.end + usize::from(goes_on)
}

/// Capitalised words in a row, with the small words of names between them.
pub(super) fn capital_run(flow: &Flow<'_>, from: usize, end: usize, most: usize) -> Range<usize> {
    let mut last = from;
    for at in from..end.min(from + most) {
        let token = &flow.tokens[at];
        let is_name = token.is_capital() && !token.text.starts_with(|c: char| c.is_ascii_digit());
        let is_small = at > from && IN_NAME.contains(&token.word.as_str());
        if !is_name && !is_small {
            break;
        }
        if is_name {
            last = at + 1;
        }
        let is_initial = token.word.chars().count() == 1;
        if token.text.ends_with([',', ';', ')']) || (token.text.ends_with('.') && !is_initial) {
            break;
        }
    }
    from..last
}
