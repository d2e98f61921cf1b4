//! Link requests: what was asked is kept, a page is requested once, and a request gets one summary.

use quire_domain::link::{ForwardMetadata, ForwardedText, SummaryLanguage};
use quire_domain::{
    EventType, Failure, Pipeline, Priority, RequeuePolicy, Run, RunChange, RunId, StepName, SubjectId,
    SummaryId,
};
use quire_ports::{
    LinkCreation, LinkFilter, LinkOwner, LinkRequest, LinkSource, NewSummary, PortError, RunWrite,
    RunWriteOutcome, SummaryFilter,
};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at, new_run};

/// A request for this page.
fn page(path: &str) -> LinkRequest {
    let normalized = format!("https://example.com/{path}");
    LinkRequest {
        dedupe_hash: hash(&normalized),
        source: LinkSource::Url { input: format!("{normalized}#part"), normalized },
        key_id: None,
        language: SummaryLanguage::Auto,
        retry_of: None,
    }
}

/// Sixty-four digits that differ with the text.
fn hash(text: &str) -> String {
    let digits = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    format!("{digits:064x}")
}

fn summary(title: &str, language: &str) -> NewSummary {
    let Value::Object(payload) = json!({"summary_250": "Short.", "summary_1000": format!("About {title}"),
        "topic_tags": ["#Ñandú", "#100%_sure"], "metadata": {"title": title, "domain": "example.com"},
        "key_stats": [{"label": "n", "value": 1.5}], "odd": "\u{0}"})
    else {
        panic!("it is an object")
    };
    NewSummary { id: SummaryId::new(), language: language.to_owned(), payload, made_by: "m".to_owned() }
}

impl StoreFixture {
    async fn create_link(&self, request: &LinkRequest, second: i64) -> LinkCreation {
        let mut new = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
        new.subject = SubjectId(new.id.0);
        self.store.links.create(&new, request, at(second)).await.unwrap()
    }

    async fn created_link(&self, request: &LinkRequest, second: i64) -> RunId {
        match self.create_link(request, second).await {
            LinkCreation::Created(run) => run.id,
            duplicate @ LinkCreation::Duplicate(_) => panic!("{duplicate:?}"),
        }
    }

    async fn duplicate_of(&self, request: &LinkRequest, second: i64) -> RunId {
        match self.create_link(request, second).await {
            LinkCreation::Duplicate(earlier) => earlier.run.id,
            created @ LinkCreation::Created(_) => panic!("{created:?}"),
        }
    }

    async fn write_summary(&self, run: &Run, summary: NewSummary) -> RunWriteOutcome {
        let write = step_write(run, &[EventType::StepSucceeded], StepName::LinkSummarization, run.created_at);
        self.store.queue.write(RunWrite { summary: Some(summary), ..write }).await.unwrap()
    }

    /// Claims the only run that waits.
    async fn claimed_link(&self, id: RunId, second: i64) -> Run {
        let worker = self.worker(at(second)).await;
        let run = self.claim_one(worker, at(second)).await.run;
        assert_eq!(run.id, id);
        run
    }

    /// Creates a request that gets this summary.
    async fn summarised(&self, request: &LinkRequest, summary: NewSummary, second: i64) -> RunId {
        let id = self.created_link(request, second).await;
        let run = self.claimed_link(id, second).await;
        assert_eq!(self.write_summary(&run, summary).await, RunWriteOutcome::Accepted(Vec::new()));
        self.store.queue.write(transition_write(&run, RunChange::Complete, at(second + 1))).await.unwrap();
        id
    }

    async fn fail_link(&self, id: RunId, second: i64) -> Run {
        let run = self.claimed_link(id, second).await;
        let failure = Failure::permanent("EXTRACTION_FAILED", "no");
        let fail = RunChange::Fail { step: StepName::LinkExtraction, failure, requeue: RequeuePolicy::Never };
        self.store.queue.write(transition_write(&run, fail, at(second + 1))).await.unwrap();
        run
    }
}

/// Every member of a request is kept.
pub async fn what_was_asked_of_a_link_is_kept_and_a_repeated_request_changes_nothing(fixture: &StoreFixture) {
    let links = &fixture.store.links;
    let more = Map::from_iter([("title".to_owned(), json!("Canal “ñ”"))]);
    let metadata = ForwardMetadata { from_chat_id: Some(-100), from_message_id: Some(7), more };
    let forward = LinkRequest {
        source: LinkSource::Forward(ForwardedText {
            text: "A text — with “quotes”".to_owned(), metadata
        }),
        dedupe_hash: hash("forward"),
        key_id: Some(Uuid::now_v7()),
        language: SummaryLanguage::Spanish,
        retry_of: Some(RunId::new()),
    };
    for (request, second) in [(page("a"), 1), (forward, 2)] {
        let new = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
        let created = links.create(&new, &request, at(second)).await.unwrap();
        let again = links.create(&new, &request, at(second + 1)).await.unwrap();
        assert_eq!(created, again);
        let found = links.request(new.id).await.unwrap();
        assert_eq!((LinkCreation::Created(Box::new(found.run)), found.request), (created, request));
        assert_eq!(found.summary, None);
    }
    assert_eq!((fixture.count("runs").await, fixture.count("link_requests").await), (2, 2));
    let document = fixture.enqueue(SubjectId::new(), at(7)).await;
    for unknown in [document, RunId::new()] {
        assert!(matches!(links.request(unknown).await, Err(PortError::NotFound(_))));
    }
    assert!(matches!(links.summary(SummaryId::new()).await, Err(PortError::NotFound(_))));
}

/// Proves R191.
pub async fn a_page_is_requested_once_until_its_request_fails_or_its_summary_is_deleted(
    fixture: &StoreFixture,
) {
    let first = fixture.created_link(&page("a"), 0).await;
    assert_eq!(fixture.duplicate_of(&page("a"), 1).await, first, "it waits in the queue");
    let other = LinkRequest { key_id: Some(Uuid::now_v7()), ..page("a") };
    fixture.fail_link(first, 2).await;
    let second = fixture.created_link(&page("a"), 4).await;
    let run = fixture.claimed_link(second, 5).await;
    assert_eq!(fixture.duplicate_of(&page("a"), 6).await, second, "it is being processed");
    let made = summary("A", "en");
    fixture.write_summary(&run, made.clone()).await;
    fixture.store.queue.write(transition_write(&run, RunChange::Complete, at(7))).await.unwrap();
    let LinkCreation::Duplicate(earlier) = fixture.create_link(&page("a"), 8).await else {
        panic!("it is summarised")
    };
    assert_eq!(earlier.run.id, second);
    assert_eq!(earlier.summary.map(|summary| summary.content), Some(made.clone()));
    assert_eq!(fixture.count("runs").await, 2);
    let of_other = fixture.created_link(&other, 9).await;
    assert_eq!(fixture.duplicate_of(&other, 10).await, of_other, "another client has its own");
    fixture.store.links.delete_summary(made.id, at(11)).await.unwrap();
    let third = fixture.created_link(&page("a"), 12).await;
    assert_ne!(third, second);
}

/// Proves R191: also for clients at the same time.
pub async fn concurrent_requests_for_the_same_page_make_one_run(fixture: &StoreFixture) {
    let mut tasks = JoinSet::new();
    for index in 0..24 {
        let links = fixture.store.links.clone();
        tasks.spawn(async move {
            let mut new = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
            new.subject = SubjectId(new.id.0);
            match links.create(&new, &page(&format!("{}", index % 3)), at(0)).await.unwrap() {
                LinkCreation::Created(run) => (run.id, true),
                LinkCreation::Duplicate(earlier) => (earlier.run.id, false),
            }
        });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|(_, created)| *created).count(), 3);
    let mut named: Vec<RunId> = answers.into_iter().map(|(run, _)| run).collect();
    named.sort();
    named.dedup();
    assert_eq!(named.len(), 3, "a duplicate names the run that was created");
    assert_eq!(fixture.count("runs").await, 3);
}

/// Proves R180.
pub async fn a_request_gets_one_summary_with_the_success_of_its_step(fixture: &StoreFixture) {
    let id = fixture.created_link(&page("a"), 0).await;
    let run = fixture.claimed_link(id, 1).await;
    let first = summary("First", "en");
    assert_eq!(fixture.write_summary(&run, first.clone()).await, RunWriteOutcome::Accepted(Vec::new()));
    assert_eq!(
        fixture.write_summary(&run, summary("Second", "es")).await,
        RunWriteOutcome::Accepted(Vec::new())
    );
    assert_eq!(fixture.count("summaries").await, 1);
    let found = fixture.store.links.request(id).await.unwrap();
    let stored = found.summary.clone().unwrap();
    assert_eq!((&stored.content, stored.version), (&first, 1));
    assert_eq!((stored.is_read, stored.deleted_at, stored.created_at), (false, None, run.created_at));
    assert_eq!(fixture.store.links.summary(first.id).await.unwrap(), found);
}

/// Proves R196: a worker that has lost its run stores no summary.
pub async fn a_late_write_stores_no_summary(fixture: &StoreFixture) {
    let id = fixture.created_link(&page("a"), 0).await;
    let run = fixture.fail_link(id, 1).await;
    assert_eq!(fixture.write_summary(&run, summary("Late", "en")).await, RunWriteOutcome::Refused);
    assert_eq!(fixture.count("summaries").await, 0);
}

/// Lists have what every filter says.
pub async fn summaries_are_listed_by_every_filter(fixture: &StoreFixture) {
    let owner = Uuid::now_v7();
    let one = fixture.summarised(&page("1"), summary("Uno", "es"), 0).await;
    let mine = LinkRequest { key_id: Some(owner), ..page("2") };
    let two = fixture.summarised(&mine, summary("Two 50%", "en"), 10).await;
    let hidden = summary("Hidden", "en");
    fixture.summarised(&page("3"), hidden.clone(), 20).await;
    let read = fixture.store.links.request(one).await.unwrap().summary.unwrap().content.id;
    fixture.store.links.set_read(read, true).await.unwrap();
    fixture.store.links.delete_summary(hidden.id, at(30)).await.unwrap();
    let listed = async |filter: SummaryFilter| {
        let page = fixture.store.links.summaries(&filter).await.unwrap();
        (page.items.iter().map(|item| item.run.id).collect::<Vec<_>>(), page.total, page.unread)
    };
    let all = SummaryFilter { limit: 20, ..SummaryFilter::default() };
    let text = |text: &str| SummaryFilter { text: Some(text.to_owned()), ..all.clone() };
    let cases = [
        (all.clone(), vec![two, one]),
        (SummaryFilter { oldest_first: true, ..all.clone() }, vec![one, two]),
        (SummaryFilter { is_read: Some(true), ..all.clone() }, vec![one]),
        (SummaryFilter { is_read: Some(false), ..all.clone() }, vec![two]),
        (SummaryFilter { language: Some("es".to_owned()), ..all.clone() }, vec![one]),
        (SummaryFilter { created_from: Some(at(10)), ..all.clone() }, vec![two]),
        (SummaryFilter { created_until: Some(at(9)), ..all.clone() }, vec![one]),
        (text("ABOUT uno"), vec![one]),
        (text("ñandú"), vec![two, one]),
        (text("50%"), vec![two]),
        (text("5_%"), vec![]),
        (text("example.com"), vec![two, one]),
    ];
    for (filter, expected) in cases {
        let total = expected.len() as u64;
        assert_eq!(listed(filter.clone()).await, (expected, total, 1), "{filter:?}");
    }
    let own = SummaryFilter { owner: LinkOwner::Key(owner), ..all.clone() };
    assert_eq!(listed(own).await, (vec![two], 1, 1));
    let stranger = SummaryFilter { owner: LinkOwner::Key(Uuid::now_v7()), ..all.clone() };
    assert_eq!(listed(stranger).await, (vec![], 0, 0));
    let second = SummaryFilter { limit: 1, offset: 1, ..all.clone() };
    assert_eq!(listed(second).await, (vec![one], 2, 1));

    let waiting = fixture.created_link(&page("4"), 40).await;
    let requests = async |filter: LinkFilter| {
        let (page, total) = fixture.store.links.requests(&filter).await.unwrap();
        (page.iter().map(|item| item.run.id).collect::<Vec<_>>(), total)
    };
    let newest = LinkFilter { limit: 2, ..LinkFilter::default() };
    let (listed, total) = requests(newest.clone()).await;
    assert_eq!((listed[0], total), (waiting, 4));
    assert_eq!(requests(LinkFilter { states: vec!["QUEUED"], ..newest.clone() }).await, (vec![waiting], 1));
    assert_eq!(requests(LinkFilter { owner: LinkOwner::Key(owner), ..newest }).await, (vec![two], 1));
}

/// A summary is marked as read and deleted; its content stays.
pub async fn a_summary_is_marked_and_deleted_and_its_content_never_changes(fixture: &StoreFixture) {
    let made = summary("A", "en");
    let run = fixture.summarised(&page("a"), made.clone(), 0).await;
    let links = &fixture.store.links;
    for is_read in [true, true, false] {
        links.set_read(made.id, is_read).await.unwrap();
        assert_eq!(links.request(run).await.unwrap().summary.unwrap().is_read, is_read);
    }
    links.delete_summary(made.id, at(9)).await.unwrap();
    let deleted = links.summary(made.id).await.unwrap().summary.unwrap();
    assert_eq!((deleted.deleted_at, deleted.content), (Some(at(9)), made.clone()));
    for id in [made.id, SummaryId::new()] {
        assert!(matches!(links.set_read(id, true).await, Err(PortError::NotFound(_))));
        assert!(matches!(links.delete_summary(id, at(10)).await, Err(PortError::NotFound(_))));
    }
    let kept = "the content of a summary is kept";
    fixture
        .assert_refused(&["UPDATE summaries SET json_payload = '{}'", "DELETE FROM summaries"], kept)
        .await;
    let asked = "what was asked of a run is kept";
    fixture
        .assert_refused(&["UPDATE link_requests SET language = 'en'", "DELETE FROM link_requests"], asked)
        .await;
}

/// A purge leaves nothing of a request, and the page can be requested again.
pub async fn purging_a_link_deletes_its_request_and_its_summary(fixture: &StoreFixture) {
    let first = fixture.summarised(&page("a"), summary("A", "en"), 0).await;
    fixture.summarised(&page("b"), summary("B", "en"), 10).await;
    let subject = fixture.run(first).await.subject;
    fixture.store.documents.purge(subject, at(20)).await.unwrap();
    for table in ["runs", "link_requests", "link_hashes", "summaries"] {
        assert_eq!(fixture.count(table).await, 1, "{table}");
    }
    fixture.created_link(&page("a"), 30).await;
}
