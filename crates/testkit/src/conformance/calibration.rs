//! What reviews teach, and taking it back.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use quire_domain::{DocumentId, ReviewStatus, RunId};
use quire_ports::{CalibrationFilter, CalibrationQuery, EditBlocked, FieldReliability, ReviewMarkRequest};
use quire_understanding::calibration::{
    BINS, CalibrationState, ConfidencePolicy, LearningDirection, ReviewCounts, ReviewSignals,
};
use quire_understanding::edit::EditOperation;
use quire_understanding::{Field, Origin, Value, ValueType};

use super::reviews::{CONTEXT, active, add, edit, marking, understood_as};
use crate::fixture::{Bed, at};

/// A field that was found by a label.
fn found(key: &str, value: &str, confidence: f64) -> Field {
    let value = Value::Text(value.to_owned());
    let field = Field::new(key, value, ValueType::String, Origin::Machine, confidence);
    Field { mapping_id: Some(format!("label::{key}")), ..field }
}

/// What a record says: two keys, and one whose value is empty.
fn record() -> Vec<Field> {
    vec![found("pet_name", "Luna", 0.66), found("species", "canina", 0.5), found("notes", " ", 0.66)]
}

async fn mark(bed: &Bed, document: DocumentId, to: ReviewStatus, second: i64) -> bool {
    bed.store.reviews.mark(&marking(document, to, "ana", second)).await.unwrap().is_new
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

/// Accepts and edits by key and what found it.
async fn learnt(bed: &Bed) -> BTreeMap<String, (u32, u32)> {
    let listed = bed.store.calibration.reliability(all()).await.unwrap();
    let name =
        |one: &FieldReliability| format!("{} {}", one.field_key, one.mapping_id.as_deref().unwrap_or("-"));
    listed.iter().map(|one| (name(one), (one.learnt.counts.accepts, one.learnt.counts.edits))).collect()
}

fn expected(counts: &[(&str, (u32, u32))]) -> BTreeMap<String, (u32, u32)> {
    counts.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect()
}

async fn applied(bed: &Bed) -> i64 {
    bed.sql.number("SELECT count(*) FROM calibration_snapshots WHERE reverted_at IS NULL").await
}

/// Proves R115, R116: one accept for each key that stayed, nothing for what is empty; repeating changes nothing.
pub async fn a_mark_counts_once_and_reopening_takes_exactly_that_back(bed: &Bed) {
    let (one, ..) = understood_as(bed, record()).await;
    let (two, ..) = understood_as(bed, record()).await;
    let counted = expected(&[("pet_name label::pet_name", (1, 0)), ("species label::species", (1, 0))]);
    for (second, is_new) in [(20, true), (21, false)] {
        assert_eq!(mark(bed, one, ReviewStatus::Reviewed, second).await, is_new);
        assert_eq!((learnt(bed).await, applied(bed).await), (counted.clone(), 1));
    }
    mark(bed, two, ReviewStatus::Reviewed, 22).await;
    assert_eq!(learnt(bed).await["pet_name label::pet_name"], (2, 0));
    for (second, is_new) in [(23, true), (24, false)] {
        assert_eq!(mark(bed, one, ReviewStatus::InReview, second).await, is_new);
        assert_eq!((learnt(bed).await, applied(bed).await), (counted.clone(), 1));
    }
    mark(bed, one, ReviewStatus::Reviewed, 25).await;
    assert_eq!(learnt(bed).await["species label::species"], (2, 0), "marking again counts again");
    for document in [one, two] {
        mark(bed, document, ReviewStatus::InReview, 26).await;
    }
    assert!(learnt(bed).await.is_empty());
    assert_eq!(bed.sql.number("SELECT sum(accepts + edits) FROM calibration_bins").await, 0);
    assert_eq!(bed.sql.number("SELECT count(*) FROM calibration_snapshots").await, 3, "each is kept");
}

/// Proves R115, R116 for edits: a person's word counts as an edit, once for each key and way of finding it.
pub async fn an_edit_takes_back_what_a_document_taught_and_the_next_mark_teaches_the_edit(bed: &Bed) {
    let (document, run, _) = understood_as(bed, record()).await;
    mark(bed, document, ReviewStatus::Reviewed, 20).await;
    let base = active(bed, run).await;
    let rename = EditOperation::Update {
        field: base.data.fields[0].field_id,
        value: Some(Value::Text("Lola".to_owned())),
        value_type: None,
        visit_id: None,
    };
    let wish = edit(run, &base, &[rename, add("breed", "beagle")], 21);
    assert!(bed.store.reviews.save(&wish).await.unwrap().unwrap().reopened);
    assert!(learnt(bed).await.is_empty(), "the edit reopened it");
    let stale = edit(run, &base, &[add("breed", "x")], 22);
    assert_eq!(bed.store.reviews.save(&stale).await.unwrap(), Err(EditBlocked::Stale));
    mark(bed, document, ReviewStatus::Reviewed, 23).await;
    let counted = expected(&[
        ("breed -", (0, 1)),
        ("pet_name label::pet_name", (0, 1)),
        ("species label::species", (1, 0)),
    ]);
    assert_eq!(learnt(bed).await, counted);
    let base = active(bed, run).await;
    bed.store.reviews.save(&edit(run, &base, &[add("age", "4")], 24)).await.unwrap().unwrap();
    assert!(learnt(bed).await.is_empty(), "and so did the next");
}

/// Proves R116 across policies: exactly what was added is subtracted, where it was added.
pub async fn what_was_learnt_under_another_policy_is_taken_back_there(bed: &Bed) {
    let (one, ..) = understood_as(bed, record()).await;
    let (two, ..) = understood_as(bed, record()).await;
    let next = Arc::new(ConfidencePolicy { version: "v2".to_owned(), ..ConfidencePolicy::default() });
    let say = |document, to, second| {
        let wish = ReviewMarkRequest { policy: next.clone(), ..marking(document, to, "ana", second) };
        async move { bed.store.reviews.mark(&wish).await.unwrap() }
    };
    mark(bed, one, ReviewStatus::Reviewed, 20).await;
    say(two, ReviewStatus::Reviewed, 21).await;
    let under = |policy: &str| {
        let filter = CalibrationFilter { policy_version: policy.to_owned(), ..all() };
        async move { bed.store.calibration.reliability(filter).await.unwrap().len() }
    };
    assert_eq!((under("v1").await, under("v2").await), (2, 2));
    say(one, ReviewStatus::InReview, 22).await;
    assert_eq!((under("v1").await, under("v2").await), (0, 2));
}

/// What is known changes with enough signals, in the transaction that counts them, and is not left as easily.
pub async fn what_is_known_follows_the_counts_and_is_left_late(bed: &Bed) {
    let mut documents = Vec::new();
    for _ in 0..5 {
        documents.push(understood_as(bed, vec![found("breed", "beagle", 0.66)]).await);
    }
    let standing = || async {
        bed.store.calibration.reliability(all()).await.unwrap().first().map(|one| one.learnt.state)
    };
    for (document, ..) in &documents[..4] {
        mark(bed, *document, ReviewStatus::Reviewed, 20).await;
    }
    assert_eq!(standing().await, Some(CalibrationState::Neutral), "four are too few");
    mark(bed, documents[4].0, ReviewStatus::Reviewed, 21).await;
    assert_eq!(standing().await, Some(CalibrationState::Boosted));
    // One of five was wrong after all: 0.80 would not enter, and does not leave.
    let (document, run, _) = &documents[0];
    let base = active(bed, *run).await;
    let wrong = EditOperation::Update {
        field: base.data.fields[0].field_id,
        value: Some(Value::Text("teckel".to_owned())),
        value_type: None,
        visit_id: None,
    };
    let (another, ..) = understood_as(bed, vec![found("breed", "beagle", 0.66)]).await;
    mark(bed, another, ReviewStatus::Reviewed, 22).await;
    bed.store.reviews.save(&edit(*run, &base, &[wrong], 23)).await.unwrap().unwrap();
    mark(bed, *document, ReviewStatus::Reviewed, 24).await;
    mark(bed, another, ReviewStatus::InReview, 25).await;
    assert_eq!(learnt(bed).await["breed label::breed"], (4, 1));
    assert_eq!(standing().await, Some(CalibrationState::Boosted));
}

/// What is known is what the REVIEWED documents teach, each by its active version; nothing more, nothing less.
async fn holds(bed: &Bed, documents: &[(DocumentId, RunId)], why: &str) {
    let policy = ConfidencePolicy::default();
    let mut sums: BTreeMap<(String, Option<String>), (ReviewCounts, [ReviewCounts; BINS as usize])> =
        BTreeMap::new();
    let mut lessons = 0;
    for (document, run) in documents {
        let review = bed.store.reviews.review(*document).await.unwrap().overview.document.review_status;
        let lesson = ReviewSignals::of(&active(bed, *run).await.data, &policy);
        let Some(lesson) = lesson.filter(|_| review == ReviewStatus::Reviewed) else { continue };
        lessons += 1;
        for signal in lesson.signals {
            let (sum, bins) = sums.entry((signal.field_key, signal.mapping_id)).or_default();
            *sum = sum.after_signal(signal.edited, LearningDirection::Apply);
            if let Some(bin) = signal.bin {
                let bin = &mut bins[usize::from(bin)];
                *bin = bin.after_signal(signal.edited, LearningDirection::Apply);
            }
        }
    }
    let listed = bed.store.calibration.reliability(all()).await.unwrap();
    let listed: BTreeMap<_, _> = listed
        .into_iter()
        .map(|one| ((one.field_key, one.mapping_id), (one.learnt.counts, one.bins)))
        .collect();
    assert_eq!(listed, sums, "{why}");
    assert_eq!(applied(bed).await, lessons, "{why}");
}

/// Proves R116 for many at the same time: nothing is counted twice, and nothing is lost.
pub async fn marks_and_edits_at_the_same_time_count_once(bed: &Bed) {
    let mut documents = Vec::new();
    for _ in 0..6 {
        let (document, run, _) = understood_as(bed, record()).await;
        documents.push((document, run));
    }
    for round in 0..4 {
        let mut tasks = Vec::new();
        for (document, run) in documents.iter().copied() {
            let base = active(bed, run).await;
            let value = format!("x{round}");
            let save = edit(run, &base, &[add("breed", &value)], 30);
            let reviews = bed.store.reviews.clone();
            tasks.push(tokio::spawn(async move { reviews.save(&save).await.map(|_| ()) }));
            for to in [ReviewStatus::Reviewed, ReviewStatus::Reviewed, ReviewStatus::InReview] {
                let wish = marking(document, to, "ana", 30);
                let reviews = bed.store.reviews.clone();
                tasks.push(tokio::spawn(async move { reviews.mark(&wish).await.map(|_| ()) }));
            }
        }
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        holds(bed, &documents, &format!("after round {round}")).await;
    }
    for (document, _) in &documents {
        mark(bed, *document, ReviewStatus::InReview, 40).await;
    }
    holds(bed, &documents, "after all were reopened").await;
    assert!(learnt(bed).await.is_empty());
}

/// Proves R116: whatever people do in whatever order, what is known is the sum of what still counts.
pub async fn any_sequence_leaves_the_sum_of_what_still_counts(bed: &Bed) {
    let mut documents = Vec::new();
    for fields in [record(), vec![found("pet_name", "Luna", 0.95)], record()] {
        let (document, run, _) = understood_as(bed, fields).await;
        documents.push((document, run));
    }
    let seed = RandomState::new().hash_one("calibration");
    let mut state = seed;
    let mut below = |most: u64| {
        // Any numbers will do that are not always the same.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for step in 0..60 {
        let (document, run) = documents[usize::try_from(below(3)).unwrap()];
        match below(4) {
            0 | 1 => _ = mark(bed, document, ReviewStatus::Reviewed, 50 + step).await,
            2 => _ = mark(bed, document, ReviewStatus::InReview, 50 + step).await,
            _ => {
                let base = active(bed, run).await;
                let field = &base.data.fields[usize::try_from(below(base.data.fields.len() as u64)).unwrap()];
                let batch = match below(3) {
                    0 => add("breed", &format!("b{step}")),
                    1 if base.data.fields.len() > 1 => EditOperation::Delete { field: field.field_id },
                    _ => EditOperation::Update {
                        field: field.field_id,
                        value: Some(Value::Text(format!("v{step}"))),
                        value_type: None,
                        visit_id: None,
                    },
                };
                bed.store.reviews.save(&edit(run, &base, &[batch], 50 + step)).await.unwrap().unwrap();
            }
        }
        holds(bed, &documents, &format!("step {step} of seed {seed}")).await;
    }
}

/// What was learnt names no document and stays; what tells from which one it came goes.
pub async fn what_was_learnt_stays_when_a_document_is_purged(bed: &Bed) {
    let (document, ..) = understood_as(bed, record()).await;
    mark(bed, document, ReviewStatus::Reviewed, 20).await;
    let before = learnt(bed).await;
    bed.store.documents.purge(document.into(), at(21)).await.unwrap();
    assert_eq!(learnt(bed).await, before);
    assert_eq!(bed.sql.number("SELECT count(*) FROM calibration_snapshots").await, 0);
}

/// The database itself refuses to count below nothing, to teach twice at a time, and to forget what was taught.
pub async fn what_was_learnt_cannot_be_rewritten(bed: &Bed) {
    let (document, ..) = understood_as(bed, record()).await;
    mark(bed, document, ReviewStatus::Reviewed, 20).await;
    for statement in [
        "UPDATE calibration_aggregates SET accepts = -1",
        "UPDATE calibration_aggregates SET edits = -1",
        "UPDATE calibration_bins SET accepts = -1",
        "UPDATE calibration_bins SET edits = -1",
        "UPDATE calibration_snapshots SET signals = '[]'",
        "DELETE FROM calibration_snapshots",
    ] {
        assert!(bed.sql.execute(statement).await.is_err(), "{statement}");
    }
    mark(bed, document, ReviewStatus::InReview, 21).await;
    let back = bed.sql.execute("UPDATE calibration_snapshots SET reverted_at = NULL").await;
    assert!(back.is_err(), "what was taken back stays so");
}

/// Exactly the key, what found it, the surroundings and the policy: nothing else stands in for them.
pub async fn what_was_learnt_is_found_exactly_and_listed_in_parts(bed: &Bed) {
    let unknown = |key: &str, confidence| Field { mapping_id: None, ..found(key, "x", confidence) };
    let fields = vec![found("breed", "a", 0.93), unknown("breed", 0.2), found("sex", "m", 1.0)];
    let (document, ..) = understood_as(bed, fields).await;
    mark(bed, document, ReviewStatus::Reviewed, 20).await;
    let pair = |key: &str, mapping: Option<&str>| (key.to_owned(), mapping.map(str::to_owned));
    let wanted = |context: &str, policy: &str| {
        let found = vec![
            pair("breed", Some("label::breed")),
            pair("breed", None),
            pair("breed", Some("label::sex")),
            pair("sex", None),
        ];
        let wanted =
            CalibrationQuery { context_key: context.to_owned(), policy_version: policy.to_owned(), found };
        async move { bed.store.calibration.learnt(wanted).await.unwrap() }
    };
    let once = ReviewCounts { accepts: 1, edits: 0 };
    let known: HashMap<_, _> = wanted(CONTEXT, "v1").await.into_iter().collect();
    let expected = HashMap::from([(pair("breed", Some("label::breed")), once), (pair("breed", None), once)]);
    assert_eq!(known, expected);
    assert!(wanted("ctx_v1:another", "v1").await.is_empty());
    assert!(wanted(CONTEXT, "v2").await.is_empty());

    let list = |filter: CalibrationFilter| async { bed.store.calibration.reliability(filter).await.unwrap() };
    let listed = list(all()).await;
    let places: Vec<_> =
        listed.iter().map(|one| (one.field_key.as_str(), one.mapping_id.is_some())).collect();
    assert_eq!(places, [("breed", false), ("breed", true), ("sex", true)]);
    assert_eq!(listed[0].of_key, ReviewCounts { accepts: 2, edits: 0 }, "whatever found it");
    let bins: Vec<_> = listed.iter().map(|one| one.bins.iter().position(|bin| *bin == once)).collect();
    assert_eq!(bins, [Some(2), Some(9), Some(9)]);
    let part = list(CalibrationFilter { limit: 1, skip: 1, ..all() }).await;
    assert_eq!(part, listed[1..2], "with the sum of its whole key");
    let of_key = |key: &str| CalibrationFilter { field_key: Some(key.to_owned()), ..all() };
    assert_eq!(list(of_key("sex")).await, listed[2..]);
    let elsewhere = CalibrationFilter { context_key: Some("ctx_v1:another".to_owned()), ..all() };
    assert!(list(elsewhere).await.is_empty());
    assert_eq!(list(CalibrationFilter { context_key: Some(CONTEXT.to_owned()), ..all() }).await, listed);
}
