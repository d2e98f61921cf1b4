//! A PostgreSQL database whose tables are on a small disk. The log of the server is elsewhere, as on servers with a disk for
//! it: a server without space for its log stops, and that drill is the one with restarts of the server.

use std::fs;
use std::path::Path;
use std::str::FromStr as _;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _, PgConnection};
use uuid::Uuid;

/// A database in a tablespace of its own.
pub struct SmallDatabase {
    pub url: String,
    name: String,
}

impl SmallDatabase {
    /// Creates the database with its tables in this folder, or says why it cannot.
    pub async fn create(folder: &Path) -> Result<Self, String> {
        fs::create_dir(folder).unwrap();
        if let Ok(user) = std::env::var("QUIRE_TEST_POSTGRES_UID") {
            let user = user.parse().unwrap();
            std::os::unix::fs::chown(folder, Some(user), Some(user)).unwrap();
        }
        let server = quire_postgres::testing::url();
        let name = format!("drill_{}", Uuid::now_v7().simple());
        let create_place = format!("CREATE TABLESPACE {name} LOCATION '{}'", folder.display());
        let mut connection = connect().await;
        let created = connection.execute(AssertSqlSafe(create_place)).await;
        created.map_err(|error| format!("the PostgreSQL server cannot use a small disk: {error}"))?;
        let create = format!("CREATE DATABASE {name} TABLESPACE {name}");
        connection.execute(AssertSqlSafe(create)).await.unwrap();
        let (base, _) = server.rsplit_once('/').unwrap();
        Ok(Self { url: format!("{base}/{name}"), name })
    }

    /// Removes the database.
    pub async fn remove(self) {
        let mut connection = connect().await;
        for statement in ["DROP DATABASE {} WITH (FORCE)", "DROP TABLESPACE {}"] {
            let statement = statement.replace("{}", &self.name);
            connection.execute(AssertSqlSafe(statement)).await.unwrap();
        }
    }
}

async fn connect() -> PgConnection {
    let options = PgConnectOptions::from_str(&quire_postgres::testing::url()).unwrap();
    options.application_name("quire-drill").connect().await.unwrap()
}
