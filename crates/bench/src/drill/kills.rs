//! Kills of the server on SQLite and of the process that sends it work, at random moments, again and again.
//!
//! Everything that a drill has done is in its folder: the database, and for each kill a file with the runs that were
//! accepted before it. So a drill that is interrupted itself continues where it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quire_domain::RunId;
use quire_ports::Store;
use quire_sqlite::SqliteStore;
use rand::RngExt;

use super::processes::{Environment, TestProcess, run_quire, start_producer};
use super::{check_history, wait_until_drained};
use crate::rehearsal;

/// The kills of the long drill.
const MANY_KILLS: usize = 1000;
/// The long drill empties the queue after this many kills, so that it also ends runs that were never interrupted.
const KILLS_BETWEEN_DRAINS: usize = 50;

/// Few runs for each of many kills, so that the database stays small.
const FEW_RUNS: &str = "80";

/// A thousand kills, which take about half an hour.
pub async fn long_drill(folder: &Path) -> bool {
    fs::create_dir_all(folder).unwrap();
    let drill = KillDrill::new(fs::canonicalize(folder).unwrap(), FEW_RUNS);
    let done = drill.kills_done();
    println!("\n## SQLite: {MANY_KILLS} kills -9 under load, {done} of them done before");
    if !drill.run(MANY_KILLS, KILLS_BETWEEN_DRAINS).await {
        return false;
    }
    println!("The state is kept in {}; remove it to begin anew.", folder.display());
    true
}

/// A series of kills in one folder.
pub struct KillDrill {
    folder: PathBuf,
    /// How many runs are sent to the server before each kill.
    runs_per_kill: &'static str,
}

impl KillDrill {
    /// The drill with its state in that folder.
    pub fn new(folder: PathBuf, runs_per_kill: &'static str) -> Self {
        Self { folder, runs_per_kill }
    }

    fn database(&self) -> PathBuf {
        self.folder.join("quire.db")
    }

    fn environment(&self, recovery: &str) -> Environment {
        vec![
            ("QUIRE_STORAGE_DATA", self.folder.to_str().unwrap().to_owned()),
            ("QUIRE_ENGINE_SLOTS", "16".to_owned()),
            // Producers are other processes, so the server finds their runs only by its tick.
            ("QUIRE_ENGINE_TICK", "50ms".to_owned()),
            ("QUIRE_PIPELINES_DOCUMENT_RECOVERY", recovery.to_owned()),
            ("QUIRE_LOG_LEVEL", "error".to_owned()),
            (rehearsal::STEP_MS, "20".to_owned()),
        ]
    }

    /// The file with the runs that were accepted before a kill.
    fn accepted_file(&self, kill: usize) -> PathBuf {
        self.folder.join(format!("accepted-{kill}.txt"))
    }

    fn kills_done(&self) -> usize {
        (0..MANY_KILLS).take_while(|kill| self.accepted_file(*kill).exists()).count()
    }

    fn accepted(&self) -> Vec<RunId> {
        let files = (0..self.kills_done()).map(|kill| fs::read_to_string(self.accepted_file(kill)).unwrap());
        files.flat_map(|file| file.lines().map(|line| line.parse().unwrap()).collect::<Vec<_>>()).collect()
    }

    /// Kills until there were that many kills, and checks the history whenever the queue was emptied.
    pub async fn run(&self, kills: usize, between_drains: usize) -> bool {
        run_quire(&["migrate", "up"], &self.environment("fail"));
        for kill in self.kills_done()..kills {
            self.kill(kill).await;
            if (kill + 1).is_multiple_of(between_drains)
                && kill + 1 < kills
                && !self.drain_and_check(kill + 1).await
            {
                return false;
            }
        }
        self.drain_and_check(kills).await
    }

    async fn kill(&self, kill: usize) {
        let database = self.database();
        let (producer, collector) = start_producer(&[
            "--database",
            database.to_str().unwrap(),
            "--runs",
            self.runs_per_kill,
            "--subjects",
            "40",
        ]);
        // Both recovery policies are tested.
        let policy = if kill.is_multiple_of(2) { "fail" } else { "requeue" };
        let server =
            TestProcess::supervised_quire(&["serve", "--listen", "127.0.0.1:0"], &self.environment(policy));
        let (before, between) = {
            let mut rng = rand::rng();
            (rng.random_range(0..400), rng.random_range(0..50))
        };
        tokio::time::sleep(Duration::from_millis(before)).await;
        server.kill();
        tokio::time::sleep(Duration::from_millis(between)).await;
        producer.kill();
        let accepted: Vec<String> = collector.join().unwrap().iter().map(RunId::to_string).collect();
        // The file counts the kill, so it must appear whole.
        let unfinished = self.folder.join("accepted.tmp");
        fs::write(&unfinished, accepted.join("\n")).unwrap();
        fs::rename(unfinished, self.accepted_file(kill)).unwrap();
    }

    async fn drain_and_check(&self, kills: usize) -> bool {
        let environment = self.environment("requeue");
        let server = TestProcess::supervised_quire(&["serve", "--listen", "127.0.0.1:0"], &environment);
        let store = self.store();
        let all_done = wait_until_drained(&store, Duration::from_mins(5)).await;
        let stopped_well = server.stop();
        println!("kills {kills}, drained {all_done}, the last server stopped well {stopped_well}");
        let checked = check_history(&store, self.accepted()).await;
        all_done && stopped_well && checked.runs > 0 && checked.violations.is_empty()
    }

    fn store(&self) -> Store {
        SqliteStore::open(&self.database(), quire_sqlite::SqliteOptions::default()).unwrap().into_store()
    }
}
