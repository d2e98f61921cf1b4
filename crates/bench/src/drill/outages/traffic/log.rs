//! What clients were told, and whether it is true.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use quire_domain::{Document, DocumentId, Run, RunId};
use quire_ports::{DocumentCursor, DocumentListQuery, Store};

use super::super::entries;
use super::{Response, document};
use crate::drill::all_runs;

/// How uploads may be refused.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    StorageAway,
    DiskFull,
}

impl Expected {
    fn allows(self, status: u16, code: &str) -> bool {
        match (status, code) {
            (503, "SERVICE_UNAVAILABLE") => true,
            (507, "STORAGE_FULL") => matches!(self, Self::DiskFull),
            _ => false,
        }
    }
}

/// What clients were told.
pub struct TrafficLog {
    expected: Expected,
    uploads: u64,
    acknowledged: Vec<(u64, DocumentId)>,
    refused: Vec<u64>,
    /// Requests without a response: their documents may be stored or not.
    unanswered: Vec<u64>,
    /// The number of responses by status and error code.
    responses: BTreeMap<String, usize>,
    /// What must not happen.
    pub violations: Vec<String>,
}

/// What is stored, and what is wrong with it.
pub struct Findings {
    /// The runs of the acknowledged documents.
    pub runs: Vec<RunId>,
    pub violations: Vec<String>,
}

impl TrafficLog {
    pub fn new(expected: Expected) -> Self {
        Self {
            expected,
            uploads: 0,
            acknowledged: Vec::new(),
            refused: Vec::new(),
            unanswered: Vec::new(),
            responses: BTreeMap::new(),
            violations: Vec::new(),
        }
    }

    /// The number of the next document.
    pub fn next_upload(&mut self) -> u64 {
        self.uploads += 1;
        self.uploads
    }

    pub fn acknowledged(&self) -> usize {
        self.acknowledged.len()
    }

    pub fn refused(&self) -> usize {
        self.refused.len()
    }

    pub fn documents(&self) -> &[(u64, DocumentId)] {
        &self.acknowledged
    }

    pub fn note_upload(&mut self, number: u64, response: Option<Response>) {
        let Some(response) = response else {
            self.count("upload without a response".to_owned());
            return self.unanswered.push(number);
        };
        let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let text = |member: &str| body[member].as_str().unwrap_or_default().to_owned();
        if let (201, Ok(id)) = (response.status, text("document_id").parse()) {
            self.count("upload 201".to_owned());
            return self.acknowledged.push((number, id));
        }
        let code = text("error_code");
        self.count(format!("upload {} {code}", response.status));
        self.refused.push(number);
        if !self.expected.allows(response.status, &code) {
            self.violations.push(format!(
                "upload {number} got {} {code}: {}",
                response.status,
                text("message")
            ));
        }
    }

    pub fn note_download(&mut self, number: u64, response: Option<Response>) {
        let Some(response) = response else { return self.count("download without a response".to_owned()) };
        self.count(format!("download {}", response.status));
        match response.status {
            200 if response.body == document::file(number) => {}
            503 => {}
            status => self.violations.push(format!("the download of document {number} got a wrong {status}")),
        }
    }

    fn count(&mut self, response: String) {
        *self.responses.entry(response).or_default() += 1;
    }

    pub fn print(&self) {
        println!("requests: {:?}", self.responses);
    }

    /// Compares what clients were told with what is stored.
    pub async fn check(self, store: &Store, folder: &Path) -> Findings {
        let mut stored: HashMap<DocumentId, Document> =
            all_documents(store).await.into_iter().map(|document| (document.id, document)).collect();
        let mut runs: HashMap<DocumentId, Vec<Run>> = HashMap::new();
        for run in all_runs(store).await {
            runs.entry(DocumentId(run.subject.0)).or_default().push(run);
        }
        let mut findings = Findings { runs: Vec::new(), violations: self.violations };
        let folders = folders_of_documents(folder);
        let without_row = folders.iter().filter(|id| !stored.contains_key(id)).count();
        for (number, id) in self.acknowledged {
            let found = check_document(number, stored.remove(&id), runs.remove(&id), folder);
            findings.runs.extend(found.map_err(|what| findings.violations.push(format!("{what} ({id})"))));
        }
        // What is left was not acknowledged.
        let may_be_there: HashSet<String> = self.unanswered.iter().map(|one| document::name(*one)).collect();
        for document in stored.values().filter(|document| !may_be_there.contains(&document.original_filename))
        {
            findings.violations.push(format!("{} was refused and is stored", document.original_filename));
        }
        if without_row > self.unanswered.len() {
            findings.violations.push(format!("{without_row} folders have no document"));
        }
        let unfinished = entries(&folder.join("~incoming"));
        if unfinished > 0 {
            findings.violations.push(format!("{unfinished} temporary files are left"));
        }
        findings
    }
}

/// The run of an acknowledged document, or what is wrong.
fn check_document(
    number: u64,
    stored: Option<Document>,
    runs: Option<Vec<Run>>,
    folder: &Path,
) -> Result<RunId, String> {
    let stored = stored.ok_or_else(|| format!("document {number} was acknowledged and is lost"))?;
    if stored.original_filename != document::name(number) {
        return Err(format!("document {number} has another name"));
    }
    if std::fs::read(folder.join(&stored.storage_path)).ok() != Some(document::file(number)) {
        return Err(format!("the file of document {number} is missing or differs"));
    }
    match runs.unwrap_or_default().as_slice() {
        [run] if run.state.as_str() == "COMPLETED" => Ok(run.id),
        [run] => Err(format!(
            "the run of document {number} is {} ({})",
            run.state.as_str(),
            run.state.reason().map_or("", |reason| reason.record.message.as_str())
        )),
        runs => Err(format!("document {number} has {} runs", runs.len())),
    }
}

/// Every stored document.
pub async fn all_documents(store: &Store) -> Vec<Document> {
    let mut documents: Vec<Document> = Vec::new();
    loop {
        let after = documents.last().map(|last| DocumentCursor { created_at: last.created_at, id: last.id });
        let query = DocumentListQuery { after, limit: 500, ..DocumentListQuery::default() };
        let page = store.documents.list(query).await.unwrap();
        if page.is_empty() {
            return documents;
        }
        documents.extend(page.into_iter().map(|overview| overview.document));
    }
}

/// The documents that have a folder in the storage.
fn folders_of_documents(storage: &Path) -> Vec<DocumentId> {
    let names =
        std::fs::read_dir(storage).unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}
