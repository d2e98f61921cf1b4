//! PostgreSQL passes what every store passes.

quire_testkit::store_conformance!(quire_postgres::testing::store_fixture);
