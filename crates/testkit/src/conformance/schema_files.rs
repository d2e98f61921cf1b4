//! Schemas that are seeded from files.

use quire_domain::{Document, DocumentId, EventType, RunId, SchemaRef, SchemaVersionId};
use quire_ports::{CandidateFilter, GovernanceDecision, SchemaVersion, SeedOutcome};
use quire_understanding::structural_change::{CandidateStatus, DecisionType};
use quire_understanding::{Schema, SchemaFile, SchemaFormat};

use super::governance::{decide, decision};
use super::interpretations::add_field;
use crate::fixture::{StoreFixture, at, document, document_run};

/// A schema file with this version. Its only key has this label.
fn schema_file(version: u32, label: &str) -> SchemaFile {
    let text = format!(
        "name = \"parking-ticket\"\nversion = {version}\n[[sections]]\nid = \"ticket\"\n[[keys]]\nkey = \"plate\"\n\
         section = \"ticket\"\nlabels = [\"{label}\"]\n"
    );
    SchemaFile::parse("ticket.toml", &text, SchemaFormat::Toml).unwrap()
}

async fn current_version(fixture: &StoreFixture, name: &str) -> SchemaVersion {
    fixture.store.governance.current_schema(name).await.unwrap()
}

/// How many new schema versions the history records.
async fn created_versions(fixture: &StoreFixture) -> usize {
    let events = fixture.events().await;
    events.iter().filter(|one| one.event.event_type == EventType::SchemaVersionCreated).count()
}

/// A file becomes the first version of its schema. When its content and its version change, it becomes the next.
pub async fn a_changed_file_becomes_the_next_version_of_its_schema(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    assert_eq!(governance.schema_names().await.unwrap(), [""; 0]);
    assert_eq!(governance.seed_file(&schema_file(3, "plate"), at(1)).await.unwrap(), SeedOutcome::First);
    assert_eq!(governance.seed_file(&schema_file(3, "plate"), at(2)).await.unwrap(), SeedOutcome::Unchanged);
    assert_eq!(governance.seed_file(&schema_file(4, "plate"), at(3)).await.unwrap(), SeedOutcome::Unchanged);
    let first = current_version(fixture, "parking-ticket").await;
    assert_eq!((first.number, first.created_at, &first.schema), (1, at(1), &schema_file(3, "plate").schema));

    // The store remembers version 4 of the file, although it made no new schema version.
    let not_raised = governance.seed_file(&schema_file(4, "number plate"), at(4)).await.unwrap();
    assert_eq!(not_raised, SeedOutcome::NotRaised { seeded: 4 });
    assert_eq!(current_version(fixture, "parking-ticket").await, first);
    assert_eq!(
        governance.seed_file(&schema_file(5, "number plate"), at(5)).await.unwrap(),
        SeedOutcome::Next(2)
    );
    let second = current_version(fixture, "parking-ticket").await;
    assert_eq!(
        (second.number, second.created_at, &second.schema),
        (2, at(5), &schema_file(5, "number plate").schema)
    );
    assert_eq!(
        (second.created_by.as_str(), second.change_summary.as_deref()),
        ("quire", Some("version 5 of its file"))
    );
    assert_eq!(
        governance.schema("parking-ticket", 1).await.unwrap(),
        first,
        "the first version is unchanged"
    );
    let older = governance.seed_file(&schema_file(3, "plate"), at(6)).await.unwrap();
    assert_eq!(older, SeedOutcome::Older { seeded: 5 }, "a process that is not restarted yet");
    assert_eq!(created_versions(fixture).await, 2);

    governance.seed(&Schema::built_in_default(), at(7)).await.unwrap();
    assert_eq!(governance.schema_names().await.unwrap(), ["parking-ticket", "veterinary-record"]);
}

/// A file does not undo the decisions of people about a schema.
pub async fn a_changed_file_does_not_override_governance_decisions(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    let [veterinary, ..] = SchemaFile::built_in();
    governance.seed_file(veterinary, at(0)).await.unwrap();
    let (_, run, _) = fixture.interpreted_document().await;
    fixture.edit_active_version(run, &[add_field("blood_group", "A")], at(9)).await;
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
        schema_version: Some(version.id),
        ..decision(&about, DecisionType::Approve, CandidateStatus::Approved, 10)
    };
    decide(fixture, &approved, Some(&version)).await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(11)).await.unwrap(), SeedOutcome::Unchanged);
    let next = SchemaFile { version: veterinary.version + 1, content_hash: [9; 32], ..veterinary.clone() };
    for second in [12, 13] {
        assert_eq!(governance.seed_file(&next, at(second)).await.unwrap(), SeedOutcome::Governed);
    }
    assert_eq!(current_version(fixture, Schema::DEFAULT).await, version);
}

/// An older database has a schema but no record of its file. The schema is updated if nobody has changed it.
pub async fn a_schema_older_than_the_schema_files_table_is_updated(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    let [veterinary, ..] = SchemaFile::built_in();
    let old = Schema { sections: Vec::new(), ..veterinary.schema.clone() };
    governance.seed(&old, at(0)).await.unwrap();
    fixture.sql.execute("DELETE FROM schema_files").await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(1)).await.unwrap(), SeedOutcome::Next(2));
    fixture.sql.execute("DELETE FROM schema_files").await.unwrap();
    assert_eq!(governance.seed_file(veterinary, at(2)).await.unwrap(), SeedOutcome::Unchanged);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM schema_files WHERE schema_version = 2").await, 1);
    assert_eq!(current_version(fixture, Schema::DEFAULT).await.schema, veterinary.schema);
}

/// Of processes that start at the same time, one adds the schema and the others find it.
pub async fn only_one_of_several_concurrent_starts_adds_the_schema(fixture: &StoreFixture) {
    let starts = (0..6).map(|_| {
        let governance = fixture.store.governance.clone();
        tokio::spawn(async move { governance.seed_file(&schema_file(1, "plate"), at(1)).await.unwrap() })
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
    assert_eq!(created_versions(fixture).await, 1);
}

/// A run is bound to the newest version of its document's schema, also when it is requested later.
pub async fn a_document_keeps_its_schema_and_its_runs_use_it(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    governance.seed_file(&schema_file(1, "plate"), at(0)).await.unwrap();
    let ticket = Document { schema: "parking-ticket".to_owned(), ..document(DocumentId::new()) };
    let run = document_run(ticket.id.into());
    fixture.add_document(&ticket, Some(&run), at(1)).await;
    assert_eq!(fixture.store.documents.find(ticket.id).await.unwrap().schema, "parking-ticket");
    assert_eq!(fixture.store.documents.overview(ticket.id).await.unwrap().document.schema, "parking-ticket");
    governance.seed_file(&schema_file(2, "number plate"), at(2)).await.unwrap();
    let again = document_run(ticket.id.into());
    let again = fixture.request_run(&again, "tester", at(3)).await.unwrap();
    let bound = |schema: Option<quire_domain::SchemaRef>| schema.map(|one| (one.name, one.version));
    let first = fixture.run(run.id).await;
    assert_eq!(bound(first.schema), Some(("parking-ticket".to_owned(), 1)));
    assert_eq!(bound(again.schema), Some(("parking-ticket".to_owned(), 2)));
}

/// A document whose schema is left open, with its first run.
async fn open_document(fixture: &StoreFixture) -> (DocumentId, RunId) {
    for file in SchemaFile::built_in() {
        fixture.store.governance.seed_file(file, at(0)).await.unwrap();
    }
    let open = Document { schema: Schema::AUTO.to_owned(), ..document(DocumentId::new()) };
    let run = document_run(open.id.into());
    fixture.add_document(&open, Some(&run), at(0)).await;
    assert_eq!(bound(fixture, run.id).await, ("auto".to_owned(), 1));
    (open.id, run.id)
}

async fn bound(fixture: &StoreFixture, run: RunId) -> (String, u32) {
    fixture.run(run).await.schema.map(|schema| (schema.name, schema.version)).unwrap()
}

async fn schema_of(fixture: &StoreFixture, document: DocumentId) -> String {
    fixture.store.documents.find(document).await.unwrap().schema
}

/// The schema that a run chooses is its schema and that of its document, from the same write on; another choice changes nothing.
pub async fn a_chosen_schema_binds_the_run_and_its_document_once(fixture: &StoreFixture) {
    let (document, run) = open_document(fixture).await;
    let choose = |name: &str| Some(SchemaRef { name: name.to_owned(), version: 1 });
    fixture.complete_choosing_run(run, choose("invoice"), 0).await;
    assert_eq!(bound(fixture, run).await, ("invoice".to_owned(), 1));
    assert_eq!(schema_of(fixture, document).await, "invoice");
    let changed = fixture.sql.execute("UPDATE runs SET schema_name = 'receipt'").await;
    assert!(changed.as_ref().is_err_and(|message| message.contains("does not change")), "{changed:?}");

    let again = fixture.reprocess(document, at(20)).await;
    fixture.complete_choosing_run(again, choose("receipt"), 20).await;
    let current = fixture.store.governance.current_schema("invoice").await.unwrap();
    assert_eq!(bound(fixture, again).await, ("invoice".to_owned(), current.number), "it left nothing open");
    assert_eq!(schema_of(fixture, document).await, "invoice");

    let (none, run) = open_document(fixture).await;
    fixture.complete_choosing_run(run, None, 40).await;
    assert_eq!(bound(fixture, run).await, ("auto".to_owned(), 1), "none fits");
    assert_eq!(schema_of(fixture, none).await, "auto");
}

/// A person who asks for another schema gets it for this run and the later ones, whatever an earlier run chooses meanwhile.
pub async fn reprocessing_with_a_schema_binds_the_document_to_it(fixture: &StoreFixture) {
    let (document, first) = open_document(fixture).await;
    let new = document_run(document.into());
    let requested = Document::reprocess_requested(&new, "tester", at(0));
    let run = fixture.store.documents.reprocess_as(&new, Some("receipt"), requested).await.unwrap();
    assert_eq!(run.schema.map(|schema| schema.name).as_deref(), Some("receipt"));
    let chosen = SchemaRef { name: "invoice".to_owned(), version: 1 };
    fixture.complete_choosing_run(first, Some(chosen), 0).await;
    assert_eq!(bound(fixture, first).await.0, "invoice");
    assert_eq!(schema_of(fixture, document).await, "receipt");
}
