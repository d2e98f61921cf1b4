//! A PDF in any script, without a font file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::pdf::Pdf;

/// A PDF of one page with these lines, in any script. Its font draws each character as a box and says which character it
/// is. Lines are drawn from left to right, so a line of a script that runs from right to left must be given reversed. The
/// lines may have 255 different characters.
pub fn unicode_pdf(lines: &[&str]) -> Vec<u8> {
    let mut codes: BTreeMap<char, u8> = BTreeMap::new();
    for character in lines.iter().flat_map(|line| line.chars()) {
        let next = u8::try_from(codes.len() + 1).unwrap();
        codes.entry(character).or_insert(next);
    }
    let mut content = String::new();
    for (row, line) in lines.iter().enumerate() {
        let hex =
            line.chars().fold(String::new(), |hex, character| format!("{hex}{:02X}", codes[&character]));
        writeln!(content, "BT /U 12 Tf 50 {} Td <{hex}> Tj ET", 780 - 20 * row).unwrap();
    }
    let mut pdf = Pdf::of_pages(&[content]);
    let glyph = pdf.stream("", b"600 0 0 0 600 700 d1 50 0 500 700 re f");
    let space = pdf.stream("", b"600 0 0 0 0 0 d1");
    let map = pdf.stream("", to_unicode(&codes).as_bytes());
    let by_code: BTreeMap<u8, char> = codes.iter().map(|(character, code)| (*code, *character)).collect();
    let (mut procedures, mut names) = (String::new(), String::new());
    for (code, character) in &by_code {
        let drawn = if character.is_whitespace() { space } else { glyph };
        write!(procedures, "/g{code} {drawn} 0 R ").unwrap();
        write!(names, "/g{code} ").unwrap();
    }
    let widths = "600 ".repeat(by_code.len());
    let font = pdf.object(format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 1 \
         /LastChar {} /Widths [{widths}] /Encoding << /Type /Encoding /Differences [1 {names}] >> \
         /CharProcs << {procedures} >> /Resources << >> /ToUnicode {map} 0 R >>",
        by_code.len()
    ));
    pdf.replace(
        4,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
             /Resources << /Font << /U {font} 0 R >> >> >>"
        ),
    );
    pdf.file()
}

fn to_unicode(codes: &BTreeMap<char, u8>) -> String {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def\n\
         1 begincodespacerange <00> <FF> endcodespacerange\n",
    );
    for (character, code) in codes {
        let mut units = [0; 2];
        let utf16 = character.encode_utf16(&mut units);
        let hex = utf16.iter().fold(String::new(), |hex, unit| format!("{hex}{unit:04X}"));
        writeln!(map, "1 beginbfchar <{code:02X}> <{hex}> endbfchar").unwrap();
    }
    map + "endcmap CMapName currentdict /CMap defineresource pop end end"
}
