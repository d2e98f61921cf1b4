//! Many uploads at once, some of which are given up, and the server killed among them. What was acknowledged is there,
//! whole, and nothing is half there.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};

use super::form::Form;
use crate::http::exchange;
use crate::scene::{Scene, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R051 and R053 under a crash.
    what_was_acknowledged_survives_a_kill_and_nothing_is_half_there,
    /// Proves R051 for a file that was on the disk and not whole when the server was killed.
    what_was_half_written_at_a_kill_is_gone_after_the_next_start,
}

/// How many upload at the same time.
const CLIENTS: u64 = 200;
/// How often the server is killed.
const KILLS: u64 = 2;
/// Acknowledged uploads after which it is, at least.
const ENOUGH: u64 = 100;
/// The variable with the seed of an earlier run, to have it again as far as threads allow.
const SEED: &str = "QUIRE_TEST_SEED";

/// Chance that can be had again.
struct Dice(u64);

impl Dice {
    fn of(seed: u64, client: u64) -> Self {
        Self(seed ^ client.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, sides: u64) -> u64 {
        // xorshift64*
        self.0 = self.0.max(1);
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

fn seed() -> u64 {
    match std::env::var(SEED) {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => jiff::Timestamp::now().as_microsecond().unsigned_abs(),
    }
}

/// A file of its own for each upload. Most are small, so that the kill meets many at their end; some are large, so that
/// it meets some in their middle.
fn file(client: u64, round: u64, dice: &mut Dice) -> Vec<u8> {
    let page = text_page(&[&format!("Paciente: Luna {client}-{round}"), "Especie: Felina"]);
    let mut file = Pdf::of_pages(&[page]).file();
    if dice.below(8) == 0 {
        file.resize(800_000, b'\n');
    }
    file
}

/// What a client tells of.
enum Told {
    /// A document was acknowledged; and what was sent.
    Acknowledged(DocumentId, Vec<u8>),
    /// It went away in the middle.
    Aborted,
}

/// Uploads until nobody answers any more; about every third time it goes away in the middle.
fn keep_uploading(address: &str, client: u64, mut dice: Dice, tell: &Sender<Told>) {
    for round in 0.. {
        let content = file(client, round, &mut dice);
        let form = Form::file("record.pdf", &content);
        let head = form.head("/documents/upload", "");
        if dice.below(3) == 0 {
            let Ok(mut stream) = TcpStream::connect(address) else { return };
            let part = usize::try_from(dice.below(form.0.len() as u64)).unwrap();
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&form.0[..part]));
            tell.send(Told::Aborted).unwrap();
            continue;
        }
        let Some(answer) = exchange(address, &head, &form.0) else {
            if TcpStream::connect(address).is_err() {
                return;
            }
            continue;
        };
        if answer.status == 503 {
            // A server with more to do than it can says so; then nothing was taken.
            continue;
        }
        assert_eq!(answer.status, 201, "{}", answer.json());
        tell.send(Told::Acknowledged(answer.document(), content)).unwrap();
    }
}

/// What happened until the server was killed.
#[derive(Default)]
struct Uploads {
    acknowledged: Vec<(DocumentId, Vec<u8>)>,
    aborted: usize,
}

impl Uploads {
    fn hear(&mut self, told: Told) {
        match told {
            Told::Acknowledged(id, content) => self.acknowledged.push((id, content)),
            Told::Aborted => self.aborted += 1,
        }
    }
}

/// Starts a server, lets everybody upload to it at once, and kills it among that.
fn upload_until_it_is_killed(scene: &Scene, seed: u64, uploads: &mut Uploads) {
    let server = scene.quire.serve();
    let (tell, told) = channel();
    let enough =
        uploads.acknowledged.len() + usize::try_from(ENOUGH + Dice::of(seed, 0).below(ENOUGH)).unwrap();
    std::thread::scope(|clients| {
        for client in 1..=CLIENTS {
            let (address, tell, dice) = (&server.address, tell.clone(), Dice::of(seed, client));
            clients.spawn(move || keep_uploading(address, client, dice, &tell));
        }
        while uploads.acknowledged.len() < enough {
            uploads.hear(told.recv().unwrap());
        }
        server.signal("-KILL");
    });
    for told in told.try_iter() {
        uploads.hear(told);
    }
}

async fn what_was_acknowledged_survives_a_kill_and_nothing_is_half_there(scene: &Scene) {
    let seed = seed();
    println!("{SEED}={seed}");
    let mut uploads = Uploads::default();
    for kill in 0..KILLS {
        upload_until_it_is_killed(scene, seed + kill, &mut uploads);
    }
    let server = scene.quire.serve();
    let documents = scene.documents().await;
    // What steps write passes through the same place; what was left behind would stay in it.
    wait_until(async || scene.files().1 == 0).await;
    let mut without_file = BTreeSet::new();
    for id in &documents {
        let document = scene.store.documents.find(*id).await.unwrap();
        let file = std::fs::metadata(scene.folder().join(&document.storage_path));
        if file.ok().is_none_or(|file| file.len() != document.file_size) {
            without_file.insert(*id);
        }
        assert_eq!(scene.runs_of(*id).await.len(), 1, "each has its run");
    }
    let is_kept = |id: &DocumentId, content: &[u8]| {
        let file = std::fs::read(scene.folder().join(format!("{id}/original.pdf")));
        documents.contains(id) && file.is_ok_and(|kept| kept == content)
    };
    let missing = uploads.acknowledged.iter().filter(|(id, content)| !is_kept(id, content)).count();
    println!(
        "{} acknowledged, {missing} of them missing; {} aborted; {} rows, {} of them without a file; none half \
         written after the restart",
        uploads.acknowledged.len(),
        uploads.aborted,
        documents.len(),
        without_file.len(),
    );
    assert!(uploads.acknowledged.len() as u64 >= KILLS * ENOUGH && uploads.aborted > 0);
    assert_eq!((without_file.len(), missing), (0, 0), "{SEED}={seed}");
    drop(server);
}

async fn what_was_half_written_at_a_kill_is_gone_after_the_next_start(scene: &Scene) {
    let server = scene.quire.serve();
    let form = Form::file("record.pdf", &[b"%PDF-1.7\n".to_vec(), vec![b'.'; 1_000_000]].concat());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(form.head("/documents/upload", "").as_bytes()).unwrap();
    stream.write_all(&form.0[..800_000]).unwrap();
    wait_until(async || scene.files().1 == 1).await;
    server.signal("-KILL");
    drop(server);
    assert_eq!(scene.files().1, 1);
    drop(scene.quire.serve());
    scene.assert_nothing_was_taken().await;
}
