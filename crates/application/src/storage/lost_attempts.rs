//! Files of attempts that came to nothing: an attempt at EXTRACTION writes its files under its fence, and a worker that loses
//! the run, or dies, leaves them without an artifact.
//!
//! No artifact can name such a file any more once the run has a newer fence, because every write compares it. So one look is
//! enough.

use quire_domain::RunId;
use quire_ports::{BlobStore, CellType, DatabaseCell, DatabaseRow, DatabaseTable, PortResult, Store};
use uuid::Uuid;

use super::named_file::{file_names, table, take};

/// How many runs are read at once.
const PAGE: u32 = 500;
/// A run that one attempt completes has this fence: one for the claim and one for the end.
const FENCE_OF_ONE_ATTEMPT: i64 = 2;
/// The names of files that carry a fence: what stands before and after it.
const FENCED: [(&str, &str); 2] = [("pages.", ".jsonl"), ("analysis.", ".json")];

/// A file that no artifact names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostAttemptFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A run that may have such files.
struct Candidate {
    run: Uuid,
    subject: Uuid,
    fence: i64,
}

/// Finds them. Looks only at runs that had more than one attempt, or did not end well.
pub async fn find_lost_attempts(store: &Store, blobs: &dyn BlobStore) -> PortResult<Vec<LostAttemptFile>> {
    let runs = table(&*store.tables.snapshot().await?, "runs")?;
    let (mut last, mut found) = (None, Vec::new());
    loop {
        let rows = store.tables.snapshot().await?.rows(&runs, last.as_ref(), PAGE).await?;
        let count = rows.len();
        last = rows.last().map(|row| runs.key_of(row)).or(last);
        for row in rows {
            if let Some(candidate) = candidate(&runs, row)? {
                found.extend(lost_files(store, blobs, &candidate).await?);
            }
        }
        if count < PAGE as usize {
            return Ok(found);
        }
    }
}

/// Removes them. Returns how many there were.
pub async fn remove_lost_attempts(blobs: &dyn BlobStore, files: &[LostAttemptFile]) -> PortResult<u64> {
    let mut removed = 0;
    for file in files {
        removed += u64::from(blobs.remove(&file.name).await?);
    }
    Ok(removed)
}

fn candidate(runs: &DatabaseTable, mut row: DatabaseRow) -> PortResult<Option<Candidate>> {
    let mut take = |name: &str, cell_type| take(runs, &mut row, name, cell_type);
    let (pipeline, state) = (take("pipeline", CellType::Text)?, take("state", CellType::Text)?);
    let (DatabaseCell::Uuid(run), DatabaseCell::Uuid(subject), DatabaseCell::Integer(fence)) =
        (take("id", CellType::Uuid)?, take("subject_id", CellType::Uuid)?, take("fence", CellType::Integer)?)
    else {
        return Ok(None);
    };
    let is_plain = state == DatabaseCell::Text("COMPLETED".to_owned()) && fence <= FENCE_OF_ONE_ATTEMPT;
    let is_document = pipeline == DatabaseCell::Text("document".to_owned());
    Ok((is_document && !is_plain && fence > 1).then_some(Candidate { run, subject, fence }))
}

/// The files of older fences that no artifact of the run names.
async fn lost_files(
    store: &Store,
    blobs: &dyn BlobStore,
    candidate: &Candidate,
) -> PortResult<Vec<LostAttemptFile>> {
    let folder = format!("{}/runs/{}", candidate.subject, candidate.run);
    let mut files = blobs.files(&folder).await?;
    files.retain(|file| fence_of(&file.name).is_some_and(|fence| fence < candidate.fence));
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let named = file_names(&store.run_reader.artifacts(RunId(candidate.run)).await?);
    files.retain(|file| !named.contains(&file.name));
    Ok(files.into_iter().map(|file| LostAttemptFile { name: file.name, bytes: file.bytes }).collect())
}

/// The fence in the name of a file.
fn fence_of(name: &str) -> Option<i64> {
    let name = name.rsplit('/').next()?;
    let between =
        |(before, after): (&str, &str)| name.strip_prefix(before)?.strip_suffix(after)?.parse().ok();
    FENCED.into_iter().find_map(between)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quire_connectors::blob::DiskBlobs;
    use quire_domain::DocumentId;
    use quire_testkit::StoreFixture;
    use quire_testkit::fixture::{at, document, document_run};
    use tempfile::TempDir;

    use super::*;
    use crate::storage::both_stores::on_both_stores;

    on_both_stores! {
        files_of_lost_attempts_are_found_and_those_of_artifacts_are_kept,
    }

    async fn files_of_lost_attempts_are_found_and_those_of_artifacts_are_kept(fixture: &StoreFixture) {
        let folder = TempDir::new().unwrap();
        let blobs: Arc<dyn BlobStore> = Arc::new(DiskBlobs::open(folder.path()).unwrap());
        let id = DocumentId::new();
        let run = document_run(id.into());
        fixture.add_document(&document(id), Some(&run), at(0)).await;
        let file = |name: &str| format!("{id}/runs/{}/{name}", run.id);
        let (artifact, key) = (fixture.sql.id(Uuid::now_v7()), fixture.sql.id(run.id.0));
        let payload = serde_json::json!({ "path": file("pages.1.jsonl") });
        for statement in [
            format!("UPDATE runs SET fence = 5 WHERE id = {key}"),
            format!(
                "INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at) \
                 SELECT {artifact}, id, 'PAGES', '{payload}', created_at FROM runs WHERE id = {key}"
            ),
        ] {
            assert_eq!(fixture.sql.execute(&statement).await, Ok(1), "{statement}");
        }
        for name in ["pages.1.jsonl", "pages.3.jsonl", "analysis.3.json", "pages.5.jsonl", "raw-text.txt"] {
            blobs.put(&file(name), vec![1; 10]).await.unwrap();
        }
        let mut found = find_lost_attempts(&fixture.store, &*blobs).await.unwrap();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        let expected =
            ["analysis.3.json", "pages.3.jsonl"].map(|name| LostAttemptFile { name: file(name), bytes: 10 });
        assert_eq!(found, expected, "the attempt with the fence 5 may be at work");
        assert_eq!(remove_lost_attempts(&*blobs, &found).await, Ok(2));
        assert_eq!(find_lost_attempts(&fixture.store, &*blobs).await, Ok(Vec::new()));
        let left = blobs.files(&format!("{id}/runs/{}", run.id)).await.unwrap();
        assert_eq!(left.len(), 3, "{left:?}");
    }

    #[test]
    fn only_names_with_a_fence_have_one() {
        assert_eq!(fence_of("a/runs/b/pages.12.jsonl"), Some(12));
        assert_eq!(fence_of("a/runs/b/analysis.3.json"), Some(3));
        for name in ["a/original.pdf", "a/runs/b/raw-text.txt", "a/runs/b/pages.x.jsonl", "pages.jsonl"] {
            assert_eq!(fence_of(name), None, "{name}");
        }
    }
}
