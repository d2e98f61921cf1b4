//! Many uploads at once, some of which are given up, and the server killed among them. What was acknowledged is there,
//! whole, and nothing is half there.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};

use super::form::{Form, body, send};
use super::{Scene, wait_until};

const CLIENTS: usize = 40;
/// How often the server is killed.
const KILLS: usize = 4;
/// Acknowledged uploads after which it is.
const ENOUGH: usize = 60;

/// A file of its own for each client and round. Most are small, so that the kill meets many at their end; some are
/// large, so that it meets some in their middle.
fn file(client: usize, round: usize) -> Vec<u8> {
    let page = text_page(&[&format!("Paciente: Luna {client}-{round}"), "Especie: Felina"]);
    let mut file = Pdf::of_pages(&[page]).file();
    if (client * 31 + round * 17).is_multiple_of(5) {
        file.resize(800_000, b'\n');
    }
    file
}

/// A document that was acknowledged, and what was sent.
type Acknowledged = (DocumentId, Vec<u8>);

/// Uploads until nobody answers any more; every third time it goes away in the middle.
fn keep_uploading(address: &str, client: usize, tell: &Sender<Acknowledged>) {
    for round in 0.. {
        let content = file(client, round);
        let form = Form::file("record.pdf", &content);
        let head = form.head("/documents/upload", "");
        if (client + round).is_multiple_of(3) {
            let Ok(mut stream) = TcpStream::connect(address) else { return };
            let part = form.0.len() * ((client * 7 + round * 13) % 100) / 100;
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&form.0[..part]));
            continue;
        }
        let Some(answer) = send(address, &head, &form.0) else {
            if TcpStream::connect(address).is_err() {
                return;
            }
            continue;
        };
        assert_eq!(answer.status, 201, "{}", answer.body);
        let id = body(&answer)["document_id"].as_str().unwrap().parse().unwrap();
        tell.send((id, content)).unwrap();
    }
}

/// Starts a server, lets everybody upload to it, kills it, and answers what was acknowledged.
fn upload_until_it_is_killed(scene: &Scene) -> Vec<Acknowledged> {
    let server = scene.quire.serve();
    let (tell, told) = channel();
    let mut acknowledged = Vec::new();
    std::thread::scope(|clients| {
        for client in 0..CLIENTS {
            let (address, tell) = (&server.address, tell.clone());
            clients.spawn(move || keep_uploading(address, client, &tell));
        }
        acknowledged.extend(told.iter().take(ENOUGH));
        server.signal("-KILL");
    });
    acknowledged.extend(told.try_iter());
    acknowledged
}

async fn what_was_acknowledged_survives_and_nothing_is_half_there(scene: &Scene) {
    let mut acknowledged = Vec::new();
    for _ in 0..KILLS {
        acknowledged.extend(upload_until_it_is_killed(scene));
    }
    let server = scene.quire.serve();
    let documents = scene.documents().await;
    assert_eq!(scene.files().1, 0, "what was half written is gone after the next start");
    let mut without_file = BTreeSet::new();
    for id in &documents {
        let document = scene.store.documents.find(*id).await.unwrap();
        let file = std::fs::metadata(scene.folder().join(&document.storage_path));
        if file.ok().is_none_or(|file| file.len() != document.file_size) {
            without_file.insert(*id);
        }
        assert_eq!(scene.runs_of(*id).await.len(), 1, "each has its run");
    }
    assert_eq!(without_file, BTreeSet::new(), "of {} documents", documents.len());
    assert!(acknowledged.len() >= KILLS * ENOUGH);
    for (id, content) in acknowledged {
        assert!(documents.contains(&id), "{id} was acknowledged");
        let kept = std::fs::read(scene.folder().join(format!("{id}/original.pdf"))).unwrap();
        assert!(kept == content, "{id} is not what was sent");
    }
    drop(server);
}

/// Proves R051 and R053 under a crash.
#[tokio::test]
async fn uploads_survive_a_kill() {
    what_was_acknowledged_survives_and_nothing_is_half_there(&Scene::sqlite()).await;
}

/// Proves R051 and R053 under a crash.
#[tokio::test(flavor = "multi_thread")]
async fn uploads_survive_a_kill_on_postgresql() {
    what_was_acknowledged_survives_and_nothing_is_half_there(&Scene::postgres().await).await;
}

/// Proves R051 for a file that was on the disk and not whole when the server was killed.
#[tokio::test]
async fn what_was_half_written_at_a_kill_is_gone_after_the_next_start() {
    let scene = Scene::sqlite();
    let server = scene.quire.serve();
    let form = Form::file("record.pdf", &[b"%PDF-1.7\n".to_vec(), vec![b'.'; 1_000_000]].concat());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.write_all(form.head("/documents/upload", "").as_bytes()).unwrap();
    stream.write_all(&form.0[..800_000]).unwrap();
    wait_until(|| scene.files().1 == 1).await;
    server.signal("-KILL");
    drop(server);
    assert_eq!(scene.files().1, 1);
    drop(scene.quire.serve());
    scene.assert_nothing_was_taken().await;
}
