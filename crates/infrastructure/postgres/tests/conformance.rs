//! PostgreSQL passes the tests that every store must pass.

quire_testkit::store_conformance!(quire_postgres::testing::store_fixture);
