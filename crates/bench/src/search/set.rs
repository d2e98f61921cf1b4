//! Sets of documents and queries that tell how well results are ordered.

use std::collections::HashMap;
use std::io::BufRead as _;
use std::path::Path;

use quire_domain::reading::Reading;
use quire_understanding::search::chunks;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Documents and queries.
pub struct RetrievalSet {
    /// What it is called.
    pub name: String,
    /// The documents.
    pub documents: Vec<SetDocument>,
    /// The queries.
    pub queries: Vec<SetQuery>,
}

/// A document of a set.
pub struct SetDocument {
    /// Its language, if it is known.
    pub language: Option<String>,
    /// Its chunks.
    pub chunks: Vec<String>,
}

/// A query of a set.
pub struct SetQuery {
    /// The kind of query, for the report.
    pub kind: &'static str,
    /// The query.
    pub text: String,
    /// How much each document is worth that answers it, by its place in the set.
    pub relevant: HashMap<usize, f64>,
}

impl SetDocument {
    /// A document of this text, cut as an uploaded text file is.
    pub fn new(text: &str) -> Self {
        let pages = quire_reading::text::read(text.as_bytes()).unwrap_or_default();
        let pages = pages.into_iter().map(|parsed| parsed.page).collect();
        let reading = Reading { pages };
        Self {
            language: quire_reading::language::detect(text).map(ToOwned::to_owned),
            chunks: chunks(&reading).into_iter().map(|chunk| chunk.text).collect(),
        }
    }
}

#[derive(Deserialize)]
struct CorpusLine {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(rename = "_id")]
    id: String,
    text: String,
}

impl RetrievalSet {
    /// A set in the layout of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`. Queries that no document answers are
    /// left out.
    pub fn open(folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let corpus: Vec<CorpusLine> = json_lines(&folder.join("corpus.jsonl"));
        let places: HashMap<String, usize> =
            corpus.iter().enumerate().map(|(place, line)| (line.id.clone(), place)).collect();
        let documents =
            corpus.iter().map(|line| SetDocument::new(&format!("{}\n\n{}", line.title, line.text))).collect();
        let mut relevant: HashMap<String, HashMap<usize, f64>> = HashMap::new();
        for line in std::fs::read_to_string(folder.join("qrels/test.tsv")).unwrap().lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let [query, document, grade] = columns[..] else { panic!("{line} has not three columns") };
            let grade: f64 = grade.trim().parse().unwrap();
            if grade > 0.0
                && let Some(place) = places.get(document)
            {
                relevant.entry(query.to_owned()).or_default().insert(*place, grade);
            }
        }
        let query = |line: QueryLine| {
            Some(SetQuery { kind: "queries", text: line.text, relevant: relevant.remove(&line.id)? })
        };
        let queries = json_lines(&folder.join("queries.jsonl")).into_iter().filter_map(query).collect();
        Self { name, documents, queries }
    }
}

fn json_lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = std::io::BufReader::new(file).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}
