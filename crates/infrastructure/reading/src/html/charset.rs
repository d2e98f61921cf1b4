//! The character encoding of a page: by its byte order mark, by what the server or the page say, or by its bytes.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, KOI8_R, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258,
};

/// How many bytes are searched for what a page says about itself.
const DECLARATION_WITHIN: usize = 4096;
/// How many bytes are looked at to guess.
const GUESS_WITHIN: usize = 64 << 10;

/// The text of a page. What is not valid in its encoding becomes U+FFFD.
pub(super) fn decode(file: &[u8], named: Option<&str>, is_html: bool) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(file) {
        return encoding.decode_without_bom_handling(&file[length..]).0.into_owned();
    }
    let label = |label: &str| Encoding::for_label(label.trim().as_bytes());
    let start = &file[..file.len().min(DECLARATION_WITHIN)];
    let declared = named.and_then(label).or_else(|| {
        let declared = declaration(start).as_deref().and_then(label).filter(|_| is_html)?;
        // A reader that understands this declaration does not read UTF-16.
        Some(if declared == UTF_16LE || declared == UTF_16BE { UTF_8 } else { declared })
    });
    // Servers name their own default for pages that are UTF-8. Text in another encoding is hardly ever valid UTF-8.
    let is_utf_8 = std::str::from_utf8(file).is_ok();
    let encoding = match declared {
        Some(encoding) if encoding == WINDOWS_1252 && is_utf_8 => UTF_8,
        Some(encoding) => encoding,
        None if is_utf_8 => UTF_8,
        None => guess(file, start),
    };
    encoding.decode_without_bom_handling(file).0.into_owned()
}

/// What a page says about its encoding: `<meta charset=…>`, `<meta … content="…; charset=…">` or `<?xml encoding=…?>`.
fn declaration(start: &[u8]) -> Option<String> {
    let text: String = start.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let of_tag = |tag: &str, name: &str| {
        text.match_indices(tag).find_map(|(at, _)| {
            let rest = &text[at..];
            let inside = rest.split('>').next()?;
            let (_, value) = inside.split_once(name)?;
            let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
            let end = value
                .find(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '-' | '_' | ':' | '.'));
            Some(value[..end.unwrap_or(value.len())].to_owned()).filter(|label| !label.is_empty())
        })
    };
    of_tag("<meta", "charset").or_else(|| of_tag("<?xml", "encoding"))
}

/// The usual encoding of the language that the page names; without one, Cyrillic or Western by the bytes.
fn guess(file: &[u8], start: &[u8]) -> &'static Encoding {
    let text: String = start.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let html = text.split_once("<html").map_or("", |(_, rest)| rest.split('>').next().unwrap_or_default());
    let language = html.split_once("lang=").map(|(_, value)| value.trim_start_matches(['"', '\'']));
    match language.and_then(|language| language.get(..2)).unwrap_or_default() {
        "ru" | "uk" | "be" | "bg" | "sr" | "mk" => cyrillic(file),
        "pl" | "cs" | "sk" | "hu" | "sl" | "hr" | "ro" => WINDOWS_1250,
        "el" => WINDOWS_1253,
        "tr" => WINDOWS_1254,
        "he" => WINDOWS_1255,
        "ar" | "fa" => WINDOWS_1256,
        "lt" | "lv" | "et" => WINDOWS_1257,
        "vi" => WINDOWS_1258,
        "th" => WINDOWS_874,
        "ja" => SHIFT_JIS,
        "ko" => EUC_KR,
        "zh" if html.contains("tw") || html.contains("hk") || html.contains("hant") => BIG5,
        "zh" => GBK,
        _ if is_mostly_high(file) => cyrillic(file),
        _ => WINDOWS_1252,
    }
}

/// Whether most letters are not ASCII, as in Cyrillic text but not in Western languages.
fn is_mostly_high(file: &[u8]) -> bool {
    // Markup is ASCII in every language.
    let mut is_text = true;
    let (mut high, mut ascii) = (0usize, 0usize);
    for byte in file.iter().take(GUESS_WITHIN) {
        match byte {
            b'<' => is_text = false,
            b'>' => is_text = true,
            0xc0.. if is_text => high += 1,
            b'a'..=b'z' | b'A'..=b'Z' if is_text => ascii += 1,
            _ => {}
        }
    }
    high > ascii
}

/// Most letters are small: in windows-1251 they are the upper half of the Cyrillic bytes, in KOI8-R the lower one.
fn cyrillic(file: &[u8]) -> &'static Encoding {
    let (mut upper, mut lower) = (0usize, 0usize);
    for byte in file.iter().take(GUESS_WITHIN) {
        match byte {
            0xe0.. => upper += 1,
            0xc0..0xe0 => lower += 1,
            _ => {}
        }
    }
    if upper >= lower { WINDOWS_1251 } else { KOI8_R }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn the_encoding_is_found_in_the_header_in_the_page_or_by_guessing() {
        let russian = "<p>Городской совет одобрил строительство моста";
        let cases: &[(&str, Option<&str>, &'static Encoding)] = &[
            (russian, Some("windows-1251"), WINDOWS_1251),
            (russian, Some("UTF-8"), UTF_8),
            (russian, None, UTF_8),
            (russian, None, WINDOWS_1251),
            (russian, None, KOI8_R),
            ("<meta charset=koi8-r><p>Мост", None, KOI8_R),
            (
                "<META http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\"><p>Мост",
                None,
                WINDOWS_1251,
            ),
            ("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><p>橋が完成した", None, SHIFT_JIS),
            ("<html lang=\"ja\"><p>橋が完成した", None, SHIFT_JIS),
            ("<html lang=\"zh-CN\"><p>大桥建成", None, GBK),
            ("<html lang=\"pl\"><p>Zażółć gęślą jaźń", None, WINDOWS_1250),
            ("<p>El año pasado, en Málaga", None, WINDOWS_1252),
            ("<p>Über den Fluß führt eine Brücke", Some("iso-8859-1"), WINDOWS_1252),
            ("<p>mislabelled: año", Some("iso-8859-1"), UTF_8),
            ("<p>año", Some("no-such-encoding"), UTF_8),
            ("<meta charset=\"utf-16\"><p>año", None, UTF_8),
        ];
        for (text, named, encoding) in cases {
            assert_eq!(
                decode(&encoded(text, encoding), *named, true),
                *text,
                "{named:?} {}",
                encoding.name()
            );
        }
        assert_eq!(
            decode(b"\xef\xbb\xbfa\xc3\xb1o", Some("windows-1251"), true),
            "año",
            "a byte order mark decides"
        );
        assert_eq!(decode(b"\xff\xfea\0\xf1\0o\0", None, true), "año");
        assert_eq!(
            decode(b"<meta charset=koi8-r> a\xc3\xb1o", None, false),
            "<meta charset=koi8-r> año",
            "plain text"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_text(file in prop::collection::vec(any::<u8>(), 0..300), named in "[a-z0-9-]{0,12}") {
            let _ = decode(&file, Some(&named), true);
            let _ = decode(&file, None, true);
        }

        #[test]
        fn utf_8_stays_as_it_is(text in "\\PC{0,100}") {
            let text = text.trim_start_matches('\u{feff}');
            prop_assert_eq!(decode(text.as_bytes(), Some("utf-8"), true), text);
        }
    }
}
