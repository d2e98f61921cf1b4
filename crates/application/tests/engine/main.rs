//! The engine on real stores. Each test runs on SQLite and on PostgreSQL.

// A panic is how a test fails.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod fixture;

mod blob_outages;
mod cancelling;
mod deadlines;
mod document_intelligence;
mod groups;
mod lanes;
mod link_lanes;
mod link_model;
mod links;
mod outages;
mod proposals;
mod recovery;
mod retries;
mod running;
mod shutdown;
mod silence;
mod uploads;
mod waiting;

/// Makes one test for each case and store.
macro_rules! on_each_store {
    ($($case:ident),+ $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(crate::fixture::EngineFixture::new(quire_sqlite::testing::store_fixture().await)).await;
            })+
        }

        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                super::$case(crate::fixture::EngineFixture::new(quire_postgres::testing::store_fixture().await)).await;
            })+
        }
    };
}
pub(crate) use on_each_store;
