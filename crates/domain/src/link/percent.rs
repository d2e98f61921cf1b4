//! Percent-encoding of bytes. It works on bytes and not on text, so that two addresses in an old encoding, which are no
//! valid UTF-8, stay different.

use std::fmt::Write as _;

/// The bytes that percent-encoded text stands for. A percent sign that begins no code stands for itself.
pub(super) fn decode(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(digit(*high) << 4 | digit(*low));
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    bytes
}

/// Percent-encodes all bytes but letters, digits and those in `kept`.
pub(super) fn encode(bytes: &[u8], kept: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || kept.contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

fn digit(hex: u8) -> u8 {
    match hex {
        b'0'..=b'9' => hex - b'0',
        _ => hex.to_ascii_lowercase().saturating_sub(b'a') + 10,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_percent_sign_without_two_digits_stands_for_itself() {
        assert_eq!(decode("100%"), b"100%");
        assert_eq!(decode("%zz%4"), b"%zz%4");
        assert_eq!(decode("%C3%a9%2f"), "é/".as_bytes());
        assert_eq!(encode("é/ a".as_bytes(), b"/"), "%C3%A9/%20a");
    }

    proptest! {
        #[test]
        fn encoded_bytes_decode_to_themselves(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            prop_assert_eq!(decode(&encode(&bytes, b"-._~")), bytes);
        }
    }
}
