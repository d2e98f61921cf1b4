//! The zip around a Word document. Nothing that it says of itself is believed: bounds hold for what comes out of it.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::DocxError;
use crate::text;

const MAX_ENTRIES: usize = 10_000;
/// How large a part may be once it is expanded, and all parts that are read together.
const MAX_PART_BYTES: u64 = 64 << 20;
const MAX_TOTAL_BYTES: u64 = 128 << 20;
/// What every entry of a zip's directory begins with.
const DIRECTORY_ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";

/// An open zip.
pub(super) struct DocxArchive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// How much may still be expanded.
    pub(super) bytes_left: u64,
}

impl<'a> DocxArchive<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, DocxError> {
        // Counted before the directory is read: in memory each entry takes many times its size.
        if file
            .windows(DIRECTORY_ENTRY_SIGNATURE.len())
            .filter(|window| *window == DIRECTORY_ENTRY_SIGNATURE)
            .take(MAX_ENTRIES + 1)
            .count()
            > MAX_ENTRIES
        {
            return Err(DocxError::TooLarge);
        }
        let zip = ZipArchive::new(Cursor::new(file)).map_err(|_| DocxError::Invalid)?;
        Ok(Self { zip, bytes_left: MAX_TOTAL_BYTES })
    }

    /// The names of all parts, as far as they are text.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.zip.file_names_raw().filter_map(|name| String::from_utf8(name.to_vec()).ok())
    }

    /// The text of a part, if there is one of that name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, DocxError> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(_) => return Err(DocxError::Invalid),
        };
        let limit = self.bytes_left.min(MAX_PART_BYTES);
        let mut part = Vec::new();
        // One byte more than is allowed tells a part that fits from one that was cut.
        let read = entry.take(limit + 1).read_to_end(&mut part).map_err(|_| DocxError::Invalid)? as u64;
        if read > limit {
            return Err(DocxError::TooLarge);
        }
        self.bytes_left -= read;
        // Nearly always UTF-8 as it is; else by its mark.
        Ok(Some(String::from_utf8(part).unwrap_or_else(|other| text::decode(other.as_bytes()))))
    }
}
