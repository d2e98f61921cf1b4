//! Detects the kind of a file during its upload, with only one window of it in memory.
//!
//! The domain has the rule, [`FileKind::sniff`]; this module applies it to windows. The first window decides most
//! kinds. Two kinds need more. A zip is a DOCX if a certain part is anywhere in it, and a text file must be text to its
//! end. For these two, the sniffer checks each further window like a separate file with the same beginning.

use quire_domain::reading::FileKind;

/// The size of a window, in bytes. For a file within one window, the result is exactly the domain's.
const WINDOW: usize = 64 << 10;
/// The first bytes of every zip.
const ZIP: &[u8] = b"PK\x03\x04";
/// Bytes of a zip's window that the next window repeats: more than a header that the boundary may cut.
const ZIP_OVERLAP: usize = 64;
/// Characters of plain text in front of every further window of a text. Within this length the domain looks for signs
/// that a file that begins like text is of another kind.
const TEXT_PREFIX: usize = 1024;

/// The result so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SniffResult {
    /// Undecided.
    Open,
    /// This kind, or no readable kind. Later pieces cannot change it.
    Known(Option<FileKind>),
}

#[derive(Default)]
enum SnifferState {
    #[default]
    Opening,
    /// A zip without the part of a DOCX so far.
    Zip,
    /// Text so far. The sniffer checks each further window behind this prefix.
    Text(Vec<u8>),
    Known(Option<FileKind>),
}

/// Detects the kind of a file from its pieces.
#[derive(Default)]
pub(super) struct Sniffer {
    window: Vec<u8>,
    state: SnifferState,
}

impl Sniffer {
    /// Checks the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) -> SniffResult {
        if !matches!(self.state, SnifferState::Known(_)) {
            self.window.extend_from_slice(piece);
            if self.window.len() > WINDOW {
                self.judge();
            }
        }
        match self.state {
            SnifferState::Known(kind) => SniffResult::Known(kind),
            _ => SniffResult::Open,
        }
    }

    /// The only kind that the complete file can have, as soon as it is known. The rest of the file can only turn out not to
    /// be of this kind.
    pub(super) fn candidate(&self) -> Option<FileKind> {
        match &self.state {
            SnifferState::Opening => None,
            SnifferState::Zip => Some(FileKind::Docx),
            SnifferState::Text(_) => Some(FileKind::Text),
            SnifferState::Known(kind) => *kind,
        }
    }

    /// The kind of the complete file.
    pub(super) fn conclude(&self) -> Option<FileKind> {
        match &self.state {
            SnifferState::Opening => FileKind::sniff(&self.window),
            SnifferState::Zip => FileKind::sniff(&[ZIP, &self.window].concat()),
            SnifferState::Text(opening) => FileKind::sniff(&[opening, &*self.window].concat()),
            SnifferState::Known(kind) => *kind,
        }
    }

    /// Checks the window and keeps the bytes that the next window needs.
    fn judge(&mut self) {
        match &self.state {
            SnifferState::Opening => self.judge_opening(),
            SnifferState::Zip => match self.conclude() {
                None => self.keep_last(ZIP_OVERLAP),
                kind => self.state = SnifferState::Known(kind),
            },
            SnifferState::Text(opening) => {
                let end = whole_characters(opening, &self.window);
                let kind = FileKind::sniff(&[opening, &self.window[..end]].concat());
                if kind == Some(FileKind::Text) {
                    self.keep_last(self.window.len() - end);
                } else {
                    self.state = SnifferState::Known(None);
                }
            }
            SnifferState::Known(_) => {}
        }
        if matches!(self.state, SnifferState::Known(_)) {
            self.window = Vec::new();
        }
    }

    fn judge_opening(&mut self) {
        let end = whole_characters(&self.window, &self.window);
        match FileKind::sniff(&self.window[..end]) {
            Some(FileKind::Text) => {
                self.state = SnifferState::Text(plain_opening(&self.window));
                self.keep_last(self.window.len() - end);
            }
            None if self.window.starts_with(ZIP) => {
                self.state = SnifferState::Zip;
                self.keep_last(ZIP_OVERLAP);
            }
            kind => self.state = SnifferState::Known(kind),
        }
    }

    fn keep_last(&mut self, length: usize) {
        self.window.drain(..self.window.len() - length);
    }
}

/// Plain text in the encoding of the file's beginning.
fn plain_opening(file: &[u8]) -> Vec<u8> {
    match file {
        [0xff, 0xfe, ..] => [&[0xff, 0xfe][..], &b"x\0".repeat(TEXT_PREFIX)].concat(),
        [0xfe, 0xff, ..] => [&[0xfe, 0xff][..], &b"\0x".repeat(TEXT_PREFIX)].concat(),
        _ => vec![b'x'; TEXT_PREFIX],
    }
}

/// The end of the last whole character in a window, in the encoding of the file's beginning.
fn whole_characters(opening: &[u8], window: &[u8]) -> usize {
    if matches!(opening, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return window.len() & !1;
    }
    match std::str::from_utf8(window) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => window.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_pieces(file: &[u8], size: usize) -> Option<FileKind> {
        let mut sniffer = Sniffer::default();
        let mut candidate = None;
        for piece in file.chunks(size) {
            sniffer.push(piece);
            assert!(sniffer.window.len() <= WINDOW + size);
            candidate = candidate.or(sniffer.candidate());
        }
        let kind = sniffer.conclude();
        assert!(kind.is_none() || candidate.is_none() || kind == candidate, "{candidate:?} became {kind:?}");
        kind
    }

    /// A zip with a part of that length before the part that makes it a DOCX.
    fn docx(before: usize) -> Vec<u8> {
        let mut zip = b"PK\x03\x04".to_vec();
        zip.resize(30 + before, b'-');
        zip.extend(b"PK\x03\x04");
        zip.extend([0; 22]);
        zip.extend([17, 0, 0, 0]);
        zip.extend(b"word/document.xml");
        zip.extend([b'-'; 1000]);
        zip
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
    }

    #[test]
    fn a_kind_that_shows_at_the_beginning_is_known_at_once_and_nothing_is_kept() {
        let png = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 3 * WINDOW]].concat();
        let mut sniffer = Sniffer::default();
        assert_eq!(sniffer.push(&png[..WINDOW]), SniffResult::Open);
        assert_eq!(sniffer.push(&png[WINDOW..]), SniffResult::Known(Some(FileKind::Png)));
        assert_eq!(sniffer.window.capacity(), 0);
        assert_eq!(sniffer.conclude(), Some(FileKind::Png));
    }

    /// Proves R058 for a file that only begins like an accepted kind.
    #[test]
    fn a_text_that_turns_into_something_else_is_none() {
        let text = "El paciente come bien.\n".repeat(10_000);
        assert_eq!(by_pieces(text.as_bytes(), 8192), Some(FileKind::Text));
        let turned = [text.as_bytes(), b"\0\x01\x02", text.as_bytes()].concat();
        assert_eq!(by_pieces(&turned, 8192), None);
        let mut sniffer = Sniffer::default();
        let verdicts: Vec<_> = turned.chunks(WINDOW).map(|piece| sniffer.push(piece)).collect();
        assert_eq!(verdicts.last(), Some(&SniffResult::Known(None)), "it is refused before it has all come");
    }

    #[test]
    fn a_text_may_speak_of_other_kinds_anywhere() {
        let text = format!("{}%PDF-1.7 {}<html>", "a".repeat(WINDOW + 1), "b".repeat(WINDOW));
        assert_eq!(by_pieces(text.as_bytes(), 1000), Some(FileKind::Text));
    }

    #[test]
    fn a_zip_without_the_part_is_none() {
        assert_eq!(by_pieces(&docx(0)[..60], 7), None);
        let other = docx(3 * WINDOW);
        assert_eq!(by_pieces(&other[..2 * WINDOW], 4096), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_file_in_pieces_is_what_it_is_as_a_whole(
            size in 1_usize..100_000,
            length in 0_usize..200_000,
            sign in prop::sample::select(vec!["a", "é", "漢", "🐈", "a é漢\n🐈"]),
            shift in 0_usize..4,
        ) {
            let text = format!("{}{}", "x".repeat(shift), sign.repeat(length / sign.len()));
            let latin = [&b"x"[..], &b"a\xe9o ".repeat(length / 4)].concat();
            let pdf = [b"%PDF-1.7\n".to_vec(), vec![0; length]].concat();
            let noise = [vec![0x13; length], b"x".to_vec()].concat();
            for file in [
                text.clone().into_bytes(),
                utf16(&text, u16::to_le_bytes),
                utf16(&text, u16::to_be_bytes),
                latin,
                docx(length),
                pdf,
                noise,
            ] {
                prop_assert_eq!(by_pieces(&file, size), FileKind::sniff(&file));
            }
        }
    }
}
