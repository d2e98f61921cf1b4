//! A made set: thirty documents with queries that people wrote, among two thousand others that a generator makes.
//!
//! Each of these is about three things, any of which can be said in two ways, and has a person and a number. Many documents share each
//! thing and each name, so that a query has to tell its document from others that are much like it.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde::Deserialize;

use super::set::{RetrievalSet, SetDocument, SetQuery};

/// Documents that are made.
const DOCUMENTS: usize = 2_000;
/// Every document with this place is asked for, in one way after the other.
const ASKED: usize = 10;
/// The kinds of queries of the thirty documents, in the order of their file.
const WRITTEN: [&str; 4] = ["paraphrases", "slips", "names", "numbers"];

#[derive(Deserialize)]
struct Question {
    text: String,
    /// One query of each kind.
    queries: [String; 4],
}

/// What documents of a language are made of.
#[derive(Deserialize)]
struct Language {
    code: String,
    frames: Vec<String>,
    fillers: Vec<String>,
    first: Vec<String>,
    last: Vec<String>,
    /// Things, each said in two ways.
    concepts: Vec<[String; 2]>,
}

/// What a made document says.
struct Facts {
    language: usize,
    name: (usize, usize),
    number: String,
    /// The things, and in which way they are said.
    concepts: [(usize, usize); 3],
}

/// The set. It is the same each time.
pub fn made() -> RetrievalSet {
    let mut set = RetrievalSet { name: "made".to_owned(), documents: Vec::new(), queries: Vec::new() };
    let questions: Vec<Question> = serde_json::from_str(include_str!("questions.json")).unwrap();
    for (place, question) in questions.into_iter().enumerate() {
        set.documents.push(SetDocument::new(&question.text));
        for (kind, text) in WRITTEN.into_iter().zip(question.queries) {
            set.queries.push(SetQuery { kind, text, relevant: HashMap::from([(place, 1.0)]) });
        }
    }
    let languages: Vec<Language> = serde_json::from_str(include_str!("made.json")).unwrap();
    let mut random = StdRng::seed_from_u64(17);
    let facts: Vec<Facts> = (0..DOCUMENTS).map(|place| Facts::new(place, &languages, &mut random)).collect();
    let first = set.documents.len();
    for facts in &facts {
        let language = &languages[facts.language];
        let text = facts.text(language, &mut random);
        set.documents.push(SetDocument { language: Some(language.code.clone()), ..SetDocument::new(&text) });
    }
    for asked in facts.iter().step_by(ASKED) {
        let language = &languages[asked.language];
        let others = |things: &[(usize, usize)], with_name: bool| {
            let has = |other: &Facts| {
                let has_thing =
                    |thing: &(usize, usize)| other.concepts.iter().any(|(concept, _)| *concept == thing.0);
                other.language == asked.language
                    && things.iter().all(has_thing)
                    && (!with_name || other.name.1 == asked.name.1)
            };
            let places = facts.iter().enumerate().filter(|(_, other)| has(other));
            places.map(|(place, _)| (first + place, 1.0)).collect::<HashMap<_, _>>()
        };
        let otherwise = |(concept, way): (usize, usize)| language.concepts[concept][1 - way].as_str();
        let [one, two, three] = asked.concepts;
        let mut ask = |kind, text, relevant| set.queries.push(SetQuery { kind, text, relevant });
        ask("paraphrases", [otherwise(one), otherwise(two)].join(", "), others(&[one, two], false));
        let said = |(concept, way): (usize, usize)| language.concepts[concept][way].as_str();
        let slips = [said(one), said(two)].map(|text| misspelt(text, &mut random)).join(" ");
        ask("slips", slips, others(&[one, two], false));
        let name = asked.name(language);
        let same = facts
            .iter()
            .enumerate()
            .filter(|(_, other)| other.language == asked.language && other.name == asked.name);
        ask("names", name, same.map(|(place, _)| (first + place, 1.0)).collect());
        let numbered = facts.iter().enumerate().filter(|(_, other)| other.number == asked.number);
        ask("numbers", asked.number.clone(), numbered.map(|(place, _)| (first + place, 1.0)).collect());
        let mixed = format!("{} {}", language.last[asked.name.1], otherwise(three));
        ask("name and paraphrase", mixed, others(&[three], true));
    }
    set
}

impl Facts {
    fn new(place: usize, languages: &[Language], random: &mut StdRng) -> Self {
        let language = place % languages.len();
        let made_of = &languages[language];
        let things: Vec<usize> = (0..made_of.concepts.len()).collect();
        let chosen: Vec<usize> = things.sample(random, 3).copied().collect();
        Self {
            language,
            name: (random.random_range(0..made_of.first.len()), random.random_range(0..made_of.last.len())),
            number: format!("{}-{}", random.random_range(2015..2025), random.random_range(10_000..100_000)),
            concepts: [0, 1, 2].map(|thing| (chosen[thing], random.random_range(0..2))),
        }
    }

    fn name(&self, language: &Language) -> String {
        format!("{} {}", language.first[self.name.0], language.last[self.name.1])
    }

    fn text(&self, language: &Language, random: &mut StdRng) -> String {
        let [one, two, three] = self.concepts.map(|(concept, way)| language.concepts[concept][way].as_str());
        let frame = language.frames.choose(random).unwrap();
        let text = frame.replace("{name}", &self.name(language)).replace("{number}", &self.number);
        let text = text.replace("{one}", one).replace("{two}", two).replace("{three}", three);
        let fillers: Vec<&str> = language.fillers.sample(random, 3).map(String::as_str).collect();
        format!("{text} {}", fillers.join(" "))
    }
}

/// The text with two letters swapped in its longest word.
fn misspelt(text: &str, random: &mut StdRng) -> String {
    let longest = text.split(' ').max_by_key(|word| word.chars().count()).unwrap();
    let mut letters: Vec<char> = longest.chars().collect();
    let place = random.random_range(1..letters.len() - 2);
    letters.swap(place, place + 1);
    text.replace(longest, &letters.into_iter().collect::<String>())
}
