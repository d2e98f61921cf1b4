//! Cleans the file name of an upload.

use quire_domain::reading::FileKind;

/// The longest name, in bytes. Longer names are cut.
const LONGEST: usize = 255;

/// The last part of the name, without invisible characters. An empty result becomes a default name.
pub(super) fn base_name(given: &str, kind: FileKind) -> String {
    let base = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = base.chars().filter(|sign| !is_invisible(*sign)).collect();
    match visible[..visible.floor_char_boundary(LONGEST)].trim() {
        "" | "." | ".." => format!("document.{}", kind.extension()),
        name => name.to_owned(),
    }
}

/// Control characters, zero-width characters, and characters that reverse the text after them: with them `fdp.exe`
/// reads as `exe.pdf`.
fn is_invisible(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Proves R062.
    #[test]
    fn only_the_last_part_of_a_name_is_kept_and_nothing_invisible() {
        for (given, kept) in [
            ("informe médico.pdf", "informe médico.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ana\\record.pdf", "record.pdf"),
            ("/srv/a\\b/c.pdf", "c.pdf"),
            ("a\r\nSet-Cookie: x=\"1\".pdf", "aSet-Cookie: x=\"1\".pdf"),
            ("a\0b\u{7f}\u{85}.pdf", "ab.pdf"),
            ("\u{202E}fdp.exe", "fdp.exe"),
            ("  spaced.pdf  ", "spaced.pdf"),
            ("", "document.pdf"),
            ("..", "document.pdf"),
            ("a/", "document.pdf"),
            ("\u{1}\u{2}", "document.pdf"),
        ] {
            assert_eq!(base_name(given, FileKind::Pdf), kept, "{given:?}");
        }
        assert_eq!(base_name(&"é".repeat(300), FileKind::Pdf), "é".repeat(127));
    }

    proptest! {
        #[test]
        fn whatever_is_given_a_name_is_short_visible_and_leads_nowhere(given in "\\PC{0,40}|.{0,400}|[\\pC./\\\\]{0,20}") {
            let name = base_name(&given, FileKind::Docx);
            prop_assert!(!name.is_empty() && name.len() <= LONGEST && name != "." && name != "..");
            prop_assert!(!name.contains(['/', '\\']) && !name.chars().any(is_invisible));
            prop_assert_eq!(base_name(&name, FileKind::Docx), name);
        }
    }
}
