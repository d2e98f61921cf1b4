//! Files, by their names.

mod disk;
mod name;

pub use disk::DiskBlobs;
