//! The drill of a rolling upgrade: an older program works on PostgreSQL and Azurite under the uploads and the disturbances of the
//! drill of blobs. Meanwhile the database is migrated, and one process after the other is replaced by one of this program.
//! Every document must be stored once and processed once. If the migration is refused beside the older workers, the drill
//! fails.
//!
//! `QUIRE_TEST_OLD_PROGRAM` names the older program: `cargo xtask drill upgrade` builds it from the commit before the newest
//! migration.

use quire_postgres::testing::TestSchema;
use quire_postgres::{PgStore, PostgresOptions};

use super::cloud::{Cloud, Program, ROUNDS, Services, WORKERS};
use super::uploads::send_all;

const OLD_PROGRAM: &str = "QUIRE_TEST_OLD_PROGRAM";

/// With `restarts_server`, the PostgreSQL server is restarted; otherwise the connections of this installation are cut.
pub async fn drill(count: u64, restarts_server: bool) -> bool {
    println!(
        "\n## PostgreSQL and Azurite: {WORKERS} workers of an older program are upgraded during {count} uploads"
    );
    let path = std::env::var_os(OLD_PROGRAM)
        .unwrap_or_else(|| panic!("{OLD_PROGRAM} is not set; run this through `cargo xtask drill upgrade`"));
    let (old, new) = (Program::Old(path.into()), Program::New);
    let schema = TestSchema::empty().await;
    let services = Services::start(&schema.schema, restarts_server).await;
    let migrated = old.run(&["migrate", "up"], &services.environment).unwrap();
    println!("older program: {}", last_line(&migrated));
    let mut cloud = Cloud::start(services, &old);
    let sending = tokio::spawn(send_all(cloud.address.clone(), count));

    disturb(&mut cloud).await;
    match cloud.run(&new, &["migrate", "up"]) {
        Ok(migrated) => println!("migrated beside {WORKERS} older workers: {}", last_line(&migrated)),
        Err(refused) => {
            // Then there is no rolling upgrade: everything would have to stop.
            println!("refused beside older workers: {}", last_line(&refused));
            sending.abort();
            return false;
        }
    }
    let mut stopped_well = true;
    for _ in 0..WORKERS {
        // Workers of both programs, or of the older one on the new tables.
        disturb(&mut cloud).await;
        stopped_well &= cloud.replace_worker(&new);
    }
    disturb(&mut cloud).await;
    stopped_well &= cloud.replace_server(&new);
    let is_under_load = !sending.is_finished();
    while !sending.is_finished() {
        cloud.disturb().await;
    }
    println!("older processes stopped well {stopped_well}, uploads during the whole upgrade {is_under_load}");

    let answers = sending.await.unwrap();
    let options = PostgresOptions { schema: Some(schema.schema.clone()), ..PostgresOptions::default() };
    let store = PgStore::connect(&quire_postgres::testing::url(), options).await.unwrap().into_store();
    cloud.finish(&store, &answers, count).await && stopped_well && is_under_load
}

/// Disturbs everything once.
async fn disturb(cloud: &mut Cloud) {
    for _ in 0..ROUNDS {
        cloud.disturb().await;
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}
