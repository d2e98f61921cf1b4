//! The script of a letter, as far as it matters here: which letters may stand beside each other in a word.

/// A group of scripts that are written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// Chinese, Japanese and Korean.
    EastAsian,
    /// Any other, by its block of 128 characters.
    Other(u32),
}

impl Script {
    pub(super) fn of(letter: char) -> Self {
        match letter {
            '\0'..='\u{36F}'
            | '\u{1D00}'..='\u{1EFF}'
            | '\u{2C60}'..='\u{2C7F}'
            | '\u{A720}'..='\u{A7FF}'
            // Letters of formulas.
            | '\u{1D400}'..='\u{1D7FF}' => Self::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Self::Greek,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{590}'..='\u{5FF}' | '\u{FB1D}'..='\u{FB4F}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}'
            | '\u{750}'..='\u{77F}'
            | '\u{8A0}'..='\u{8FF}'
            | '\u{FB50}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}' => Self::Arabic,
            '\u{1100}'..='\u{11FF}'
            | '\u{2E80}'..='\u{A4CF}'
            | '\u{A960}'..='\u{A97F}'
            | '\u{AC00}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF00}'..='\u{FFEF}'
            | '\u{1B000}'..='\u{1B16F}'
            | '\u{20000}'..='\u{3FFFF}' => Self::EastAsian,
            other => Self::Other(u32::from(other) >> 7),
        }
    }
}
