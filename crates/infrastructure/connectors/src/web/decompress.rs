//! Decompresses bodies within a limit, so that a small response cannot fill the memory.

use std::io::{ErrorKind, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The encodings that requests ask for.
pub(super) const ACCEPTED: &str = "gzip, deflate";

/// Why a body cannot be decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecompressError {
    /// It is larger than the limit.
    TooLarge,
    /// The encoding is not one that was asked for.
    Unsupported,
    /// It is damaged or cut off.
    Damaged,
}

/// The content of a body in this encoding, at most `limit` bytes.
pub(super) fn decompress(body: Vec<u8>, encoding: &str, limit: usize) -> Result<Vec<u8>, DecompressError> {
    match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(body),
        // Some servers name the encoding and send nothing.
        _ if body.is_empty() => Ok(body),
        "gzip" | "x-gzip" => read_within(MultiGzDecoder::new(body.as_slice()), limit),
        "deflate" if is_zlib(&body) => read_within(ZlibDecoder::new(body.as_slice()), limit),
        "deflate" => read_within(DeflateDecoder::new(body.as_slice()), limit),
        _ => Err(DecompressError::Unsupported),
    }
}

/// `deflate` means zlib, but some servers send the bare stream.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31))
}

fn read_within(decoder: impl Read, limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut content = Vec::new();
    let most = (limit as u64).saturating_add(1);
    match decoder.take(most).read_to_end(&mut content) {
        Ok(_) if content.len() > limit => Err(DecompressError::TooLarge),
        Ok(_) => Ok(content),
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Err(DecompressError::TooLarge),
        Err(_) => Err(DecompressError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_and_both_forms_of_deflate_are_decompressed() {
        let text = b"some text that is sent compressed".as_slice();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(text).unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(text).unwrap();
        for (encoding, body) in [
            ("gzip", gzip(text)),
            ("X-GZIP", gzip(text)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", bare.finish().unwrap()),
            ("identity", text.to_vec()),
            ("", text.to_vec()),
        ] {
            assert_eq!(decompress(body, encoding, 1000).as_deref(), Ok(text), "{encoding}");
        }
        assert_eq!(decompress(Vec::new(), "gzip", 10), Ok(Vec::new()));
        assert_eq!(decompress(vec![1], "br", 10), Err(DecompressError::Unsupported));
        assert_eq!(decompress(gzip(text), "gzip, gzip", 10), Err(DecompressError::Unsupported));
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 1 << 20);
        assert_eq!(decompress(bomb, "gzip", 10 << 20), Err(DecompressError::TooLarge));
        // Many small members.
        let members = gzip(&[0; 1000]).repeat(1000);
        assert_eq!(decompress(members, "gzip", 500_000), Err(DecompressError::TooLarge));
        let cut = gzip(&[7; 1000]);
        assert_eq!(decompress(cut[..cut.len() - 9].to_vec(), "gzip", 10_000), Err(DecompressError::Damaged));
    }

    proptest! {
        #[test]
        fn any_bytes_are_content_or_an_error(body in prop::collection::vec(any::<u8>(), 0..300), zlib: bool) {
            let _ = decompress(body, if zlib { "deflate" } else { "gzip" }, 10_000);
        }
    }
}
