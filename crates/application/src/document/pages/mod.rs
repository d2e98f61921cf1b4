//! The pages of a document: their list, the words of one page, its image, and what is missing in their text.

mod artifacts;
mod image;
mod notices;
mod show;

pub use quire_ports::{ReadError, ReadErrorKind};

pub(crate) use artifacts::{MAX_PAGES_BYTES, hash};
pub use artifacts::{PageEntry, PagesArtifact, RawTextArtifact};
pub use image::{ImageError, ImageRequest, ImageResponse, ImageSettings, PageImages, image};
pub use notices::{PageNotice, notices};
pub use show::{PageError, list, page, page_index, page_words};
