//! Hexadecimal text.

use std::fmt::Write as _;

/// The bytes in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_is_two_digits() {
        assert_eq!(super::hex(&[0, 0x0a, 0xff]), "000aff");
    }
}
