//! The pages of a document: which there are, the words on one of them, and its image.

mod image;
mod record;
mod show;

pub use image::{ImageError, ImageRequest, ImageResponse, ImageSettings, PageImages};
pub use record::{PageEntry, PageIndex, RawTextArtifact};
pub use show::{list, page};
