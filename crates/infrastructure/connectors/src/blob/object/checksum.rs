//! Checksums, so that a bit that changes on the way or in the service is noticed.
//!
//! On the way there, S3 checks the SHA-256 that signs each request, and Azure reports the checksum of what it received. A service
//! that only speaks the protocol of S3 may check nothing. On the way back, a file is compared with the SHA-256 that was stored beside it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{HeaderMap, HeaderValue};
use md5::{Digest as _, Md5};
use object_store::{Attribute, AttributeValue, Attributes};
use sha2::Sha256;

/// The metadata of an object that has the SHA-256 of its content.
const SHA256: &str = "sha256";

/// The attributes of an object with this content.
pub(super) fn attributes(content: &[u8]) -> Attributes {
    attributes_of(&Sha256::digest(content))
}

/// The attributes of an object whose content has this SHA-256.
pub(super) fn attributes_of(sha256: &[u8]) -> Attributes {
    Attributes::from_iter([(attribute(), AttributeValue::from(quire_domain::hex(sha256)))])
}

/// Whether the content is what the attributes say. Large objects, sent in parts, have none.
pub(super) fn matches(attributes: &Attributes, content: &[u8]) -> bool {
    attributes.get(&attribute()).is_none_or(|stored| stored.as_ref() == hex(content))
}

fn attribute() -> Attribute {
    Attribute::Metadata(SHA256.into())
}

fn hex(content: &[u8]) -> String {
    quire_domain::hex(&Sha256::digest(content))
}

/// What becomes of the hash that signs a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignedHash {
    /// The service refuses content with another one.
    Checked,
    /// Nobody knows.
    Ignored,
}

/// Whether a service received what was sent. None if neither the request nor the response has a checksum of it that counts.
pub(super) fn was_received(
    sent: &[u8],
    signed_hash: SignedHash,
    request: &HeaderMap,
    response: &HeaderMap,
) -> Option<bool> {
    let reported = |name: &str| BASE64_STANDARD.decode(response.get(name)?.as_bytes()).ok();
    let md5 = reported("content-md5").map(|reported| *reported == *Md5::digest(sent));
    let crc = reported("x-ms-content-crc64").map(|reported| *reported == crc64(sent).to_le_bytes());
    let is_checked = |signed: &&HeaderValue| {
        signed_hash == SignedHash::Checked && signed.as_bytes() != b"UNSIGNED-PAYLOAD"
    };
    let signed = request.get("x-amz-content-sha256").filter(is_checked);
    let checks = [md5, crc, signed.map(|_| true)];
    checks.iter().flatten().copied().reduce(|one, other| one && other)
}

fn crc64(bytes: &[u8]) -> u64 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc64Nvme, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_is_noticed_on_the_way_there_and_on_the_way_back() {
        let stored = attributes(b"abc");
        assert!(matches(&stored, b"abc") && !matches(&stored, b"abd"));
        assert!(matches(&Attributes::new(), b"abd"));
        for (name, value) in [
            ("content-md5", BASE64_STANDARD.encode(Md5::digest(b"abc"))),
            ("x-ms-content-crc64", BASE64_STANDARD.encode(crc64(b"abc").to_le_bytes())),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_str(&value).unwrap());
            for (sent, expected) in [(b"abc", true), (b"abd", false)] {
                for signed in [SignedHash::Checked, SignedHash::Ignored] {
                    let received = was_received(sent, signed, &HeaderMap::new(), &headers);
                    assert_eq!(received, Some(expected), "{name}");
                }
            }
        }
    }

    #[test]
    fn content_without_a_checksum_is_not_confirmed() {
        let none = HeaderMap::new();
        assert_eq!(was_received(b"abc", SignedHash::Checked, &none, &none), None);
        for (value, expected) in [("UNSIGNED-PAYLOAD", None), ("a hash", Some(true))] {
            let mut request = HeaderMap::new();
            request.insert("x-amz-content-sha256", HeaderValue::from_static(value));
            assert_eq!(was_received(b"abc", SignedHash::Checked, &request, &none), expected);
            assert_eq!(was_received(b"abc", SignedHash::Ignored, &request, &none), None);
        }
    }

    /// The check value of the catalogue of CRC algorithms for CRC-64/NVME, which Azure uses.
    #[test]
    fn the_crc_is_that_of_the_service() {
        assert_eq!(crc64(b"123456789"), 0xae8b_1486_0a79_9888);
    }
}
