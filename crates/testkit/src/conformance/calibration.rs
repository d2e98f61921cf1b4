//! Calibration counts: each review adds to them, and reopening a document reverts its part.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use quire_domain::{DocumentId, ReviewStatus, RunId};
use quire_ports::{CalibrationFilter, CalibrationQuery, EditBlocked, FieldReliability, ReviewMarkRequest};
use quire_understanding::calibration::{
    BINS, ConfidencePolicy, ReviewCounts, ReviewSignals, SignalDirection, Standing,
};
use quire_understanding::edit::EditOperation;
use quire_understanding::{Field, Origin, Value, ValueType};

use super::interpretations::{CONTEXT, add_field, edit, set_value};
use super::random_history::SeededRandom;
use crate::fixture::{StoreFixture, at};

/// A field that the rules found by its label.
pub(super) fn labelled_field(key: &str, value: &str, confidence: f64) -> Field {
    let value = Value::Text(value.to_owned());
    let field = Field::new(key, value, ValueType::String, Origin::Machine, confidence);
    Field { mapping_id: Some(format!("label::{key}")), ..field }
}

/// The fields of a record: two with a value and one without.
fn record() -> Vec<Field> {
    vec![
        labelled_field("pet_name", "Luna", 0.66),
        labelled_field("species", "canina", 0.5),
        labelled_field("notes", " ", 0.66),
    ]
}

async fn mark(fixture: &StoreFixture, document: DocumentId, to: ReviewStatus, second: i64) -> bool {
    let request = fixture.review_request(document, to, "ana", at(second)).await;
    fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap().recorded.is_some()
}

fn all() -> CalibrationFilter {
    CalibrationFilter {
        policy_version: "v1".to_owned(),
        field_key: None,
        context_key: None,
        limit: 1000,
        skip: 0,
    }
}

/// Accepts and edits by field key and mapping.
async fn counts(fixture: &StoreFixture) -> BTreeMap<String, (u32, u32)> {
    let listed = fixture.store.calibration.reliability(all()).await.unwrap();
    let name =
        |one: &FieldReliability| format!("{} {}", one.field_key, one.mapping_id.as_deref().unwrap_or("-"));
    listed.iter().map(|one| (name(one), (one.entry.counts.accepts, one.entry.counts.edits))).collect()
}

fn expected(counts: &[(&str, (u32, u32))]) -> BTreeMap<String, (u32, u32)> {
    counts.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect()
}

async fn applied_snapshots(fixture: &StoreFixture) -> i64 {
    fixture.sql.number("SELECT count(*) FROM calibration_snapshots WHERE reverted_at IS NULL").await
}

/// Proves R115, R116: each unchanged field counts as one accept, an empty field does not count, and repeating a mark changes nothing.
pub async fn marking_reviewed_counts_once_and_reopening_reverts_it(fixture: &StoreFixture) {
    let (one, ..) = fixture.document_with_fields(record()).await;
    let (two, ..) = fixture.document_with_fields(record()).await;
    let counted = expected(&[("pet_name label::pet_name", (1, 0)), ("species label::species", (1, 0))]);
    for (second, is_new) in [(20, true), (21, false)] {
        assert_eq!(mark(fixture, one, ReviewStatus::Reviewed, second).await, is_new);
        assert_eq!((counts(fixture).await, applied_snapshots(fixture).await), (counted.clone(), 1));
    }
    mark(fixture, two, ReviewStatus::Reviewed, 22).await;
    assert_eq!(counts(fixture).await["pet_name label::pet_name"], (2, 0));
    for (second, is_new) in [(23, true), (24, false)] {
        assert_eq!(mark(fixture, one, ReviewStatus::InReview, second).await, is_new);
        assert_eq!((counts(fixture).await, applied_snapshots(fixture).await), (counted.clone(), 1));
    }
    mark(fixture, one, ReviewStatus::Reviewed, 25).await;
    assert_eq!(counts(fixture).await["species label::species"], (2, 0), "marking again counts again");
    for document in [one, two] {
        mark(fixture, document, ReviewStatus::InReview, 26).await;
    }
    assert!(counts(fixture).await.is_empty());
    assert_eq!(fixture.sql.number("SELECT sum(accepts + edits) FROM calibration_bins").await, 0);
    assert_eq!(fixture.count("calibration_snapshots").await, 3, "every snapshot is kept");
}

/// Proves R115, R116 for edits: a changed field counts as one edit for its key and mapping.
pub async fn an_edit_reverts_the_counts_of_its_document_and_the_next_mark_counts_the_edit(
    fixture: &StoreFixture,
) {
    let (document, run, _) = fixture.document_with_fields(record()).await;
    mark(fixture, document, ReviewStatus::Reviewed, 20).await;
    let base = fixture.active_version(run).await;
    let rename = set_value(&base.data.fields[0], "Lola");
    let request = edit(&base, &[rename, add_field("breed", "beagle")], at(21));
    let saved = fixture.store.reviews.save(&request).await.unwrap().unwrap();
    assert_eq!(saved.events.len(), 2, "edited and reopened");
    assert!(counts(fixture).await.is_empty(), "the edit reopened the document");
    let stale = edit(&base, &[add_field("breed", "x")], at(22));
    assert_eq!(fixture.store.reviews.save(&stale).await.unwrap(), Err(EditBlocked::Stale));
    mark(fixture, document, ReviewStatus::Reviewed, 23).await;
    let counted = expected(&[
        ("breed -", (0, 1)),
        ("pet_name label::pet_name", (0, 1)),
        ("species label::species", (1, 0)),
    ]);
    assert_eq!(counts(fixture).await, counted);
    fixture.edit_active_version(run, &[add_field("age", "4")], at(24)).await;
    assert!(counts(fixture).await.is_empty(), "the next edit reopened it too");
}

/// The completion of a newer run ends a review and keeps what it taught. The next mark replaces that, so that a
/// document counts once.
pub async fn a_newer_run_keeps_the_counts_of_a_review_until_the_next_mark(fixture: &StoreFixture) {
    let (document, ..) = fixture.document_with_fields(record()).await;
    mark(fixture, document, ReviewStatus::Reviewed, 20).await;
    let first = counts(fixture).await;
    let run = fixture.enqueue(document.into(), at(21)).await;
    fixture.complete_next_run(run, Some(vec![labelled_field("breed", "beagle", 0.9)]), 22).await;
    assert_eq!((counts(fixture).await, applied_snapshots(fixture).await), (first.clone(), 1));
    assert!(!mark(fixture, document, ReviewStatus::InReview, 40).await, "it is open already");
    assert_eq!(counts(fixture).await, first);
    assert!(mark(fixture, document, ReviewStatus::Reviewed, 41).await);
    assert_eq!(counts(fixture).await, expected(&[("breed label::breed", (1, 0))]));
    assert_eq!(applied_snapshots(fixture).await, 1);
    mark(fixture, document, ReviewStatus::InReview, 42).await;
    assert!(counts(fixture).await.is_empty());
}

/// Proves R116 across policies: a reopening subtracts from the policy to which the mark added.
pub async fn counts_are_reverted_under_the_policy_that_added_them(fixture: &StoreFixture) {
    let (one, ..) = fixture.document_with_fields(record()).await;
    let (two, ..) = fixture.document_with_fields(record()).await;
    let next = Arc::new(ConfidencePolicy { version: "v2".to_owned(), ..ConfidencePolicy::default() });
    let mark_with_next = |document, to, second| {
        let policy = next.clone();
        async move {
            let request = fixture.review_request(document, to, "ana", at(second)).await;
            let request = ReviewMarkRequest { policy, ..request };
            fixture.store.reviews.set_review_status(&request).await.unwrap().unwrap()
        }
    };
    mark(fixture, one, ReviewStatus::Reviewed, 20).await;
    mark_with_next(two, ReviewStatus::Reviewed, 21).await;
    let under = |policy: &str| {
        let filter = CalibrationFilter { policy_version: policy.to_owned(), ..all() };
        async move { fixture.store.calibration.reliability(filter).await.unwrap().len() }
    };
    assert_eq!((under("v1").await, under("v2").await), (2, 2));
    mark_with_next(one, ReviewStatus::InReview, 22).await;
    assert_eq!((under("v1").await, under("v2").await), (0, 2));
}

/// The state changes with enough signals, in the transaction that counts them. Leaving a state takes a lower value than
/// entering it.
pub async fn the_calibration_state_follows_the_counts_with_hysteresis(fixture: &StoreFixture) {
    let mut documents = Vec::new();
    for _ in 0..5 {
        documents.push(fixture.document_with_fields(vec![labelled_field("breed", "beagle", 0.66)]).await);
    }
    let state = || async {
        fixture.store.calibration.reliability(all()).await.unwrap().first().map(|one| one.entry.standing)
    };
    for (document, ..) in &documents[..4] {
        mark(fixture, *document, ReviewStatus::Reviewed, 20).await;
    }
    assert_eq!(state().await, Some(Standing::Neutral), "four signals are too few");
    mark(fixture, documents[4].0, ReviewStatus::Reviewed, 21).await;
    assert_eq!(state().await, Some(Standing::Boosted));
    // One of five was edited. A rate of 0.80 is too low to become boosted and too high to stop being boosted.
    let (document, run, _) = &documents[0];
    let base = fixture.active_version(*run).await;
    let wrong = set_value(&base.data.fields[0], "teckel");
    let (another, ..) = fixture.document_with_fields(vec![labelled_field("breed", "beagle", 0.66)]).await;
    mark(fixture, another, ReviewStatus::Reviewed, 22).await;
    fixture.store.reviews.save(&edit(&base, &[wrong], at(23))).await.unwrap().unwrap();
    mark(fixture, *document, ReviewStatus::Reviewed, 24).await;
    mark(fixture, another, ReviewStatus::InReview, 25).await;
    assert_eq!(counts(fixture).await["breed label::breed"], (4, 1));
    assert_eq!(state().await, Some(Standing::Boosted));
}

/// Checks that the counts are the sum of the signals of the REVIEWED documents, each by its active version.
async fn assert_counts(fixture: &StoreFixture, documents: &[(DocumentId, RunId)], why: &str) {
    let policy = ConfidencePolicy::default();
    let mut sums: BTreeMap<(String, Option<String>), (ReviewCounts, [ReviewCounts; BINS as usize])> =
        BTreeMap::new();
    let mut reviewed = 0;
    for (document, run) in documents {
        let status = fixture.store.reviews.review(*document).await.unwrap().document.review_status;
        let signals = ReviewSignals::of(&fixture.active_version(*run).await.data, &policy);
        let Some(signals) = signals.filter(|_| status == ReviewStatus::Reviewed) else { continue };
        reviewed += 1;
        for signal in signals.signals {
            let (sum, bins) = sums.entry((signal.field_key, signal.mapping_id)).or_default();
            *sum = sum.after_signal(signal.edited, SignalDirection::Add);
            if let Some(bin) = signal.bin {
                let bin = &mut bins[usize::from(bin)];
                *bin = bin.after_signal(signal.edited, SignalDirection::Add);
            }
        }
    }
    let listed = fixture.store.calibration.reliability(all()).await.unwrap();
    let listed: BTreeMap<_, _> = listed
        .into_iter()
        .map(|one| ((one.field_key, one.mapping_id), (one.entry.counts, one.bins)))
        .collect();
    assert_eq!(listed, sums, "{why}");
    assert_eq!(applied_snapshots(fixture).await, reviewed, "{why}");
}

/// Proves R116 for concurrent requests: nothing is counted twice and nothing is lost.
pub async fn concurrent_marks_and_edits_count_once(fixture: &StoreFixture) {
    let mut documents = Vec::new();
    for _ in 0..6 {
        let (document, run, _) = fixture.document_with_fields(record()).await;
        documents.push((document, run));
    }
    for round in 0..4 {
        let mut tasks = Vec::new();
        for (document, run) in documents.iter().copied() {
            let base = fixture.active_version(run).await;
            let value = format!("x{round}");
            let save = edit(&base, &[add_field("breed", &value)], at(30));
            let reviews = fixture.store.reviews.clone();
            tasks.push(tokio::spawn(async move { reviews.save(&save).await.map(|_| ()) }));
            for to in [ReviewStatus::Reviewed, ReviewStatus::Reviewed, ReviewStatus::InReview] {
                let request = fixture.review_request(document, to, "ana", at(30)).await;
                let reviews = fixture.store.reviews.clone();
                tasks
                    .push(tokio::spawn(async move { reviews.set_review_status(&request).await.map(|_| ()) }));
            }
        }
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_counts(fixture, &documents, &format!("after round {round}")).await;
    }
    for (document, _) in &documents {
        mark(fixture, *document, ReviewStatus::InReview, 40).await;
    }
    assert_counts(fixture, &documents, "after all documents were reopened").await;
    assert!(counts(fixture).await.is_empty());
}

/// Proves R116: after any sequence of marks and edits, the counts are the sum over the REVIEWED documents.
pub async fn any_sequence_of_reviews_leaves_the_sum_of_the_reviewed_documents(fixture: &StoreFixture) {
    let mut documents = Vec::new();
    for fields in [record(), vec![labelled_field("pet_name", "Luna", 0.95)], record()] {
        let (document, run, _) = fixture.document_with_fields(fields).await;
        documents.push((document, run));
    }
    let seed = RandomState::new().hash_one("calibration");
    let mut random = SeededRandom::new(seed);
    for step in 0..60 {
        let (document, run) = *random.choose(&documents).unwrap();
        match random.below(4) {
            0 | 1 => _ = mark(fixture, document, ReviewStatus::Reviewed, 50 + step).await,
            2 => _ = mark(fixture, document, ReviewStatus::InReview, 50 + step).await,
            _ => {
                let base = fixture.active_version(run).await;
                let field = random.choose(&base.data.fields).unwrap();
                let batch = match random.below(3) {
                    0 => add_field("breed", &format!("b{step}")),
                    1 if base.data.fields.len() > 1 => EditOperation::Delete { field: field.field_id },
                    _ => set_value(field, &format!("v{step}")),
                };
                fixture.store.reviews.save(&edit(&base, &[batch], at(50 + step))).await.unwrap().unwrap();
            }
        }
        assert_counts(fixture, &documents, &format!("step {step} of seed {seed}")).await;
    }
}

/// The counts name no document and stay. The snapshot names its document and is deleted with it.
pub async fn calibration_counts_stay_when_a_document_is_purged(fixture: &StoreFixture) {
    let (document, ..) = fixture.document_with_fields(record()).await;
    mark(fixture, document, ReviewStatus::Reviewed, 20).await;
    let before = counts(fixture).await;
    fixture.store.documents.purge(document.into(), at(21)).await.unwrap();
    assert_eq!(counts(fixture).await, before);
    assert_eq!(fixture.count("calibration_snapshots").await, 0);
}

/// The database refuses negative counts and refuses to change or delete snapshots.
pub async fn calibration_snapshots_cannot_be_changed(fixture: &StoreFixture) {
    let (document, ..) = fixture.document_with_fields(record()).await;
    mark(fixture, document, ReviewStatus::Reviewed, 20).await;
    for statement in [
        "UPDATE calibration_aggregates SET accepts = -1",
        "UPDATE calibration_aggregates SET edits = -1",
        "UPDATE calibration_bins SET accepts = -1",
        "UPDATE calibration_bins SET edits = -1",
        "UPDATE calibration_snapshots SET signals = '[]'",
        "DELETE FROM calibration_snapshots",
    ] {
        assert!(fixture.sql.execute(statement).await.is_err(), "{statement}");
    }
    mark(fixture, document, ReviewStatus::InReview, 21).await;
    let restored = fixture.sql.execute("UPDATE calibration_snapshots SET reverted_at = NULL").await;
    assert!(restored.is_err(), "a reverted snapshot stays reverted");
}

/// A lookup matches the key, the mapping, the context and the policy exactly.
pub async fn calibration_counts_are_looked_up_exactly_and_listed_by_page(fixture: &StoreFixture) {
    let unmapped_field =
        |key: &str, confidence| Field { mapping_id: None, ..labelled_field(key, "x", confidence) };
    let fields = vec![
        labelled_field("breed", "a", 0.93),
        unmapped_field("breed", 0.2),
        labelled_field("sex", "m", 1.0),
    ];
    let (document, ..) = fixture.document_with_fields(fields).await;
    mark(fixture, document, ReviewStatus::Reviewed, 20).await;
    let pair = |key: &str, mapping: Option<&str>| (key.to_owned(), mapping.map(str::to_owned));
    let look_up = |context: &str, policy: &str| {
        let found = vec![
            pair("breed", Some("label::breed")),
            pair("breed", None),
            pair("breed", Some("label::sex")),
            pair("sex", None),
        ];
        let query =
            CalibrationQuery { context_key: context.to_owned(), policy_version: policy.to_owned(), found };
        async move { fixture.store.calibration.review_counts(query).await.unwrap() }
    };
    let once = ReviewCounts { accepts: 1, edits: 0 };
    let counts: HashMap<_, _> = look_up(CONTEXT, "v1").await.into_iter().collect();
    let expected = HashMap::from([(pair("breed", Some("label::breed")), once), (pair("breed", None), once)]);
    assert_eq!(counts, expected);
    assert!(look_up("ctx_v1:another", "v1").await.is_empty());
    assert!(look_up(CONTEXT, "v2").await.is_empty());

    let list =
        |filter: CalibrationFilter| async { fixture.store.calibration.reliability(filter).await.unwrap() };
    let listed = list(all()).await;
    let keys: Vec<_> = listed.iter().map(|one| (one.field_key.as_str(), one.mapping_id.is_some())).collect();
    assert_eq!(keys, [("breed", false), ("breed", true), ("sex", true)]);
    assert_eq!(listed[0].of_key, ReviewCounts { accepts: 2, edits: 0 }, "the sum over all mappings");
    let bins: Vec<_> = listed.iter().map(|one| one.bins.iter().position(|bin| *bin == once)).collect();
    assert_eq!(bins, [Some(2), Some(9), Some(9)]);
    let page = list(CalibrationFilter { limit: 1, skip: 1, ..all() }).await;
    assert_eq!(page, listed[1..2], "with the sum over its key");
    let of_key = |key: &str| CalibrationFilter { field_key: Some(key.to_owned()), ..all() };
    assert_eq!(list(of_key("sex")).await, listed[2..]);
    let other_context = CalibrationFilter { context_key: Some("ctx_v1:another".to_owned()), ..all() };
    assert!(list(other_context).await.is_empty());
    assert_eq!(list(CalibrationFilter { context_key: Some(CONTEXT.to_owned()), ..all() }).await, listed);
}
