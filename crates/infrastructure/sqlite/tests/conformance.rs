//! SQLite passes the tests that every store must pass.

quire_testkit::store_conformance!(quire_sqlite::testing::store_fixture);
