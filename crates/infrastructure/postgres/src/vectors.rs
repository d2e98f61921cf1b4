//! Vectors in the types of the extension pgvector, which may be in any schema. Without it they are stored as plain numbers, and
//! nothing is found by them.

use quire_domain::DocumentId;
use quire_ports::{IndexedText, NearChunk, NearestQuery, PortResult};
use quire_sql::corrupt;
use quire_sql::search::ChunkColumns;
#[cfg(feature = "testing")]
use sqlx::Row;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, PgConnection, Postgres};
use uuid::Uuid;

use crate::database::{Database, rollback};
use crate::error::translate;
use crate::row::{int, mapped, text};

/// How many neighbours the index keeps of each vector, and how many it looks at to choose them. More find the nearest vectors more surely
/// and take longer to write.
const INDEX_OPTIONS: &str = "m = 24, ef_construction = 64";
/// A larger table is indexed while others write to it.
const SMALL: i64 = 10_000;
/// The most numbers that the index allows in half precision.
const MAX_DIMENSION: usize = 4_000;

/// The schema of the extension, quoted. None if vectors are plain numbers.
const EXTENSION: &str = "SELECT quote_ident(n.nspname) \
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace \
    WHERE a.attrelid = 'search_vectors'::regclass AND a.attname = 'embedding' AND t.typname = 'halfvec'";

async fn extension(connection: &mut PgConnection) -> PortResult<Option<String>> {
    sqlx::query_scalar(EXTENSION).fetch_optional(connection).await.map_err(translate)
}

/// A text as a vector of this type.
fn cast(place: Option<&str>, text: &str, vector_type: &str) -> String {
    match place {
        Some(place) => format!("{text}::{place}.{vector_type}"),
        None => format!("translate({text}, '[]', '{{}}')::real[]"),
    }
}

/// A vector as pgvector writes it.
fn literal(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// A vector from its text, in the type of the extension or in that of PostgreSQL.
pub(crate) fn parse(text: &str) -> PortResult<Vec<f32>> {
    let numbers = text.trim_matches(['[', ']', '{', '}']).split(',');
    numbers.map(|number| number.parse().map_err(corrupt)).collect()
}

/// Stores the vectors of chunks, which are given with the numbers of their documents.
pub(crate) async fn insert(connection: &mut PgConnection, chunks: &[(i64, &ChunkColumns)]) -> PortResult<()> {
    let with_vectors: Vec<(i64, u32, &Vec<f32>)> = chunks
        .iter()
        .filter_map(|(number, chunk)| Some((*number, chunk.position, chunk.vector.as_ref()?)))
        .collect();
    if with_vectors.is_empty() {
        return Ok(());
    }
    let place = extension(connection).await?;
    let embedding = cast(place.as_deref(), "u.embedding", "halfvec");
    let statement = format!(
        "INSERT INTO search_vectors (document_number, position, dimension, embedding) \
         SELECT u.number, u.position, u.dimension, {embedding} \
         FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[]) AS u (number, position, dimension, embedding)"
    );
    let dimension = |vector: &[f32]| i32::try_from(vector.len()).unwrap_or(i32::MAX);
    sqlx::query(AssertSqlSafe(statement))
        .bind(with_vectors.iter().map(|(number, ..)| *number).collect::<Vec<_>>())
        .bind(with_vectors.iter().map(|(_, position, _)| int(*position)).collect::<Vec<_>>())
        .bind(with_vectors.iter().map(|(.., vector)| dimension(vector)).collect::<Vec<_>>())
        .bind(with_vectors.iter().map(|(.., vector)| literal(vector)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Stores the vectors of whole documents, or removes them.
pub(crate) async fn set_embeddings(
    connection: &mut PgConnection,
    documents: &[(DocumentId, Option<&IndexedText>)],
) -> PortResult<()> {
    let embedding = |indexed: Option<&IndexedText>| indexed?.embedding.as_deref().map(literal);
    let model = |indexed: Option<&IndexedText>| indexed?.model.as_deref().map(text);
    let place = extension(connection).await?;
    let cast = cast(place.as_deref(), "u.embedding", "vector");
    let statement = format!(
        "UPDATE documents d SET embedding = {cast}, embedding_model = u.model \
         FROM unnest($1::uuid[], $2::text[], $3::text[]) AS u (document_id, embedding, model) \
         WHERE d.id = u.document_id AND (u.model IS NOT NULL OR d.embedding_model IS NOT NULL)"
    );
    sqlx::query(AssertSqlSafe(statement))
        .bind(documents.iter().map(|(document, _)| document.0).collect::<Vec<Uuid>>())
        .bind(documents.iter().map(|(_, indexed)| embedding(*indexed)).collect::<Vec<_>>())
        .bind(documents.iter().map(|(_, indexed)| model(*indexed)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Creates the index of this dimension, if there is none. Returns whether vectors can be found at all. One process at a time does
/// this, so that an index that is not valid is one whose creation was interrupted.
pub(crate) async fn prepare(database: &Database, dimension: usize) -> PortResult<bool> {
    let mut connection = database.fresh().await?;
    let Some(place) = extension(&mut connection).await? else { return Ok(false) };
    if !(1..=MAX_DIMENSION).contains(&dimension) {
        return Ok(true);
    }
    let name = format!("search_vectors_by_nearness_{dimension}");
    let is_valid: Option<bool> =
        sqlx::query_scalar(IS_VALID).bind(&name).fetch_optional(&mut connection).await.map_err(translate)?;
    if is_valid == Some(true) {
        return Ok(true);
    }
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM (SELECT 1 FROM search_vectors LIMIT 10001) v")
        .fetch_one(&mut connection)
        .await
        .map_err(translate)?;
    let concurrently = if rows > SMALL { "CONCURRENTLY " } else { "" };
    let drop = format!("DROP INDEX {concurrently}IF EXISTS {name}");
    let create = format!(
        "CREATE INDEX {concurrently}IF NOT EXISTS {name} ON search_vectors \
         USING hnsw ((embedding::{place}.halfvec({dimension})) {place}.halfvec_cosine_ops) \
         WITH ({INDEX_OPTIONS}) WHERE dimension = {dimension}"
    );
    for statement in [BUILDING.to_owned(), drop, create] {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.map_err(translate)?;
    }
    Ok(true)
}

/// An index of many vectors is made in memory, in proportion to their number; what does not fit takes many times as long. Several
/// workers would share that memory, of which a container usually has little.
const BUILDING: &str = "SET statement_timeout = 0; SET max_parallel_maintenance_workers = 0; \
    SELECT set_config('maintenance_work_mem', '1GB', false) \
    WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('1GB')";

/// Whether an index of vectors can be used. No row if there is none.
const IS_VALID: &str = "SELECT i.indisvalid AND i.indisready FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
    WHERE i.indrelid = 'search_vectors'::regclass AND c.relname = $1";

/// Lets the server walk the index of nearness. Before the tables are analysed it would compare all vectors and sort them. How many
/// neighbours of each vector the index looks at decides how surely it finds the nearest ones.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 2000; SET LOCAL enable_sort = off; \
    SET LOCAL hnsw.ef_search = 700";
/// Lets it go on until there are enough vectors of the model, which costs time from the beginning.
const GO_ON: &str = "SET LOCAL hnsw.iterative_scan = relaxed_order";

/// The nearest chunks. None without the extension.
pub(crate) async fn nearest(database: &Database, query: &NearestQuery) -> PortResult<Option<Vec<NearChunk>>> {
    database.with_timeout(nearest_in_time(database, query)).await
}

async fn nearest_in_time(database: &Database, query: &NearestQuery) -> PortResult<Option<Vec<NearChunk>>> {
    let mut transaction = database.begin_with(BEGIN).await?;
    let known = match database.vector_schema.get() {
        Some(place) => Some(place.clone()),
        None => extension(&mut transaction).await?,
    };
    let Some(place) = known else {
        rollback(transaction).await?;
        return Ok(None);
    };
    database.vector_schema.get_or_init(|| place.clone());
    let among = query.among.as_ref().map(|ids| ids.iter().map(|id| id.0).collect::<Vec<Uuid>>());
    let dimension = query.vector.len();
    let statement =
        if among.is_some() { exact_statement(&place, dimension) } else { statement(&place, dimension) };
    let is_exact = among.is_some();
    let find = || bound(statement.clone(), query).bind(among.clone());
    let mut rows = find().fetch_all(&mut *transaction).await.map_err(translate)?;
    if !is_exact && rows.len() < query.limit as usize {
        sqlx::raw_sql(GO_ON).execute(&mut *transaction).await.map_err(translate)?;
        rows = find().fetch_all(&mut *transaction).await.map_err(translate)?;
    }
    rollback(transaction).await?;
    let near = mapped(&rows, |row| {
        Ok(NearChunk {
            document: DocumentId(row.uuid("document_id")?),
            position: row.integer("position")?,
            similarity: row.optional_float("similarity")?.unwrap_or_default(),
        })
    })?;
    Ok(Some(near))
}

fn bound(statement: String, query: &NearestQuery) -> Query<'static, Postgres, PgArguments> {
    let values = sqlx::query(AssertSqlSafe(statement)).bind(literal(&query.vector));
    values.bind(text(&query.model)).bind(i64::from(query.limit))
}

/// The inner query uses the index; the outer one puts what it found into exact order.
fn statement(place: &str, dimension: usize) -> String {
    let distance = distance(place, dimension);
    format!(
        "SELECT document_id, position, 1 - distance AS similarity \
         FROM (SELECT s.document_id, v.position, ({distance})::float8 AS distance \
               FROM search_vectors v JOIN search_documents s ON s.number = v.document_number AND s.model = $2 \
               WHERE v.dimension = {dimension} \
               ORDER BY {distance} LIMIT $3) near \
         ORDER BY distance"
    )
}

/// Compares with all chunks of the given documents: the index would find the nearest of all documents, and lose those that are
/// asked for among them.
fn exact_statement(place: &str, dimension: usize) -> String {
    let distance = distance(place, dimension);
    format!(
        "WITH near AS MATERIALIZED (\
             SELECT s.document_id, v.position, ({distance})::float8 AS distance \
             FROM search_documents s JOIN search_vectors v ON v.document_number = s.number \
             WHERE s.document_id = ANY ($4::uuid[]) AND s.model = $2 AND v.dimension = {dimension}) \
         SELECT document_id, position, 1 - distance AS similarity FROM near ORDER BY distance LIMIT $3"
    )
}

/// How far a vector is from the one that is asked for, as the index knows it.
fn distance(place: &str, dimension: usize) -> String {
    format!(
        "v.embedding::{place}.halfvec({dimension}) OPERATOR({place}.<=>) $1::text::{place}.halfvec({dimension})"
    )
}

/// How many neighbours of each vector the index looks at.
#[cfg(feature = "testing")]
pub(crate) fn search_width() -> &'static str {
    BEGIN.rsplit(' ').next().unwrap_or_default()
}

/// How the server would find the nearest chunks.
#[cfg(feature = "testing")]
pub(crate) async fn plan(database: &Database, query: &NearestQuery) -> PortResult<String> {
    let mut transaction = database.begin_with(BEGIN).await?;
    let place = extension(&mut transaction).await?.unwrap_or_default();
    let explain = bound(format!("EXPLAIN {}", statement(&place, query.vector.len())), query);
    let lines = explain.fetch_all(&mut *transaction).await.map_err(translate)?;
    rollback(transaction).await?;
    let lines = lines.iter().map(|line| line.try_get(0)).collect::<Result<Vec<String>, _>>();
    Ok(lines.map_err(translate)?.join("\n"))
}
