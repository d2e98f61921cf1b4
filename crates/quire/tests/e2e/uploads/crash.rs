//! Many concurrent uploads, some of them aborted, while the server is killed. Acknowledged uploads are complete, and no
//! upload is stored incompletely.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};

use super::form::Form;
use crate::http::exchange;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R051 and R053 under a crash.
    acknowledged_uploads_survive_a_kill_and_none_is_incomplete,
    /// Proves R051 for a file that was incomplete on disk when the server was killed.
    an_incomplete_upload_is_removed_at_the_next_start,
}

/// Concurrent clients.
const CLIENTS: u64 = 200;
/// Number of kills.
const KILLS: u64 = 2;
/// Minimum number of acknowledged uploads before each kill.
const ENOUGH: u64 = 100;
/// The variable that repeats the random choices of an earlier run.
const SEED: &str = "QUIRE_TEST_SEED";

/// A random number generator with a seed.
struct Random(u64);

impl Random {
    fn new(seed: u64, client: u64) -> Self {
        Self(seed ^ client.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, limit: u64) -> u64 {
        // xorshift64*
        self.0 = self.0.max(1);
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }
}

fn seed() -> u64 {
    match std::env::var(SEED) {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => jiff::Timestamp::now().as_microsecond().unsigned_abs(),
    }
}

/// A different file for each upload. Most are small, so that a kill hits many at their end; some are large, so that it hits
/// some in the middle.
fn file(client: u64, round: u64, random: &mut Random) -> Vec<u8> {
    let page = text_page(&[&format!("Paciente: Luna {client}-{round}"), "Especie: Felina"]);
    let mut file = Pdf::of_pages(&[page]).file();
    if random.below(8) == 0 {
        file.resize(800_000, b'\n');
    }
    file
}

/// The outcome of one upload.
enum UploadOutcome {
    /// The server acknowledged the document with this content.
    Acknowledged(DocumentId, Vec<u8>),
    /// The client closed the connection in the middle.
    Aborted,
}

/// Uploads until the server is gone. Aborts about every third upload in the middle.
fn keep_uploading(address: &str, client: u64, mut random: Random, outcomes: &Sender<UploadOutcome>) {
    for round in 0.. {
        let content = file(client, round, &mut random);
        let form = Form::file("record.pdf", &content);
        let head = form.head("/documents/upload", "");
        if random.below(3) == 0 {
            let Ok(mut stream) = TcpStream::connect(address) else { return };
            let part = usize::try_from(random.below(form.0.len() as u64)).unwrap();
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&form.0[..part]));
            outcomes.send(UploadOutcome::Aborted).unwrap();
            continue;
        }
        let Some(response) = exchange(address, &head, &form.0) else {
            if TcpStream::connect(address).is_err() {
                return;
            }
            continue;
        };
        if response.status == 503 {
            // The server is overloaded and stored nothing.
            continue;
        }
        assert_eq!(response.status, 201, "{}", response.json());
        outcomes.send(UploadOutcome::Acknowledged(response.document_id(), content)).unwrap();
    }
}

/// All outcomes until the server was killed.
#[derive(Default)]
struct Uploads {
    acknowledged: Vec<(DocumentId, Vec<u8>)>,
    aborted: usize,
}

impl Uploads {
    fn add(&mut self, outcome: UploadOutcome) {
        match outcome {
            UploadOutcome::Acknowledged(id, content) => self.acknowledged.push((id, content)),
            UploadOutcome::Aborted => self.aborted += 1,
        }
    }
}

/// Starts a server, lets all clients upload at once, and kills it meanwhile.
fn upload_until_killed(env: &TestEnv, seed: u64, uploads: &mut Uploads) {
    let server = env.cli.serve();
    let (sender, receiver) = channel();
    let enough =
        uploads.acknowledged.len() + usize::try_from(ENOUGH + Random::new(seed, 0).below(ENOUGH)).unwrap();
    std::thread::scope(|clients| {
        for client in 1..=CLIENTS {
            let (address, outcomes, random) = (&server.address, sender.clone(), Random::new(seed, client));
            clients.spawn(move || keep_uploading(address, client, random, &outcomes));
        }
        while uploads.acknowledged.len() < enough {
            uploads.add(receiver.recv().unwrap());
        }
        server.signal("-KILL");
    });
    for outcome in receiver.try_iter() {
        uploads.add(outcome);
    }
}

async fn acknowledged_uploads_survive_a_kill_and_none_is_incomplete(env: &TestEnv) {
    let seed = seed();
    println!("{SEED}={seed}");
    let mut uploads = Uploads::default();
    for kill in 0..KILLS {
        upload_until_killed(env, seed + kill, &mut uploads);
    }
    let server = env.cli.serve();
    let documents = env.documents().await;
    // Steps write through the same folder. A leftover would stay there.
    wait_until(async || env.stored_files().1 == 0).await;
    let mut without_file = BTreeSet::new();
    for id in &documents {
        let document = env.store.documents.find(*id).await.unwrap();
        let file = std::fs::metadata(env.documents_folder().join(&document.storage_path));
        if file.ok().is_none_or(|file| file.len() != document.file_size) {
            without_file.insert(*id);
        }
        assert_eq!(env.runs_of(*id).await.len(), 1, "each document has its run");
    }
    let is_stored = |id: &DocumentId, content: &[u8]| {
        let file = std::fs::read(env.documents_folder().join(format!("{id}/original.pdf")));
        documents.contains(id) && file.is_ok_and(|stored| stored == content)
    };
    let missing = uploads.acknowledged.iter().filter(|(id, content)| !is_stored(id, content)).count();
    println!(
        "{} acknowledged, {missing} of them missing; {} aborted; {} rows, {} of them without a file; none incomplete \
         after the restart",
        uploads.acknowledged.len(),
        uploads.aborted,
        documents.len(),
        without_file.len(),
    );
    assert!(uploads.acknowledged.len() as u64 >= KILLS * ENOUGH && uploads.aborted > 0);
    assert_eq!((without_file.len(), missing), (0, 0), "{SEED}={seed}");
    drop(server);
}

async fn an_incomplete_upload_is_removed_at_the_next_start(env: &TestEnv) {
    let server = env.cli.serve();
    let form = Form::file("record.pdf", &[b"%PDF-1.7\n".to_vec(), vec![b'.'; 1_000_000]].concat());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(form.head("/documents/upload", "").as_bytes()).unwrap();
    stream.write_all(&form.0[..800_000]).unwrap();
    wait_until(async || env.stored_files().1 == 1).await;
    server.signal("-KILL");
    drop(server);
    assert_eq!(env.stored_files().1, 1);
    drop(env.cli.serve());
    env.assert_nothing_was_stored().await;
}
