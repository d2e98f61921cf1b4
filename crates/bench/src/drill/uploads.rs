//! Clients that upload documents until each is acknowledged, and the comparison of what they were told with what is stored.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use quire_domain::{DocumentId, RunId};
use quire_ports::{BlobStore, Store};

use super::outages::traffic::{all_documents, document, exchange};
use super::{all_runs, check_history};

const CLIENTS: u32 = 4;
/// Uploads are spread over this time each, so that disturbances meet them.
const UPLOAD_TIME: Duration = Duration::from_millis(150);

/// The server that clients ask.
pub type Address = Arc<RwLock<SocketAddr>>;

/// What the server answered.
#[derive(Default)]
pub struct Answers {
    /// The documents that each upload became.
    documents: HashMap<u64, HashSet<DocumentId>>,
    /// Attempts that got no answer, and those that were refused. Each was sent again.
    unanswered: u64,
    refused: u64,
}

impl Answers {
    /// Notes an answer, or that there was none. Returns whether the upload was acknowledged.
    fn note(&mut self, number: u64, status: Option<u16>, id: Option<DocumentId>) -> bool {
        match (status, id) {
            (Some(200 | 201), Some(id)) => {
                self.documents.entry(number).or_default().insert(id);
                return true;
            }
            (None, _) => self.unanswered += 1,
            (Some(_), _) => self.refused += 1,
        }
        false
    }
}

/// Uploads every document, each until it got an answer.
pub async fn send_all(address: Address, uploads: u64) -> Answers {
    let (next, answers) = (Arc::new(AtomicU64::new(1)), Arc::new(Mutex::new(Answers::default())));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (address, next, answers) = (address.clone(), next.clone(), answers.clone());
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > uploads {
                        return;
                    }
                    send(&address, number, &answers).await;
                    tokio::time::sleep(UPLOAD_TIME * CLIENTS).await;
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    std::mem::take(&mut *answers.lock().unwrap())
}

/// Sends a document with its idempotency key until it is acknowledged.
async fn send(address: &Address, number: u64, answers: &Mutex<Answers>) {
    let request = document::upload_request(number, &format!("Idempotency-Key: drill-{number}\r\n"));
    loop {
        let server = *address.read().unwrap();
        let response = exchange(server, [&request, b""], Duration::ZERO).await;
        let body: serde_json::Value = response
            .as_ref()
            .and_then(|response| serde_json::from_slice(&response.body).ok())
            .unwrap_or_default();
        let id = body["document_id"].as_str().and_then(|id| id.parse().ok());
        if answers.lock().unwrap().note(number, response.map(|response| response.status), id) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Whether each upload became one document with its file, which was processed once, and nothing else is stored. Prints what is
/// wrong.
pub async fn check(store: &Store, blobs: &dyn BlobStore, answers: &Answers, uploads: u64) -> bool {
    let (violations, runs) = compare(store, blobs, answers, uploads).await;
    for violation in violations.iter().take(20) {
        println!("VIOLATION: {violation}");
    }
    println!("violations by uploads, documents and files: {}", violations.len());
    let checked = check_history(store, runs).await;
    violations.is_empty() && checked.violations.is_empty()
}

/// What is wrong with what is stored, and the runs of the documents.
async fn compare(
    store: &Store,
    blobs: &dyn BlobStore,
    answers: &Answers,
    uploads: u64,
) -> (Vec<String>, Vec<RunId>) {
    let mut stored: HashMap<DocumentId, _> =
        all_documents(store).await.into_iter().map(|document| (document.id, document)).collect();
    let mut folders = all_folders(blobs).await;
    let mut runs: HashMap<DocumentId, Vec<_>> = HashMap::new();
    for run in all_runs(store).await {
        runs.entry(DocumentId(run.subject.0)).or_default().push(run);
    }
    println!(
        "acknowledged {}, documents {}, folders {}, runs {}; sent again: {} without an answer, {} refused",
        answers.documents.len(),
        stored.len(),
        folders.len(),
        runs.values().map(Vec::len).sum::<usize>(),
        answers.unanswered,
        answers.refused
    );
    let (mut violations, mut accepted) = (Vec::new(), Vec::new());
    for number in 1..=uploads {
        let ids: Vec<DocumentId> = answers.documents.get(&number).into_iter().flatten().copied().collect();
        let [id] = ids[..] else {
            violations.push(format!("upload {number} became {} documents", ids.len()));
            continue;
        };
        let Some(found) =
            stored.remove(&id).filter(|found| found.original_filename == document::name(number))
        else {
            violations.push(format!("document {number} was acknowledged and is lost ({id})"));
            continue;
        };
        if blobs.get(&found.storage_path, 1 << 30).await.ok() != Some(document::file(number)) {
            violations.push(format!("the file of document {number} is missing or differs ({id})"));
        }
        if !folders.remove(&id.to_string()) {
            violations.push(format!("document {number} has no folder ({id})"));
        }
        match runs.remove(&id).unwrap_or_default().as_slice() {
            [run] if run.state.as_str() == "COMPLETED" => accepted.push(run.id),
            [run] => violations.push(format!(
                "the run of document {number} is {} ({})",
                run.state.as_str(),
                run.state.reason().map_or("", |reason| reason.record.message.as_str())
            )),
            several => violations.push(format!("document {number} has {} runs", several.len())),
        }
    }
    violations.extend(stored.keys().map(|id| format!("{id} was never acknowledged and is stored")));
    violations.extend(folders.iter().map(|name| format!("the folder {name} has no document")));
    (violations, accepted)
}

/// The names of the folders of documents.
async fn all_folders(blobs: &dyn BlobStore) -> HashSet<String> {
    let (mut folders, mut after) = (HashSet::new(), None);
    loop {
        let page = blobs.folders(after.as_deref()).await.unwrap();
        folders.extend(page.names);
        after = page.next;
        if after.is_none() {
            return folders;
        }
    }
}
