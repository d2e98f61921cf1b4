//! SQLite passes what every store passes.

quire_testkit::store_conformance!(quire_sqlite::testing::store_fixture);
