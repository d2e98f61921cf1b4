//! The pages of a document: their list, the words of one page, its image, and what is missing in their text.

mod image;
mod notices;
mod record;
mod show;

pub use quire_ports::{ReadError, ReadErrorKind};

pub use image::{ImageError, ImageRequest, ImageResponse, ImageSettings, PageImages, image};
pub use notices::{PageNotice, notices};
pub(crate) use record::{MAX_PAGES_BYTES, hash};
pub use record::{PageEntry, PageIndex, RawTextArtifact};
pub use show::{PageError, list, page, page_index, page_words};
