//! The zip archive of a Word document. The limits apply to the decompressed bytes, because the sizes in the archive may be
//! wrong.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::DocxError;
use crate::text;

const MAX_ENTRIES: usize = 10_000;
/// The largest decompressed part.
const MAX_PART_BYTES: u64 = 64 << 20;
/// The largest sum of all decompressed parts.
const MAX_TOTAL_BYTES: u64 = 128 << 20;
/// The first bytes of an entry in the directory of a zip archive.
const DIRECTORY_ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";

pub(super) struct DocxArchive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// How many bytes may still be decompressed.
    pub(super) bytes_left: u64,
}

impl<'a> DocxArchive<'a> {
    pub(super) fn open(file: &'a [u8]) -> Result<Self, DocxError> {
        // Counted before the zip reader reads the directory, because an entry takes many times its size in memory.
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

    /// The names of all parts that are valid UTF-8.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.zip.file_names_raw().filter_map(|name| String::from_utf8(name.to_vec()).ok())
    }

    /// The text of the part with this name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, DocxError> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(_) => return Err(DocxError::Invalid),
        };
        let limit = self.bytes_left.min(MAX_PART_BYTES);
        let mut part = Vec::new();
        // Reading one byte more than allowed shows whether the part is too large.
        let read = entry.take(limit + 1).read_to_end(&mut part).map_err(|_| DocxError::Invalid)? as u64;
        if read > limit {
            return Err(DocxError::TooLarge);
        }
        self.bytes_left -= read;
        // Nearly always UTF-8; otherwise the byte order mark decides.
        Ok(Some(String::from_utf8(part).unwrap_or_else(|other| text::decode(other.as_bytes()))))
    }
}
