//! Schemas from files.

use quire_domain::{DecisionId, Document, DocumentId, EventId, EventType, SchemaVersionId};
use quire_ports::{
    CandidateFilter, EventFilter, GovernanceDecision, NewDocument, SchemaVersion, SeedOutcome,
};
use quire_understanding::structure::{CandidateStatus, DecisionType};
use quire_understanding::{Schema, SchemaFile, SchemaFormat};

use super::reviews::{active, add, edit, interpreted_document};
use crate::fixture::{StoreFixture, at, document, document_run};

/// A file of that version whose one key has that label.
fn file(version: u32, label: &str) -> SchemaFile {
    let text = format!(
        "name = \"parking-ticket\"\nversion = {version}\n[[sections]]\nid = \"ticket\"\n[[keys]]\nkey = \"plate\"\n\
         section = \"ticket\"\nlabels = [\"{label}\"]\n"
    );
    SchemaFile::parse("ticket.toml", &text, SchemaFormat::Toml).unwrap()
}

async fn newest(fixture: &StoreFixture, name: &str) -> SchemaVersion {
    fixture.store.governance.current_schema(name).await.unwrap()
}

async fn told(fixture: &StoreFixture) -> usize {
    let events = fixture.store.history.events(EventId(0), EventFilter::default(), 1_000).await.unwrap();
    events.iter().filter(|told| told.event.event_type == EventType::SchemaVersionCreated).count()
}

/// A file is the first version of its schema; when its content changes and its version with it, the next.
pub async fn a_file_that_changes_is_the_next_version_of_its_schema(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    assert_eq!(governance.schema_names().await.unwrap(), [""; 0]);
    assert_eq!(governance.seed_file(&file(3, "plate"), at(1)).await.unwrap(), SeedOutcome::First);
    assert_eq!(governance.seed_file(&file(3, "plate"), at(2)).await.unwrap(), SeedOutcome::Unchanged);
    assert_eq!(governance.seed_file(&file(4, "plate"), at(3)).await.unwrap(), SeedOutcome::Unchanged);
    let first = newest(fixture, "parking-ticket").await;
    assert_eq!((first.number, first.created_at, &first.schema), (1, at(1), &file(3, "plate").schema));

    // The version 4 is remembered, although nothing came of it.
    let not_raised = governance.seed_file(&file(4, "number plate"), at(4)).await.unwrap();
    assert_eq!(not_raised, SeedOutcome::NotRaised { seeded: 4 });
    assert_eq!(newest(fixture, "parking-ticket").await, first);
    assert_eq!(governance.seed_file(&file(5, "number plate"), at(5)).await.unwrap(), SeedOutcome::Next(2));
    let second = newest(fixture, "parking-ticket").await;
    assert_eq!(
        (second.number, second.created_at, &second.schema),
        (2, at(5), &file(5, "number plate").schema)
    );
    assert_eq!(
        (second.created_by.as_str(), second.change_summary.as_deref()),
        ("quire", Some("version 5 of its file"))
    );
    assert_eq!(governance.schema("parking-ticket", 1).await.unwrap(), first, "what was there stays");
    let older = governance.seed_file(&file(3, "plate"), at(6)).await.unwrap();
    assert_eq!(older, SeedOutcome::NotRaised { seeded: 5 });
    assert_eq!(told(fixture).await, 2);

    governance.seed(&Schema::built_in_default(), at(7)).await.unwrap();
    assert_eq!(governance.schema_names().await.unwrap(), ["parking-ticket", "veterinary-record"]);
}

/// What people decided about a schema is not undone by a file.
pub async fn what_people_decided_is_kept_when_a_file_changes(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    let [veterinary, _] = SchemaFile::built_in();
    governance.seed_file(veterinary, at(0)).await.unwrap();
    let (_, run, _) = interpreted_document(fixture).await;
    let base = active(fixture, run).await;
    fixture.store.reviews.save(&edit(run, &base, &[add("blood_group", "A")], 9)).await.unwrap().unwrap();
    let about = governance
        .candidates(CandidateFilter { limit: 1, ..CandidateFilter::default() })
        .await
        .unwrap()
        .remove(0);
    let version = SchemaVersion {
        id: SchemaVersionId::new(),
        number: 2,
        schema: Schema { other_labels: vec!["colour".to_owned()].into(), ..veterinary.schema.clone() },
        created_at: at(10),
        created_by: "gov".to_owned(),
        change_summary: None,
    };
    let approved = GovernanceDecision {
        id: DecisionId::new(),
        candidate: about.id,
        decision_type: DecisionType::Approve,
        previous_status: about.status,
        new_status: CandidateStatus::Approved,
        schema_version: Some(version.id),
        reviewer: "gov".to_owned(),
        reason: None,
        created_at: at(10),
    };
    fixture.decide(&approved, Some(&version)).await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(11)).await.unwrap(), SeedOutcome::Unchanged);
    let next = SchemaFile { version: veterinary.version + 1, content_hash: [9; 32], ..veterinary.clone() };
    for second in [12, 13] {
        assert_eq!(governance.seed_file(&next, at(second)).await.unwrap(), SeedOutcome::Governed);
    }
    assert_eq!(newest(fixture, Schema::DEFAULT).await, version);
}

/// A database from before files were remembered has the schema of then, which nobody has changed.
pub async fn a_schema_from_before_there_were_files_is_brought_up_to_date(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    let [veterinary, _] = SchemaFile::built_in();
    let old = Schema { sections: Vec::new(), ..veterinary.schema.clone() };
    governance.seed(&old, at(0)).await.unwrap();
    fixture.sql.execute("DELETE FROM schema_files").await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(1)).await.unwrap(), SeedOutcome::Next(2));
    fixture.sql.execute("DELETE FROM schema_files").await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(2)).await.unwrap(), SeedOutcome::Unchanged);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM schema_files WHERE schema_version = 2").await, 1);
    assert_eq!(newest(fixture, Schema::DEFAULT).await.schema, veterinary.schema);
}

/// Of programs that start at the same moment, one adds the schema and the others find it.
pub async fn of_programs_that_start_at_once_one_adds_the_schema(fixture: &StoreFixture) {
    let starts = (0..6).map(|_| {
        let governance = fixture.store.governance.clone();
        tokio::spawn(async move { governance.seed_file(&file(1, "plate"), at(1)).await.unwrap() })
    });
    let mut outcomes = Vec::new();
    for start in starts.collect::<Vec<_>>() {
        outcomes.push(start.await.unwrap());
    }
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == SeedOutcome::First).count(), 1, "{outcomes:?}");
    assert!(
        outcomes.iter().all(|outcome| matches!(outcome, SeedOutcome::First | SeedOutcome::Unchanged)),
        "{outcomes:?}"
    );
    assert_eq!(told(fixture).await, 1);
}

/// A run is bound to the newest version of the schema of its document, also when it is asked for later.
pub async fn a_document_keeps_its_schema_and_its_runs_go_by_it(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    governance.seed_file(&file(1, "plate"), at(0)).await.unwrap();
    let ticket = Document { schema: "parking-ticket".to_owned(), ..document(DocumentId::new()) };
    let run = document_run(ticket.id.into());
    fixture.store.documents.add(NewDocument::by("tester", &ticket, Some(&run)), at(1)).await.unwrap();
    assert_eq!(fixture.store.documents.find(ticket.id).await.unwrap().schema, "parking-ticket");
    assert_eq!(fixture.store.documents.overview(ticket.id).await.unwrap().document.schema, "parking-ticket");
    governance.seed_file(&file(2, "number plate"), at(2)).await.unwrap();
    let again = document_run(ticket.id.into());
    let again = fixture.reprocess(&again, "tester", at(3)).await.unwrap();
    let bound = |schema: Option<quire_domain::SchemaRef>| schema.map(|one| (one.name, one.version));
    let first = fixture.store.history.run(run.id).await.unwrap();
    assert_eq!(bound(first.schema), Some(("parking-ticket".to_owned(), 1)));
    assert_eq!(bound(again.schema), Some(("parking-ticket".to_owned(), 2)));
}
