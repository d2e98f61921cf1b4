//! Sentences that say who the subject is and whose it is: "Remito a Lúa, perra de raza Border Collie", "Bóxer macho de 7 años".

use std::ops::Range;

use super::FieldFinder;
use super::candidate::ValueCandidate;
use super::flow::Flow;
use super::prose::{MAX_TEXT_WORDS, capital_run};
use super::signature::is_title;
use crate::Normaliser;
use crate::normal::DateOrder;
use crate::normal::date::date_at_start;
use crate::normal::{
    facts_in_signalment, is_age_unit, is_age_word, kind_before, kind_behind, says_kind, says_sex,
};

/// The latest candidates among which the name of the subject is looked for.
const MAX_LATEST: usize = 60;
/// Words for the subject that are no names.
const PRONOUNS: [&str; 12] =
    ["he", "she", "it", "this", "er", "sie", "es", "il", "elle", "hij", "zij", "ele"];
/// The fewest facts of a sentence that introduces the subject without its name, and the words among which they stand.
const MIN_FACTS: usize = 3;
const MAX_WORDS_OF_FACTS: usize = 8;
/// Words before the day of a birth.
const BIRTH_WORDS: [&str; 9] = ["n", "nac", "nacido", "nacida", "born", "dob", "fn", "ne", "nee"];
/// Marks around a name.
const QUOTES: [char; 5] = ['"', '“', '”', '\'', '’'];

impl FieldFinder<'_> {
    /// The sentence about the subject that starts with its name at this word: "Jasper, a 7-year-old". A label such as
    /// "raza" or "microchip" says the same.
    pub(super) fn subject_sentence(&mut self, flow: &Flow<'_>, at: usize) -> Option<Range<usize>> {
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
        // The town behind a postcode is no name.
        let is_town = at > 0 && flow.tokens[at - 1].word.bytes().any(|b| b.is_ascii_digit());
        let is_named = token.is_capital()
            && !is_town
            && (token.text.ends_with(',') || is_told || is_first || is_quoted || is_full)
            && token.text.chars().any(char::is_alphabetic)
            && !PRONOUNS.contains(&token.word.as_str())
            && !says_kind(&token.word);
        // "La gata Ramona, de 10 años".
        let is_behind_kind = at > 0 && token.text.ends_with(',') && says_kind(&flow.tokens[at - 1].word);
        let has_kind = is_behind_kind
            || flow.tokens[at + 1..end]
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
    pub(super) fn fact_in_sentence(&mut self, flow: &Flow<'_>, at: usize, sentence: &Range<usize>) {
        let token = &flow.tokens[at];
        for key in 0..self.schema.keys.len() {
            if self.schema.keys[key].normaliser.is_word(&token.word) && !self.has_value(key) {
                self.add_mention(key, flow, at..at + 1);
            }
        }
        if BIRTH_WORDS.contains(&token.word.as_str()) {
            let day = (at + 1..sentence.end.min(at + 3))
                .find_map(|day| Some((day, date_at_any_year(flow, day, self.dates.order)?)));
            if let Some((day, count)) = day {
                self.add_once(Normaliser::BirthDate, flow, day..day + count);
            }
        }
        let status = self.status_key().filter(|key| !self.has_value(*key));
        if let Some(status) = status.filter(|key| self.schema.keys[*key].cues.contains(&token.word)) {
            let text = token.text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
            let spans = flow.spans(at..at + 1);
            self.add_unlabelled(Some(status), &spans[0], Some(&text), "beside_sex");
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

    /// A sentence that says what the subject is without its name: "Bóxer macho de 7 años".
    pub(super) fn facts_without_name(&mut self, flow: &Flow<'_>) {
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

    /// The person with whose title and name a sentence starts, if it goes on about them: "D. Fernando Lahoz Abad, con domicilio
    /// en la calle Asalto 39, es propietario de …".
    pub(super) fn person_at_start(&mut self, flow: &Flow<'_>, at: usize) {
        let Some(key) = self.key_in_section(self.roles.person, Normaliser::Person) else { return };
        if !is_title(&flow.tokens[at].word) || self.visit.is_some() || self.has_value(key) {
            return;
        }
        let end = flow.sentence_end(at);
        let run = capital_run(flow, at + 1, end, 5);
        let behind = run.end..end.min(run.end + MAX_TEXT_WORDS);
        let is_about = |at: usize| {
            self.layout.count_step();
            let lead_in = self.labels.lead_in_at_start(&flow.tokens[at..end]).map(|(key, _)| key);
            let label =
                self.labels.label_at_start(&flow.tokens[at..end]).and_then(|(meaning, _)| meaning.key);
            let section = lead_in.or(label).and_then(|key| self.schema.keys[key].section.as_deref());
            section.is_some() && section == self.roles.person
        };
        if run.len() > 1 && behind.into_iter().any(is_about) {
            self.add_mention(key, flow, run);
        }
    }
}

/// How many words a date takes that may be a day of birth.
fn date_at_any_year(flow: &Flow<'_>, at: usize, order: DateOrder) -> Option<usize> {
    let words: Vec<&str> = flow.tokens.get(at..)?.iter().take(6).map(|token| token.text).collect();
    date_at_start(&words, order).map(|(_, count)| count)
}

/// The place behind the comma before a word, if the word follows it.
fn clause_start(flow: &Flow<'_>, at: usize) -> usize {
    let is_behind = at > 0 && flow.tokens[at - 1].text.ends_with([',', ';', '(']);
    if is_behind { at } else { 0 }
}
