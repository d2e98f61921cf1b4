//! The storage of files: whether it is the right one, and removing files that no document has.

#[cfg(test)]
mod both_stores;
mod identity;
mod installation_blobs;
mod sweep;

pub use identity::{Identified, IdentityError, Originals, forget, identify};
pub use installation_blobs::InstallationBlobs;
pub use sweep::{Sweep, SweepReport, keep_sweeping};
