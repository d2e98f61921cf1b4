//! The table `document_fields`: the active version of the latest completed run of each document, in columns.

use quire_domain::{DocumentId, EventType, RunChange, StepName};
use quire_ports::{DocumentListQuery, RunWriteOutcome};
use quire_understanding::{Evidence, Field, FieldRow, Origin, Value, ValueType, field_rows, folded_value};

use super::interpretations::{add_field, edit, first_version};
use super::random_history::RandomHistory;
use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at, document};

/// How many things happen in the random history.
const STEPS: u32 = 400;

/// A text as an SQL literal.
fn literal(text: Option<&str>) -> String {
    text.map_or("NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")))
}

/// How many stored rows equal this one. Databases read decimal numbers to the last digit but one.
async fn count_equal(fixture: &StoreFixture, row: &FieldRow) -> i64 {
    let close = |column: &str, number: Option<f64>| match number {
        Some(number) => format!("abs({column} - {number:e}) <= 1e-12 * abs({number:e})"),
        None => format!("{column} IS NULL"),
    };
    let texts = [
        ("key", Some(row.key.as_str())),
        ("value", row.value.as_deref()),
        ("value_type", Some(row.value_type)),
        ("normalised_value", row.normalised_value.as_deref()),
        ("folded_value", row.folded_value.as_deref()),
        ("date_value", row.date_value.as_deref()),
        ("visit_id", row.visit_id.as_deref()),
        ("origin", Some(row.origin)),
    ];
    let mut conditions: Vec<String> = texts
        .into_iter()
        .map(|(column, text)| format!("{column} IS NOT DISTINCT FROM {}", literal(text)))
        .collect();
    for (column, id) in
        [("document_id", row.document_id.0), ("run_id", row.run_id.0), ("field_id", row.field_id.0)]
    {
        conditions.push(format!("{column} = {}", fixture.sql.id(id)));
    }
    conditions.push(format!("version_number = {} AND position = {}", row.version_number, row.position));
    let page = row.page.map_or("NULL".to_owned(), |page| page.to_string());
    conditions.push(format!("page IS NOT DISTINCT FROM {page}"));
    conditions.push(close("number_value", row.number_value));
    conditions.push(close("confidence", Some(row.confidence)));
    let query = format!("SELECT count(*) FROM document_fields WHERE {}", conditions.join(" AND "));
    fixture.sql.number(&query).await
}

/// Compares the table with the active versions. Returns how many rows it has.
async fn compare(fixture: &StoreFixture) -> usize {
    let all = DocumentListQuery { limit: 1000, ..DocumentListQuery::default() };
    let all = fixture.store.documents.list(all).await.unwrap();
    let ids: Vec<_> = all.iter().map(|one| one.document.id).collect();
    let versions = fixture.store.reviews.active_versions(&ids).await.unwrap();
    let expected: Vec<FieldRow> =
        versions.iter().flat_map(|(_, version)| field_rows(version.number, &version.data)).collect();
    for row in &expected {
        assert_eq!(count_equal(fixture, row).await, 1, "{row:?}");
    }
    let stored = usize::try_from(fixture.count("document_fields").await).unwrap();
    assert_eq!(stored, expected.len(), "there is no other row");
    stored
}

/// Proves R205: dates and numbers can be compared, text is found without accents, and the rows follow the version that the
/// review shows.
pub async fn the_fields_of_the_shown_version_stand_in_columns(fixture: &StoreFixture) {
    let field = |key: &str, value: &str, value_type| {
        Field::new(key, Value::Text(value.to_owned()), value_type, Origin::Machine, 1.0 / 3.0)
    };
    let fields = vec![
        Field {
            evidence: Some(Evidence::new(3, "total", Vec::new())),
            ..Field::new("total", Value::Number(1234.5), ValueType::Number, Origin::Machine, 0.9)
        },
        Field { visit_id: Some("v1".to_owned()), ..field("visit_date", "2024-03-09", ValueType::Date) },
        field("diagnosis", "Otitis  CR\u{d3}NICA 'x' \0\u{1f43e}", ValueType::String),
        field("notes", &"\u{f1}".repeat(5000), ValueType::String),
        Field::new("breed", Value::Null, ValueType::String, Origin::Derived, 0.5),
        Field::new("is_neutered", Value::Bool(true), ValueType::Boolean, Origin::Human, 1.0),
    ];
    let (document, first, _) = fixture.document_with_fields(fields.clone()).await;
    assert_eq!(compare(fixture).await, fields.len());
    let wanted = folded_value("otitis cr\u{f3}nica 'X' \u{1f43e}");
    let matching = |condition: &str| format!("SELECT count(*) FROM document_fields WHERE {condition}");
    for condition in [
        "key = 'total' AND number_value BETWEEN 1000 AND 2000".to_owned(),
        "key = 'visit_date' AND date_value >= '2024-03-01' AND date_value < '2024-04-01'".to_owned(),
        format!("key = 'diagnosis' AND folded_value = {}", literal(Some(&wanted))),
    ] {
        assert_eq!(fixture.sql.number(&matching(&condition)).await, 1, "{condition}");
    }

    fixture.edit_active_version(first, &[add_field("species", "canino")], at(5)).await;
    assert_eq!(compare(fixture).await, fields.len() + 1, "an edit");
    let second = fixture.enqueue(document.into(), at(6)).await;
    fixture.complete_next_run(second, Some(fields[..2].to_vec()), 10).await;
    assert_eq!(compare(fixture).await, 2, "a newer run");
    fixture.edit_active_version(first, &[add_field("color", "negro")], at(20)).await;
    assert_eq!(compare(fixture).await, 2, "an older run was edited");
    let third = fixture.enqueue(document.into(), at(21)).await;
    fixture.complete_next_run(third, None, 30).await;
    assert_eq!(compare(fixture).await, 0, "the newest run has no interpretation");

    let (purged, _, _) = fixture.interpreted_document().await;
    assert_eq!(compare(fixture).await, 2);
    fixture.store.documents.purge(purged.into(), at(50)).await.unwrap();
    assert_eq!(compare(fixture).await, 0, "a purge");
}

/// Proves R205, R209 for documents from before: the table equals the versions after any history, and also when a migration
/// fills it.
pub async fn document_fields_equal_the_active_versions_after_any_history(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 2205).await;
    for step in 0..STEPS {
        history.step().await;
        if step % 25 == 0 {
            compare(fixture).await;
        }
    }
    let rows = compare(fixture).await;
    assert!(rows > 5, "the history leaves fields: {rows}");

    let versions = fixture.store.migrations.status().await.unwrap();
    let created =
        versions.iter().find(|migration| migration.name.ends_with("_document_fields")).unwrap().version;
    fixture.store.migrations.down(created - 1).await.unwrap();
    fixture.store.migrations.up(None).await.unwrap();
    assert_eq!(compare(fixture).await, rows);
}

/// Whichever comes first, the table has the fields of the version that the review shows.
pub async fn an_edit_while_a_run_completes_leaves_the_fields_of_one_version(fixture: &StoreFixture) {
    let mut history = RandomHistory::new(fixture, 11).await;
    let document = document(DocumentId::new());
    fixture.add_document(&document, None, at(0)).await;
    for round in 0..20 {
        let now = history.next_time();
        fixture.reprocess(document.id, now).await;
        let before = fixture.store.reviews.review(document.id).await.unwrap().active;
        let run = fixture.claim_one(history.worker, now).await.run;
        let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Interpretation, now);
        write.interpretation = Some(first_version(&run, vec![history.random_field()], now));
        write.transition = transition_write(&run, RunChange::Complete, now).transition;
        let (queue, reviews) = (fixture.store.queue.clone(), fixture.store.reviews.clone());
        let completing = tokio::spawn(async move { queue.write(write).await });
        if let Some(before) = before {
            let edit = edit(&before, &[add_field("species", &format!("s{round}"))], now);
            // It is refused if the run is still running, and edits an older run if that has completed.
            let _ = reviews.save(&edit).await.unwrap();
        }
        let completed = completing.await.unwrap().unwrap();
        assert!(matches!(completed, RunWriteOutcome::Accepted(_)), "{completed:?}");
        compare(fixture).await;
    }
}
