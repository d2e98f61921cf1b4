//! File storage: the adapters of the `BlobStore` port.

mod disk;
mod error;
mod name;
pub mod object;

pub use disk::DiskBlobs;
pub(crate) use name::BlobName;
pub use object::ObjectBlobs;
