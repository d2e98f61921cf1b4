use quire_connectors::blob::DiskBlobs;
use quire_domain::DocumentId;
use quire_testkit::FakeClock;
use quire_testkit::fixture::{StoreFixture, at, document};
use tempfile::TempDir;

use super::super::both_stores::on_both_stores;
use super::*;

struct SweepFixture<'f> {
    fixture: &'f StoreFixture,
    blobs: Arc<DiskBlobs>,
    clock: Arc<FakeClock>,
    sweep: Sweep,
    _folder: TempDir,
}

impl<'f> SweepFixture<'f> {
    fn new(fixture: &'f StoreFixture) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Arc::new(DiskBlobs::open(folder.path()).unwrap());
        let clock = Arc::new(FakeClock::at(jiff::Timestamp::now()));
        let store = Store { clock: clock.clone(), ..fixture.store.clone() };
        let sweep = Sweep::new(store, blobs.clone());
        Self { fixture, blobs, clock, sweep, _folder: folder }
    }

    /// A file, and a row if it has one.
    async fn add(&self, with_row: bool) -> SubjectId {
        let document = document(DocumentId::new());
        self.blobs.put(&document.storage_path, b"%PDF".to_vec()).await.unwrap();
        if with_row {
            self.add_row(document.id.into()).await;
        }
        document.id.into()
    }

    async fn add_row(&self, subject: SubjectId) {
        self.fixture.add_document(&document(DocumentId(subject.0)), None, at(0)).await;
    }

    async fn has_files(&self, subject: SubjectId) -> bool {
        self.blobs.last_written(&subject.to_string()).await.unwrap().is_some()
    }

    fn pass(&self, hours: i64) {
        self.clock.advance(SignedDuration::from_hours(hours));
    }
}

on_both_stores! {
    old_files_without_a_row_are_removed_at_the_second_look,
    a_row_that_comes_between_the_looks_keeps_its_files,
    files_of_a_purged_document_are_removed_at_once,
    what_is_not_named_like_a_document_is_left_alone,
    a_probe_that_its_process_did_not_remove_is_removed_when_it_is_old,
}

async fn old_files_without_a_row_are_removed_at_the_second_look(fixture: &StoreFixture) {
    let mut env = SweepFixture::new(fixture);
    let (kept, orphan) = (env.add(true).await, env.add(false).await);
    env.pass(23);
    assert_eq!(env.sweep.look().await.unwrap(), SweepReport::default(), "too young");
    env.pass(2);
    let first = env.sweep.look().await.unwrap();
    assert_eq!(first, SweepReport { suspects: vec![orphan], ..SweepReport::default() });
    assert!(env.has_files(orphan).await);
    let second = env.sweep.look().await.unwrap();
    assert_eq!(second, SweepReport { removed: vec![orphan], ..SweepReport::default() });
    assert!(!env.has_files(orphan).await && env.has_files(kept).await);
    assert_eq!(env.sweep.look().await.unwrap(), SweepReport::default());
}

async fn a_row_that_comes_between_the_looks_keeps_its_files(fixture: &StoreFixture) {
    let mut env = SweepFixture::new(fixture);
    let (late, new) = (env.add(false).await, env.add(false).await);
    env.pass(25);
    assert_eq!(env.sweep.look().await.unwrap().suspects.len(), 2);
    env.add_row(late).await;
    assert_eq!(env.sweep.look().await.unwrap().removed, [new]);
    assert!(env.has_files(late).await);
}

async fn files_of_a_purged_document_are_removed_at_once(fixture: &StoreFixture) {
    let mut env = SweepFixture::new(fixture);
    let purged = env.add(true).await;
    fixture.store.documents.purge(purged, at(1)).await.unwrap();
    assert_eq!(env.sweep.look().await.unwrap().removed, [purged]);
}

async fn what_is_not_named_like_a_document_is_left_alone(fixture: &StoreFixture) {
    let mut env = SweepFixture::new(fixture);
    for name in [
        "notes/file",
        "installation-id",
        "probe-notes/file",
        "0192AB20-0000-7000-8000-00000000000A/upper-case",
    ] {
        env.blobs.put(name, b"x".to_vec()).await.unwrap();
    }
    env.pass(1_000);
    assert_eq!(env.sweep.look().await.unwrap(), SweepReport::default());
    assert_eq!(env.sweep.look().await.unwrap(), SweepReport::default());
    assert_eq!(env.blobs.folders(None).await.unwrap().names.len(), 3);
}

async fn a_probe_that_its_process_did_not_remove_is_removed_when_it_is_old(fixture: &StoreFixture) {
    let mut env = SweepFixture::new(fixture);
    let probe = crate::storage::probe_name();
    env.blobs.put(&probe, b"x".to_vec()).await.unwrap();
    env.pass(23);
    assert_eq!(env.sweep.look().await.unwrap(), SweepReport::default(), "it may be in use");
    env.pass(2);
    let folder = probe.split('/').next().unwrap().to_owned();
    assert_eq!(env.sweep.find().await.unwrap().probes, std::slice::from_ref(&folder));
    assert_eq!(
        env.sweep.look().await.unwrap(),
        SweepReport { probes: vec![folder], ..SweepReport::default() }
    );
    assert!(env.blobs.folders(None).await.unwrap().names.is_empty());
}
