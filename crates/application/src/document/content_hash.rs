//! The hash that identifies the content of a document.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// The size of a piece, in bytes.
const PIECE: usize = 64 << 10;

/// SHA-256 of everything that the reader returns, piece by piece.
///
/// ```
/// let hash = quire_application::document::content_hash(&b"abc"[..]).unwrap();
/// assert_eq!(hash[..3], [0xba, 0x78, 0x16]);
/// ```
pub fn content_hash(mut content: impl Read) -> io::Result<[u8; 32]> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match content.read(&mut piece) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(length) => hash.update(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
