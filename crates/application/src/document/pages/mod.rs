//! The pages of a document: which there are, the words on one of them, and its image.

mod image;
mod record;
mod show;

pub use image::{ImageAnswer, ImageError, ImageRequest, ImageSettings, PageImages};
pub use record::{PageEntry, PageIndex, RawText};
pub use show::{list, page};
