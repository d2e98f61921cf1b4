//! The memory of vectors is bounded and keeps the newest, and models are never mixed.

use super::*;

fn filled(vectors: &[(&str, Vec<f32>)]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE search_documents (number INTEGER PRIMARY KEY, document_id BLOB);
             CREATE TABLE search_chunks (id INTEGER PRIMARY KEY, document_number INTEGER, position INTEGER);
             CREATE TABLE search_vectors (id INTEGER PRIMARY KEY, chunk_id INTEGER, model TEXT, vector BLOB);",
        )
        .unwrap();
    for ((model, vector), number) in vectors.iter().zip(1u128..) {
        let id = uuid::Uuid::from_u128(number);
        let small = i64::try_from(number).unwrap();
        connection
            .execute("INSERT INTO search_documents VALUES (?1, ?2)", params![small, id.as_bytes()])
            .unwrap();
        connection.execute("INSERT INTO search_chunks VALUES (?1 << 16 | 2, ?1, 2)", [small]).unwrap();
        let values = params![small, model, encode(vector)];
        connection.execute("INSERT INTO search_vectors VALUES (?1, ?1 << 16 | 2, ?2, ?3)", values).unwrap();
    }
    connection
}

fn found(vectors: &Vectors, connection: &Connection, model: &str, among: Option<&[u128]>) -> Vec<u128> {
    let among = among.map(|among| among.iter().map(|id| DocumentId(uuid::Uuid::from_u128(*id))).collect());
    let query = NearestQuery { model: model.to_owned(), vector: vec![1.0, 0.0], among, limit: 3 };
    let near = vectors.nearest(connection, &query).unwrap();
    near.iter().map(|near| near.document.0.as_u128()).collect()
}

#[test]
fn models_are_not_compared_although_searches_alternate() {
    let (near, far) = (vec![1.0, 0.0], vec![0.6, 0.8]);
    let connection = filled(&[("one", far.clone()), ("two", near.clone()), ("one", near), ("two", far)]);
    let vectors = Vectors::default();
    for _ in 0..2 {
        assert_eq!(found(&vectors, &connection, "one", None), [3, 1]);
        assert_eq!(found(&vectors, &connection, "two", None), [2, 4]);
        assert!(found(&vectors, &connection, "three", None).is_empty());
    }
    assert_eq!(vectors.models.lock().unwrap().len(), MODELS);
}

#[test]
fn a_full_memory_keeps_the_newest_vectors() {
    let vector = |share: f32| ("one", vec![share, (1.0 - share * share).sqrt()]);
    let connection = filled(&[vector(0.9), vector(0.8), vector(0.7), vector(0.6), vector(0.5)]);
    let vectors = Vectors { max_bytes: 8, ..Vectors::default() };
    for _ in 0..2 {
        assert_eq!(found(&vectors, &connection, "one", None), [2, 3, 4], "the first has made room");
    }
    let of_model = vectors.of_model("one", 2);
    assert!(of_model.cache.read().unwrap().bytes.len() <= 8);
    assert!(of_model.is_told.load(Ordering::Relaxed));
}

#[test]
fn only_the_given_documents_are_compared() {
    let (near, far) = (vec![1.0, 0.0], vec![0.0, 1.0]);
    let connection = filled(&[("one", near.clone()), ("one", near.clone()), ("one", near), ("one", far)]);
    let vectors = Vectors::default();
    assert_eq!(found(&vectors, &connection, "one", Some(&[4])), [4], "although three are nearer");
    assert!(found(&vectors, &connection, "one", Some(&[])).is_empty());
}

/// In one byte a number these two are the same.
#[test]
fn close_vectors_are_told_apart_by_what_is_stored() {
    let close = |more: f32| ("one", vec![0.9 + more, (1.0f32 - (0.9 + more).powi(2)).sqrt()]);
    let connection = filled(&[close(0.000_1), close(0.000_2), close(0.0), close(0.000_3)]);
    assert_eq!(found(&Vectors::default(), &connection, "one", None), [4, 2, 1]);
}

/// Numbers are multiplied in blocks; these are more and fewer.
#[test]
fn every_number_counts_whatever_the_dimension_and_the_signs() {
    for dimension in [1u8, 35, 63, 64, 65, 240] {
        let number = |place: u8| (f32::from(place) * 1.7 + f32::from(dimension)).sin();
        let vector: Vec<f32> = (0..dimension).map(number).collect();
        let largest = vector.iter().fold(0.0f32, |largest, number| largest.max(number.abs()));
        let mut cache = Cache::default();
        cache.add(1, &vector, vector.len());
        cache.add(2, &vector.iter().map(|number| -number).collect::<Vec<_>>(), vector.len());
        let found = cache.nearest(&vector, 2, 0..2);
        let exact: f32 = vector.iter().map(|number| number * number).sum();
        let error = f64::from(largest / 127.0 * vector.iter().map(|number| number.abs()).sum::<f32>());
        assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 2], "{dimension}");
        assert!((found[0].1 - f64::from(exact)).abs() <= error, "{dimension}: {found:?} for {exact}");
        assert!((found[1].1 + f64::from(exact)).abs() <= error, "{dimension}: {found:?} for {exact}");
    }
}
