//! One document on its way through all pages: upload, review, conflict, search, reprocessing, processing history. The same steps
//! run in each language. Shorter tests use the keyboard only, or a key with the role `read`.

mod inbox_and_runs;
mod keyboard;
mod read_only;
mod reviewing;
mod screenshots;
mod uploading;

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::Value;

use super::review;
use crate::program::TestServer;
use crate::test_env::TestEnv;

/// The language of the pages.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    English,
    Spanish,
}

/// A person at work with a browser.
struct Walkthrough {
    env: TestEnv,
    server: TestServer,
    tab: Tab,
    language: Language,
}

impl Walkthrough {
    fn start(language: Language) -> Self {
        let env = TestEnv::on_sqlite(&[]);
        let server = env.cli.serve();
        let tab = Tab::open(&server.address);
        let mut walkthrough = Self { env, server, tab, language };
        walkthrough.tab.set_language(walkthrough.translate("en-GB", "es-ES"));
        walkthrough
    }

    /// The text in the language of the pages.
    fn translate(&self, english: &'static str, spanish: &'static str) -> &'static str {
        match self.language {
            Language::English => english,
            Language::Spanish => spanish,
        }
    }

    /// Waits until an element shows the text in the language of the pages.
    fn until_text(&mut self, selector: &str, english: &'static str, spanish: &'static str) {
        let text = self.translate(english, spanish);
        self.tab.until_text(selector, text);
    }

    /// Waits until the page with this heading has loaded.
    fn until_page(&mut self, english: &'static str, spanish: &'static str) {
        self.until_text("h1", english, spanish);
        self.tab.until("document.readyState === 'complete'");
    }

    /// Waits until the page shows that this version was saved.
    fn until_saved(&mut self, number: u32) {
        let saved = self.translate("Saved, version", "Guardado, versión");
        self.tab.until_text("#save-status", &format!("{saved} {number}"));
    }

    fn stored(&self, document: DocumentId) -> Value {
        review::stored(&self.server, document)
    }
}

async fn run(language: Language) {
    let mut walkthrough = Walkthrough::start(language);
    walkthrough.upload_documents();
    let document = walkthrough.open("luna.pdf");
    walkthrough.check_evidence(document);
    walkthrough.use_candidate(document);
    walkthrough.edit_field(document);
    walkthrough.resolve_conflict(document);
    walkthrough.mark_reviewed(document);
    walkthrough.search_document();
    walkthrough.reprocess_document(document).await;
    walkthrough.check_runs();
    walkthrough.check_operations().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_review_works_in_english() {
    run(Language::English).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_review_works_in_spanish() {
    run(Language::Spanish).await;
}
