//! How far a long command has come.

/// Is told how much there is to do, and then of each part that was done.
pub trait Progress: Send + Sync {
    /// There is this much to do: rows, files or both.
    fn begin(&self, steps: u64);
    /// So much more was done.
    fn done(&self, steps: u64);
}

/// Tells nobody.
impl Progress for () {
    fn begin(&self, _: u64) {}

    fn done(&self, _: u64) {}
}
