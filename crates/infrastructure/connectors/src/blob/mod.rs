//! File storage: the adapters of the `BlobStore` port.

mod disk;
mod name;

pub use disk::DiskBlobs;
