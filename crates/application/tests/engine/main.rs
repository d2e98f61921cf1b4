//! The engine on real stores: each story is told on SQLite and on PostgreSQL.

// A panic is the verdict.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod stage;

mod deadlines;
mod outages;
mod recovery;
mod retries;
mod running;
mod shutdown;

/// One test for each story and store.
macro_rules! on_each_store {
    ($($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::stage::Stage::set(quire_sqlite::testing::fixture().await)).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story(crate::stage::Stage::set(quire_postgres::testing::fixture().await)).await;
            })+
        }
    };
}
pub(crate) use on_each_store;
