//! Near vectors by comparing with all of them, which are kept in memory in one byte a number. The nearest of these are compared
//! once more, as they are stored.
//!
//! A vector never changes. So before each search only the new ones are read, and those of chunks that are gone are dropped when
//! they are found. A hundred thousand vectors take a few milliseconds. Each model has a memory of its own, so that vectors of
//! different models are never compared, even while the model changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use quire_domain::{DocumentId, hex};
use quire_ports::{NearChunk, NearestQuery, PortResult};
use quire_sql::json_text;
use rusqlite::{Connection, params};

use crate::row::all;
use crate::sql;

/// The most memory that the vectors of a model take. If there are more, those that were stored last are kept.
const MAX_BYTES: usize = 512 << 20;
/// Models whose vectors are kept: the present one, and the one before while documents are embedded again.
const MODELS: usize = 2;
/// What stands for nothing in the bytes of a vector.
const ZERO: u8 = 128;
/// Numbers of a vector that are multiplied together.
const BLOCK: usize = 64;
/// Vectors that are read at once.
const BATCH: u32 = 5_000;
/// How many times as many vectors as wanted are looked for, because some may be gone.
const SPARE: usize = 3;
/// How many vectors more than wanted are compared as they are stored: with one byte a number, close ones change places.
const COMPARED_AGAIN: usize = 40;

/// The vectors of the models that are searched for.
pub(crate) struct Vectors {
    /// The one that was used last stands last.
    models: Mutex<Vec<Arc<ModelVectors>>>,
    max_bytes: usize,
}

impl Default for Vectors {
    fn default() -> Self {
        Self { models: Mutex::default(), max_bytes: MAX_BYTES }
    }
}

/// The vectors of one model.
struct ModelVectors {
    model: String,
    dimension: usize,
    max_bytes: usize,
    cache: RwLock<Cache>,
    /// Whether the log says that not all vectors fit.
    is_told: AtomicBool,
}

#[derive(Default)]
struct Cache {
    last: i64,
    ids: Vec<i64>,
    /// What a byte is worth in each vector.
    scales: Vec<f32>,
    /// The numbers of the vectors, each [`ZERO`] more than it is.
    bytes: Vec<u8>,
    /// Vectors that were found to be gone.
    gone: usize,
}

impl Vectors {
    /// The nearest chunks, nearest first.
    pub(crate) fn nearest(
        &self,
        connection: &Connection,
        query: &NearestQuery,
    ) -> PortResult<Vec<NearChunk>> {
        let vectors = self.of_model(&query.model, query.vector.len());
        vectors.read_new(connection)?;
        vectors.nearest(connection, query)
    }

    fn of_model(&self, model: &str, dimension: usize) -> Arc<ModelVectors> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let known = models.iter().position(|known| known.model == model && known.dimension == dimension);
        let vectors = match known {
            Some(place) => models.remove(place),
            None => Arc::new(ModelVectors {
                model: model.to_owned(),
                dimension,
                max_bytes: self.max_bytes,
                cache: RwLock::default(),
                is_told: AtomicBool::new(false),
            }),
        };
        models.push(vectors.clone());
        if models.len() > MODELS {
            models.remove(0);
        }
        vectors
    }
}

impl ModelVectors {
    fn nearest(&self, connection: &Connection, query: &NearestQuery) -> PortResult<Vec<NearChunk>> {
        let wanted = query.limit as usize;
        // Some may be gone, and close ones change places.
        let looked_for = (wanted + COMPARED_AGAIN).max(wanted * SPARE);
        let among = query.among.as_ref().map(|among| self.ids_among(connection, among)).transpose()?;
        let near = {
            let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
            match among {
                Some(ids) => {
                    let places = ids.iter().filter_map(|id| cache.ids.binary_search(id).ok());
                    cache.nearest(&query.vector, looked_for, places)
                }
                None => cache.nearest(&query.vector, looked_for, 0..cache.ids.len()),
            }
        };
        let (mut found, mut gone) = (Vec::with_capacity(wanted + COMPARED_AGAIN), Vec::new());
        let mut left = near.as_slice();
        while found.len() < wanted + COMPARED_AGAIN && !left.is_empty() {
            let (next, others) = left.split_at(left.len().min(wanted + COMPARED_AGAIN - found.len()));
            left = others;
            let ids: Vec<i64> = next.iter().map(|(id, _)| *id).collect();
            let stored = stored(connection, &ids, &query.vector)?;
            gone.extend(ids.into_iter().filter(|id| !stored.iter().any(|(known, _)| known == id)));
            found.extend(stored.into_iter().map(|(_, chunk)| chunk));
        }
        found.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
        found.truncate(wanted);
        if !gone.is_empty() {
            let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
            cache.drop_vectors(&gone);
            // Much of what is kept is gone: read everything again at the next search.
            if cache.gone > cache.ids.len() / 4 || (near.len() == looked_for && found.len() < wanted) {
                *cache = Cache::default();
            }
        }
        Ok(found)
    }

    /// The vectors of these documents.
    fn ids_among(&self, connection: &Connection, among: &[DocumentId]) -> PortResult<Vec<i64>> {
        let ids: Vec<String> = among.iter().map(|document| hex(document.0.as_bytes())).collect();
        let values = params![json_text(&ids)?, self.model];
        all(connection, sql!("search/vectors_among"), values, |row| row.integer("id"))
    }

    /// Reads the vectors that were stored since the last search.
    fn read_new(&self, connection: &Connection) -> PortResult<()> {
        let last = self.cache.read().unwrap_or_else(PoisonError::into_inner).last;
        let mut new = read(connection, last, &self.model)?;
        if new.is_empty() {
            return Ok(());
        }
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        while !new.is_empty() {
            for (id, vector) in &new {
                if cache.bytes.len() + self.dimension > self.max_bytes {
                    cache.make_room(self.dimension);
                    self.tell_once();
                }
                cache.add(*id, vector, self.dimension);
            }
            new = read(connection, cache.last, &self.model)?;
        }
        Ok(())
    }

    fn tell_once(&self) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                max_mb = self.max_bytes >> 20,
                "search: the vectors do not fit into memory, so the documents that were indexed first are not found by their meaning"
            );
        }
    }
}

/// Those of the vectors that still exist, as they are stored.
fn stored(connection: &Connection, ids: &[i64], vector: &[f32]) -> PortResult<Vec<(i64, NearChunk)>> {
    all(connection, sql!("search/vector_places"), [json_text(&ids)?], |row| {
        let chunk = NearChunk {
            document: DocumentId(row.uuid("document_id")?),
            position: row.integer("position")?,
            similarity: similarity(vector, row.optional_bytes("vector")?.unwrap_or_default()),
        };
        Ok((row.integer("id")?, chunk))
    })
}

fn read(connection: &Connection, after: i64, model: &str) -> PortResult<Vec<(i64, Vec<f32>)>> {
    all(connection, sql!("search/vectors_after"), params![after, model, BATCH], |row| {
        Ok((row.integer("id")?, decode(row.optional_bytes("vector")?.unwrap_or_default())))
    })
}

/// A vector as bytes.
pub(crate) fn encode(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A vector from its bytes.
pub(crate) fn decode(bytes: &[u8]) -> Vec<f32> {
    let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).map(number).collect()
}

impl Cache {
    /// Adds a vector, unless another search has added it meanwhile.
    fn add(&mut self, id: i64, vector: &[f32], dimension: usize) {
        if id <= self.last {
            return;
        }
        self.last = id;
        if vector.len() != dimension {
            return;
        }
        let (scale, bytes) = quantise(vector);
        self.ids.push(id);
        self.scales.push(scale);
        self.bytes.extend(bytes.map(|byte| byte.cast_unsigned() ^ ZERO));
    }

    /// Drops the oldest quarter.
    fn make_room(&mut self, dimension: usize) {
        let oldest = self.ids.len().div_ceil(4);
        self.ids.drain(..oldest);
        self.scales.drain(..oldest);
        self.bytes.drain(..oldest * dimension);
    }

    /// Vectors that are gone are near to nothing from now on.
    fn drop_vectors(&mut self, gone: &[i64]) {
        for id in gone {
            if let Ok(place) = self.ids.binary_search(id)
                && self.scales[place] > 0.0
            {
                self.scales[place] = 0.0;
                self.gone += 1;
            }
        }
    }

    /// The nearest of the vectors at these places with their similarity, nearest first.
    fn nearest(&self, vector: &[f32], limit: usize, places: impl Iterator<Item = usize>) -> Vec<(i64, f64)> {
        let dimension = vector.len();
        if dimension == 0 || limit == 0 {
            return Vec::new();
        }
        let (scale, query) = quantise(vector);
        let query: Vec<i16> = query.map(i16::from).collect();
        // What the numbers are too much.
        let surplus = i32::from(ZERO) * query.iter().copied().map(i32::from).sum::<i32>();
        let mut near: Vec<(f32, i64)> = Vec::with_capacity(limit * 2);
        let mut least = f32::MIN;
        for place in places {
            let of_row = self.scales[place];
            if of_row <= 0.0 {
                continue;
            }
            let row = &self.bytes[place * dimension..][..dimension];
            let similarity = as_number(dot(row, &query) - surplus) * of_row * scale;
            if similarity > least {
                near.push((similarity, self.ids[place]));
                if near.len() == limit * 2 {
                    near.select_nth_unstable_by(limit - 1, |one, other| other.0.total_cmp(&one.0));
                    near.truncate(limit);
                    least = near.last().map_or(f32::MIN, |last| last.0);
                }
            }
        }
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        near.truncate(limit);
        near.into_iter().map(|(similarity, id)| (id, f64::from(similarity))).collect()
    }
}

/// A vector in one byte a number, and what a byte is worth.
#[allow(clippy::cast_possible_truncation)] // Between -127 and 127.
fn quantise(vector: &[f32]) -> (f32, impl Iterator<Item = i8>) {
    let largest = vector.iter().fold(0.0f32, |largest, number| largest.max(number.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    (scale, vector.iter().map(move |number| (number / scale).round() as i8))
}

/// The similarity of a vector with another as it is stored.
fn similarity(vector: &[f32], stored: &[u8]) -> f64 {
    let numbers = stored.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    f64::from(vector.iter().zip(numbers).map(|(one, other)| one * other).sum::<f32>())
}

/// The scalar product.
fn dot(row: &[u8], query: &[i16]) -> i32 {
    let ((rows, last), (queries, last_of_query)) = (row.as_chunks::<BLOCK>(), query.as_chunks::<BLOCK>());
    let blocks: i32 = rows.iter().zip(queries).map(|(row, query)| dot_of_block(row, query)).sum();
    let product = |(one, other): (&u8, &i16)| i32::from(*one) * i32::from(*other);
    blocks + last.iter().zip(last_of_query).map(product).sum::<i32>()
}

/// Bytes without a sign, sixteen sums and a known length let the compiler multiply and add eight pairs by one instruction that every
/// processor has. It is a function by itself with plain loops because the compiler does not find that everywhere: with iterators, or
/// without a known length, it took twice as long and longer.
#[inline(never)]
#[allow(clippy::needless_range_loop)]
fn dot_of_block(row: &[u8; BLOCK], query: &[i16; BLOCK]) -> i32 {
    let mut sums = [0; 16];
    for part in 0..BLOCK / 16 {
        for place in 0..16 {
            sums[place] += i32::from(row[part * 16 + place]) * i32::from(query[part * 16 + place]);
        }
    }
    sums.iter().sum()
}

#[allow(clippy::cast_precision_loss)] // At most 127 * 127 * dimension.
fn as_number(product: i32) -> f32 {
    product as f32
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
