//! How many of the nearest vectors a store finds, of those that an exact comparison finds.

use std::collections::BTreeSet;

use quire_ports::{NearestQuery, Store};
use quire_understanding::search::hashed_vector;

use super::corpus::{Corpus, MODEL};
use crate::report::Measurement;

const NEAREST: usize = 10;

pub async fn recall(store: &Store, corpus: &Corpus, queries: usize) -> Measurement {
    let vectors: Vec<Vec<f32>> = corpus.documents.iter().flatten().map(|text| hashed_vector(text)).collect();
    let (mut found, mut asked) = (0, 0);
    for text in corpus.queries(queries.min(100)) {
        let vector = hashed_vector(&text);
        let mut exact: Vec<f32> = vectors.iter().map(|other| dot(&vector, other)).collect();
        exact.sort_by(|one, other| other.total_cmp(one));
        // Equal similarities are equally near, and a byte or half precision moves them a little.
        let least = f64::from(exact[NEAREST.min(exact.len()) - 1]) - 1e-3;
        let limit = u32::try_from(NEAREST).unwrap();
        let query = NearestQuery { model: MODEL.to_owned(), vector, among: None, limit };
        let near = store.search.nearest(&query).await.unwrap().unwrap();
        let places: BTreeSet<_> = near.iter().map(|near| (near.document, near.position)).collect();
        assert_eq!(places.len(), near.len(), "each once");
        found += near.iter().filter(|near| near.similarity >= least).count();
        asked += NEAREST.min(exact.len());
    }
    Measurement::at_least("of the ten nearest vectors", found as f64 / asked.max(1) as f64, 0.97, "")
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
