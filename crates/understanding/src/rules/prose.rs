//! Finds values in whole sentences: "Remito a Lúa, perra de raza Border Collie, con microchip 941…", "She was admitted on
//! 2 February 2024 because of …". The lead-ins of the schema tell what follows; the form of the value tells where it ends.

use std::ops::Range;

use super::candidate::{Provenance, ValueCandidate};
use super::flow::Flow;
use super::labelled::has_weight_unit;
use super::layout::Token;
use super::value_position::TokenSpan;
use super::visit_start::{self, VisitStartKind};
use super::{FieldFinder, UNLABELLED_RANK};
use crate::normal::{
    InSentence, facts_in_signalment, has_street, is_age_unit, is_age_word, kind_before, kind_behind,
    says_kind, says_sex,
};
use crate::{Normaliser, Scope};

/// The latest candidates among which the name of the subject is looked for.
const MAX_LATEST: usize = 60;
/// The shortest paragraph that counts as prose, in words.
const MIN_WORDS: usize = 6;
/// The longest text behind a lead-in, in words.
const MAX_TEXT_WORDS: usize = 40;
/// The most words between a word for an arrival and its date.
pub(super) const MAX_WORDS_TO_DATE: usize = 8;
/// Words between the label of a weight and its value.
const LINKING_WORDS: [&str; 11] =
    ["era", "es", "fue", "de", "actual", "is", "was", "of", "today", "hoy", "aproximado"];
/// Words that stand between a lead-in and a name.
const BEFORE_NAME: [&str; 30] = [
    "d", "da", "dna", "don", "dona", "sr", "sra", "mr", "mrs", "ms", "dr", "dra", "el", "la", "the", "es",
    "mme", "mlle", "monsieur", "madame", "herr", "herrn", "frau", "sig", "sigra", "signora", "signor",
    "mevr", "mevrouw", "dhr",
];
/// Words for the subject that are no names.
const PRONOUNS: [&str; 12] =
    ["he", "she", "it", "this", "er", "sie", "es", "il", "elle", "hij", "zij", "ele"];
/// Small words within names.
const IN_NAME: [&str; 8] = ["de", "del", "la", "los", "las", "van", "von", "di"];
/// Words that join two clauses and belong to neither.
const CONNECTORS: [&str; 20] = [
    "and", "y", "e", "se", "le", "was", "were", "fue", "he", "she", "it", "we", "then", "who", "que", "has",
    "been", "on", "el", "a",
];
/// The fewest facts of a sentence that introduces the subject without its name, and the words among which they stand.
const MIN_FACTS: usize = 3;
const MAX_WORDS_OF_FACTS: usize = 8;
/// Marks around a name.
const QUOTES: [char; 5] = ['"', '“', '”', '\'', '’'];
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
            self.read_flow(&flow);
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
            if is_start {
                self.visits_of_sentence(flow, at);
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

    /// A sentence that says what the subject is without its name: "Bóxer macho de 7 años".
    fn facts_without_name(&mut self, flow: &Flow<'_>) {
        if self.visit.is_some() || self.is_in_history || self.roles.subject.is_none() {
            return;
        }
        let end = flow.sentence_end(0).min(MAX_WORDS_OF_FACTS);
        let words: Vec<&str> = flow.tokens[..end].iter().map(|token| token.text).collect();
        let facts = facts_in_signalment(&words);
        // "Milo, perro macho" starts with a name.
        let starts = matches!(&facts[..], [(_, first), (_, second), ..]
            if first.start == 0 && first.end == second.start && !words[first.end - 1].ends_with([',', ';']));
        if facts.len() < MIN_FACTS || !starts {
            return;
        }
        for (normaliser, range) in facts {
            self.add_once(normaliser, flow, range);
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
        let provenance = Provenance {
            rank: UNLABELLED_RANK,
            mapping: "fallback::sentence".to_owned(),
            label: None,
            text: None,
        };
        self.add_candidate(key, &flow.spans(range), provenance)
    }

    fn add_once(&mut self, normaliser: Normaliser, flow: &Flow<'_>, range: Range<usize>) {
        let key = self.schema.keys.iter().position(|key| key.normaliser == normaliser);
        if let Some(key) = key.filter(|key| !self.has_value(*key)) {
            self.add_mention(key, flow, range);
        }
    }

    /// The sentence about the subject that starts with its name at this word: "Jasper, a 7-year-old". A label such as
    /// "raza" or "microchip" says the same.
    fn subject_sentence(&mut self, flow: &Flow<'_>, at: usize) -> Option<Range<usize>> {
        let token = &flow.tokens[at];
        let end = flow.sentence_end(at);
        if let Some((meaning, _)) = self.labels.label_at_start(&flow.tokens[at..])
            && meaning.key.is_some_and(|key| self.schema.keys[key].normaliser.marks_subject())
        {
            self.facts_before(flow, at, end);
            return Some(at..end);
        }
        // "Lúa, perra de raza …", "Kira es una gata".
        let is_start = at == 0 || flow.ends_sentence(at - 1);
        let next = flow.tokens.get(at + 1).map_or("", |next| next.word.as_str());
        let is_told = is_start && matches!(next, "es" | "is" | "era" | "was");
        // "Oscar (male neutered Maine Coon, born 10/02/2020)" at the start of a text.
        let opens_brackets = flow.tokens.get(at + 1).is_some_and(|next| next.text.starts_with('('));
        let is_first = at == 0 && (opens_brackets || token.text.ends_with(','));
        // "Barnaby Hartnoll, male entire Springer Spaniel": the second is the name of a family. "Ziggy" in quotes is the name.
        let is_quoted = is_start && token.text.starts_with(QUOTES) && token.text.ends_with(QUOTES);
        let is_full = is_start
            && flow.tokens.get(at + 1).is_some_and(|next| next.is_capital() && next.text.ends_with(','));
        let is_second = at > 0 && (at == 1 || flow.ends_sentence(at - 2)) && flow.tokens[at - 1].is_capital();
        if is_second && token.text.ends_with(',') {
            return None;
        }
        let is_first = is_first || (is_full && at == 0);
        let is_named = token.is_capital()
            && (token.text.ends_with(',') || is_told || is_first || is_quoted || is_full)
            && token.text.chars().any(char::is_alphabetic)
            && !PRONOUNS.contains(&token.word.as_str());
        let has_kind = flow.tokens[at + 1..end]
            .iter()
            .take(if is_quoted || is_full { 6 } else { 5 })
            .any(|token| says_kind(&token.word) || (is_first && says_sex(&token.word)));
        if !is_named || !has_kind {
            return None;
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser.names_subject())?;
        if !self.has_value(key) && !self.has_meaning(token) {
            self.add_mention(key, flow, at..at + 1);
        }
        self.facts_before(flow, at, end);
        Some(at + 1..end)
    }

    /// Facts about the subject between the start of the sentence and this word: "la perra Duna, de raza …".
    fn facts_before(&mut self, flow: &Flow<'_>, at: usize, end: usize) {
        let starts = (0..at).rev().take(24).find(|before| flow.ends_sentence(*before));
        let start = starts.map_or(at.saturating_sub(24), |before| before + 1);
        for earlier in start..at {
            self.layout.count_step();
            self.fact_in_sentence(flow, earlier, &(start..end));
        }
    }

    /// A fact about the subject: a word that is a value by itself, an age, or a breed behind it.
    fn fact_in_sentence(&mut self, flow: &Flow<'_>, at: usize, sentence: &Range<usize>) {
        let token = &flow.tokens[at];
        for key in 0..self.schema.keys.len() {
            if self.schema.keys[key].normaliser.is_word(&token.word) && !self.has_value(key) {
                self.add_mention(key, flow, at..at + 1);
            }
        }
        let next = flow.tokens.get(at + 1).map_or("", |next| next.word.as_str());
        let is_number = !token.word.is_empty() && token.word.bytes().all(|b| b.is_ascii_digit());
        let is_age = is_age_word(&token.word);
        if is_age || (is_number && is_age_unit(next)) {
            let count = if is_age { 1 } else { 2 };
            self.add_once(Normaliser::Age, flow, at..at + count);
        }
        // "a 7-year-old male neutered Labrador Retriever": capitals behind lower-case words of the same clause.
        let before = at.checked_sub(1).filter(|before| *before >= sentence.start);
        let kind = before.and_then(|before| {
            let before = &flow.tokens[before];
            kind_behind(&before.word).filter(|_| !before.text.ends_with([',', '.', ';']))
        });
        let is_name = token.is_capital() && !token.text.starts_with(|c: char| c.is_ascii_digit());
        if let Some(kind) = kind.filter(|_| is_name) {
            let run = capital_run(flow, at, sentence.end, 4);
            // "5-year-old MN French Bulldog".
            let is_sex =
                run.len() > 1 && token.text.len() <= 3 && Normaliser::Sex.apply(token.text).is_some();
            let run = if is_sex { run.start + 1..run.end } else { run };
            if is_sex {
                self.add_once(Normaliser::Sex, flow, at..at + 1);
            }
            // "La perra Duna, de raza": the name of the subject is no breed.
            let words = flow.text(run.clone());
            let is_subject = |candidate: &ValueCandidate| {
                self.schema.keys[candidate.key].normaliser.names_subject() && candidate.raw == words
            };
            if !self.candidates.iter().rev().take(MAX_LATEST).any(is_subject) {
                self.add_once(kind, flow, run);
            }
        }
        // "British Shorthair cat": capitals before the word for the animal.
        if is_name && at == sentence.start.max(clause_start(flow, at)) {
            let run = capital_run(flow, at, sentence.end, 4);
            let next = flow.tokens.get(run.end).map_or("", |next| next.word.as_str());
            let is_open = !flow.tokens[run.end - 1].text.ends_with([',', ';']);
            if let Some(kind) = kind_before(next).filter(|_| is_open) {
                self.add_once(kind, flow, run);
            }
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
        let value = (1..=2).map(|count| from..from + count).find(|value| {
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
                let end = end.min(from + 16);
                if !self.has_value(key) {
                    self.add_mention(key, flow, from..end);
                }
            }
            Normaliser::Text if schema_key.scope == Scope::Visit => {
                let value = self.clause(flow, from, end);
                if !value.is_empty() && self.add_mention(key, flow, value.clone()) {
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
            let is_date = key.scope == Scope::Metadata && key.normaliser == Normaliser::Date;
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
            InSentence::CapitalsBehindLabel(most) => {
                let run = capital_run(flow, from, end, most);
                if !run.is_empty() {
                    self.add_once(normaliser, flow, run);
                }
            }
            InSentence::No => {}
        }
    }
}

/// The place behind the comma before a word, if the word follows it.
fn clause_start(flow: &Flow<'_>, at: usize) -> usize {
    let is_behind = at > 0 && flow.tokens[at - 1].text.ends_with([',', ';', '(']);
    if is_behind { at } else { 0 }
}

/// Capitalised words in a row, with the small words of names between them.
fn capital_run(flow: &Flow<'_>, from: usize, end: usize, most: usize) -> Range<usize> {
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
