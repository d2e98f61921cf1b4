//! A storage of which single calls fail, before or after they have done their work.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{BlobFile, BlobGuard, BlobRoot, BlobStore, BlobWriter, FolderPage, PortError, PortResult};

/// When a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobFault {
    /// Before the storage gets it.
    Before,
    /// After the storage has done it: its answer is lost.
    After,
}

/// How many calls were made since a failure was planned, and which of them fails.
#[derive(Default)]
struct BlobCalls {
    made: usize,
    planned: Option<(usize, BlobFault)>,
    failing: Option<&'static str>,
    hit: Option<&'static str>,
}

impl BlobCalls {
    /// Counts a call. Returns how it fails, if it does. Checks come at any time and have no number.
    fn next(&mut self, call: &'static str) -> Option<BlobFault> {
        let mut planned = None;
        if call != "check" {
            planned = self.planned.filter(|(planned, _)| *planned == self.made).map(|(_, fault)| fault);
            self.made += 1;
        }
        let named = self.failing.filter(|failing| *failing == call).map(|_| BlobFault::Before);
        let fault = planned.or(named);
        if fault.is_some() {
            self.hit = Some(call);
        }
        fault
    }
}

/// The storage. Clones share their calls.
pub struct FaultyBlobs<B: ?Sized> {
    inner: Arc<B>,
    calls: Arc<Mutex<BlobCalls>>,
}

impl<B: ?Sized> FaultyBlobs<B> {
    /// The same storage, of which no call fails yet.
    pub fn new(inner: Arc<B>) -> Self {
        Self { inner, calls: Arc::default() }
    }

    /// Lets the call with this number fail, counted from 0 and from now on, and no other one.
    pub fn fail_call(&self, number: usize, fault: BlobFault) {
        *self.calls.lock().unwrap() = BlobCalls { planned: Some((number, fault)), ..BlobCalls::default() };
    }

    /// Lets every call of this name fail.
    pub fn fail_all(&self, call: &'static str) {
        *self.calls.lock().unwrap() = BlobCalls { failing: Some(call), ..BlobCalls::default() };
    }

    /// Lets no call fail any more.
    pub fn heal(&self) {
        *self.calls.lock().unwrap() = BlobCalls::default();
    }

    /// The name of the call that failed last, since a failure was planned.
    pub fn hit(&self) -> Option<&'static str> {
        self.calls.lock().unwrap().hit
    }

    fn next(&self, call: &'static str) -> Option<BlobFault> {
        self.calls.lock().unwrap().next(call)
    }
}

/// A call that fails as planned.
async fn call<T>(fault: Option<BlobFault>, work: impl Future<Output = PortResult<T>>) -> PortResult<T> {
    match fault {
        None => work.await,
        Some(BlobFault::Before) => Err(down()),
        Some(BlobFault::After) => work.await.and_then(|_| Err(down())),
    }
}

fn down() -> PortError {
    PortError::Unavailable { service: "storage", reason: "planned by a test".to_owned(), contention: false }
}

#[async_trait]
impl<B: BlobStore + ?Sized> BlobStore for FaultyBlobs<B> {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        call(self.next("put"), self.inner.put(name, content)).await
    }

    async fn put_new(&self, name: &str, content: Vec<u8>) -> PortResult<bool> {
        call(self.next("put_new"), self.inner.put_new(name, content)).await
    }

    fn confirms_writes(&self) -> bool {
        self.inner.confirms_writes()
    }

    async fn begin(&self, name: &str) -> PortResult<Box<dyn BlobWriter>> {
        let inner = call(self.next("begin"), self.inner.begin(name)).await?;
        Ok(Box::new(FaultyWriter { inner, calls: self.calls.clone() }))
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        call(self.next("get"), self.inner.get(name, limit)).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        call(self.next("get_range"), self.inner.get_range(name, range)).await
    }

    async fn remove(&self, name: &str) -> PortResult<bool> {
        call(self.next("remove"), self.inner.remove(name)).await
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        call(self.next("remove_folder"), self.inner.remove_folder(folder)).await
    }

    async fn folders(&self, after: Option<&str>) -> PortResult<FolderPage> {
        call(self.next("folders"), self.inner.folders(after)).await
    }

    async fn files(&self, folder: &str) -> PortResult<Vec<BlobFile>> {
        call(self.next("files"), self.inner.files(folder)).await
    }

    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>> {
        call(self.next("last_written"), self.inner.last_written(folder)).await
    }

    async fn check(&self) -> PortResult<()> {
        call(self.next("check"), self.inner.check()).await
    }
}

impl<B: BlobRoot + ?Sized> BlobRoot for FaultyBlobs<B> {
    fn guarded(&self, guard: BlobGuard) -> Arc<dyn BlobStore> {
        Arc::new(FaultyBlobs { inner: self.inner.guarded(guard), calls: self.calls.clone() })
    }
}

/// A file that is being written.
struct FaultyWriter {
    inner: Box<dyn BlobWriter>,
    calls: Arc<Mutex<BlobCalls>>,
}

#[async_trait]
impl BlobWriter for FaultyWriter {
    async fn write(&mut self, piece: &[u8]) -> PortResult<()> {
        let fault = self.calls.lock().unwrap().next("write");
        call(fault, self.inner.write(piece)).await
    }

    fn set_sha256(&mut self, sha256: [u8; 32]) {
        self.inner.set_sha256(sha256);
    }

    async fn finish(self: Box<Self>) -> PortResult<()> {
        let fault = self.calls.lock().unwrap().next("finish");
        call(fault, self.inner.finish()).await
    }
}
