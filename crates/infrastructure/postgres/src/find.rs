//! Finds documents by words and conditions, with bounded work.
//!
//! The words of whole documents tell which documents have all words. If one of the words is enough, chunks of the rarest words are read,
//! up to a limit; the answer says if there are more. The database orders documents by which words a chunk of them has. The most
//! promising chunks of the first ones are rated by their texts: `ts_rank` knows neither how rare a word is nor how long texts
//! usually are.

mod rating;
mod statement;
mod statistics;

use quire_ports::{FindQuery, FoundDocuments, FoundOrder, PortResult};
use quire_sql::row;
use quire_sql::search::{SqlValue, term_of_tsquery};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Postgres, Row};
use uuid::Uuid;

use crate::database::{Database, rollback};
use crate::error::translate;
use crate::find::statement::Statement;
use crate::find::statistics::Statistics;
use crate::row::{StoredTime, first, mapped, text};

pub(crate) use statistics::KeptStatistics;

/// One connection plans this statement once. A search has two seconds. Hash joins are of use among the few documents that are
/// looked at.
const BEGIN_PLANNED_ONCE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 2000; \
    SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = force_generic_plan";
/// How many documents the conditions leave decides on the best plan.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 2000; \
    SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = force_custom_plan";

/// The documents that fulfil a query.
pub(crate) async fn find(database: &Database, query: &FindQuery) -> PortResult<FoundDocuments> {
    database.with_timeout(find_in_time(database, query)).await
}

async fn find_in_time(database: &Database, query: &FindQuery) -> PortResult<FoundDocuments> {
    let statement = Statement::of(query);
    let begin = if statement.is_planned_once { BEGIN_PLANNED_ONCE } else { BEGIN };
    let mut transaction = database.begin_with(begin).await?;
    let statistics = Statistics::read(database, &mut transaction).await?;
    let terms: Vec<String> = query.text.terms.iter().map(|term| term_of_tsquery(term)).collect();
    let frequent = statistics.frequent(&query.text, f64::from(statement.counted));
    let among: Option<Vec<Uuid>> = query.among.as_ref().map(|among| among.iter().map(|id| id.0).collect());
    let bound = sqlx::query(AssertSqlSafe(statement.text))
        .bind(terms)
        .bind(frequent)
        .bind(statistics.chunks)
        .bind(among);
    let rows = bind(bound, &statement.values).fetch_all(&mut *transaction).await.map_err(translate)?;
    rollback(transaction).await?;
    let mut documents = mapped(&rows, row::found_document)?;
    if query.order == FoundOrder::Best && !query.text.terms.is_empty() {
        rating::order_by_texts(query, statistics.chunks, &rows, &mut documents)?;
    }
    let total = first(rows.first(), row::found_total)?.unwrap_or_default();
    let is_cut_short = rows.first().map_or(Ok(false), |row| row.try_get("is_cut_short"));
    let is_lower_bound =
        is_cut_short.map_err(translate)? || total >= query.count_limit.min(FoundDocuments::MAX_COUNT);
    Ok(FoundDocuments { documents, total, is_lower_bound })
}

fn bind<'q>(
    mut query: Query<'q, Postgres, PgArguments>,
    values: &[SqlValue],
) -> Query<'q, Postgres, PgArguments> {
    for value in values {
        query = match value {
            SqlValue::Text(value) => query.bind(text(value)),
            SqlValue::Number(number) => query.bind(*number),
            SqlValue::Time(time) => query.bind(StoredTime(*time)),
        };
    }
    query
}

/// How the server would find the documents that fulfil a query.
#[cfg(feature = "testing")]
pub(crate) async fn plan(database: &Database, query: &FindQuery) -> PortResult<String> {
    let Statement { text, values, is_planned_once, .. } = Statement::of(query);
    let mut transaction =
        database.begin_with(if is_planned_once { BEGIN_PLANNED_ONCE } else { BEGIN }).await?;
    let terms: Vec<String> = query.text.terms.iter().map(|term| term_of_tsquery(term)).collect();
    let frequent: Vec<Option<f64>> = vec![None; terms.len()];
    let among: Option<Vec<Uuid>> = query.among.as_ref().map(|among| among.iter().map(|id| id.0).collect());
    let lines = if is_planned_once {
        let explain = AssertSqlSafe(format!("EXPLAIN (GENERIC_PLAN) {text}"));
        sqlx::raw_sql(explain).fetch_all(&mut *transaction).await
    } else {
        let explain = AssertSqlSafe(format!("EXPLAIN {text}"));
        let explain = sqlx::query(explain).bind(terms).bind(frequent).bind(1_000f64).bind(among);
        bind(explain, &values).fetch_all(&mut *transaction).await
    };
    let lines = lines.map_err(translate)?;
    rollback(transaction).await?;
    let lines = lines.iter().map(|line| line.try_get(0)).collect::<Result<Vec<String>, _>>();
    Ok(lines.map_err(translate)?.join("\n"))
}
