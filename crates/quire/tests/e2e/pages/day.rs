//! A day with the pages: one document from the moment it is dropped to its timeline, with all that a person does to it between.
//! The same story is told in each language; shorter ones are told with the keyboard alone, and by somebody who may only look.

mod correcting;
mod finding;
mod keyboard;
mod pictures;
mod reader;
mod taking_in;

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::Value;

use super::review;
use crate::program::TestServer;
use crate::test_env::TestEnv;

/// In which language a story is told.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    English,
    Spanish,
}

/// Somebody at work.
struct Day {
    scene: TestEnv,
    server: TestServer,
    tab: Tab,
    language: Language,
}

impl Day {
    fn begin(language: Language) -> Self {
        let scene = TestEnv::on_sqlite(&[]);
        let server = scene.cli.serve();
        let tab = Tab::open(&server.address);
        let mut day = Self { scene, server, tab, language };
        day.tab.speak(day.say("en-GB", "es-ES"));
        day
    }

    /// What is said in the language of the story.
    fn say(&self, english: &'static str, spanish: &'static str) -> &'static str {
        match self.language {
            Language::English => english,
            Language::Spanish => spanish,
        }
    }

    /// Looks until something of this selector says that in the language of the story.
    fn sees(&mut self, selector: &str, english: &'static str, spanish: &'static str) {
        let text = self.say(english, spanish);
        self.tab.until_text(selector, text);
    }

    /// Looks until the page with this heading is there, with its scripts.
    fn arrives_at(&mut self, english: &'static str, spanish: &'static str) {
        self.sees("h1", english, spanish);
        self.tab.until("document.readyState === 'complete'");
    }

    /// Looks until the page says that this version was saved.
    fn is_told_of_version(&mut self, number: u32) {
        let saved = self.say("Saved, version", "Guardado, versión");
        self.tab.until_text("#said", &format!("{saved} {number}"));
    }

    fn stored(&self, document: DocumentId) -> Value {
        review::stored(&self.server, document)
    }
}

async fn told(language: Language) {
    let mut day = Day::begin(language);
    day.drops_documents();
    let document = day.opens("luna.pdf");
    day.looks_at_evidence(document);
    day.takes_a_candidate(document);
    day.edits_a_field(document);
    day.meets_somebody_faster(document);
    day.marks_it_as_reviewed(document);
    day.finds_it_again();
    day.has_it_processed_again(document).await;
    day.reads_its_timeline();
    day.looks_at_operations().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_in_english() {
    told(Language::English).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_in_spanish() {
    told(Language::Spanish).await;
}
