//! Tests that run on SQLite and on PostgreSQL.

/// Runs each test on a new store of either kind. A test is a function of a `StoreFixture`.
macro_rules! on_both_stores {
    ($($(#[$doc:meta])* $test:ident),+ $(,)?) => {
        mod on_sqlite {
            $($(#[$doc])* #[tokio::test] async fn $test() {
                super::$test(&quire_sqlite::testing::store_fixture().await).await;
            })+
        }
        mod on_postgresql {
            $($(#[$doc])* #[tokio::test] async fn $test() {
                super::$test(&quire_postgres::testing::store_fixture().await).await;
            })+
        }
    };
}

pub(super) use on_both_stores;
