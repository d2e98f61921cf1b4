//! What a text says of people that whoever reads it elsewhere need not know: addresses of mail, numbers of telephones,
//! identity documents and chips. Each is replaced by a name of its own, the same one wherever it stands, and put back
//! afterwards. In doubt more is hidden: a number that was hidden for nothing comes back all the same.

use super::normal::date;

/// Digits of the shortest number that is hidden; years, doses and postcodes are shorter.
const SHORTEST_NUMBER: usize = 9;
/// Digits of a chip.
const CHIP: usize = 15;

/// What has been hidden, and under which names.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    hidden: Vec<Hidden>,
}

#[derive(Clone, Debug)]
struct Hidden {
    name: String,
    words: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Email,
    Phone,
    Id,
    Chip,
    Number,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Email => "EMAIL",
            Self::Phone => "PHONE",
            Self::Id => "ID",
            Self::Chip => "CHIP",
            Self::Number => "NUMBER",
        }
    }
}

impl Redaction {
    /// The text without what is to be hidden.
    pub fn hide(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = ' ';
        while let Some(letter) = rest.chars().next() {
            let starts_word = !is_part(before);
            if let Some((kind, length)) = starts_word.then(|| hidden_at(rest, before)).flatten() {
                shown.push_str(self.name(kind, &rest[..length]));
                before = rest[..length].chars().next_back().unwrap_or(' ');
                rest = &rest[length..];
                continue;
            }
            shown.push(letter);
            before = letter;
            rest = &rest[letter.len_utf8()..];
        }
        shown
    }

    /// The words behind the names that stand in a text.
    pub fn put_back(&self, text: &str) -> String {
        // Names end with a bracket, so that none is the beginning of another.
        self.hidden.iter().fold(text.to_owned(), |text, hidden| text.replace(&hidden.name, &hidden.words))
    }

    /// Whether these words have something in them that was hidden.
    pub fn hides(&self, words: &str) -> bool {
        let bare = bare(words);
        !bare.is_empty()
            && self.hidden.iter().any(|hidden| {
                let own = self::bare(&hidden.words);
                bare.contains(&own) || own == bare
            })
    }

    /// The name of these words: the one that they have already, or the next one.
    fn name(&mut self, kind: Kind, words: &str) -> &str {
        let known = self.hidden.iter().position(|hidden| hidden.kind == kind && hidden.words == words);
        let place = known.unwrap_or_else(|| {
            let number = self.hidden.iter().filter(|hidden| hidden.kind == kind).count() + 1;
            let name = format!("[{}-{number}]", kind.as_str());
            self.hidden.push(Hidden { name, words: words.to_owned(), kind });
            self.hidden.len() - 1
        });
        &self.hidden[place].name
    }
}

/// Letters and digits alone, in capitals.
fn bare(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// What a word or a number goes on with.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// What is hidden at the beginning of a text, and how many bytes of it.
fn hidden_at(text: &str, before: char) -> Option<(Kind, usize)> {
    email(text).or_else(|| identity(text)).or_else(|| number(text, before))
}

/// `name@example.org`
fn email(text: &str) -> Option<(Kind, usize)> {
    let own = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let at = text.find(|c: char| !own(c)).filter(|at| *at > 0 && text[*at..].starts_with('@'))?;
    let host = &text[at + 1..];
    let length = host.find(|c: char| !(c.is_alphanumeric() || "-.".contains(c))).unwrap_or(host.len());
    let host = host[..length].trim_end_matches(['.', '-']);
    host.contains('.').then_some((Kind::Email, at + 1 + host.len()))
}

/// `12345678Z`, `12.345.678-Z`, `X1234567L`, `B12345678`: nine letters and digits, seven or eight of them digits in a row.
fn identity(text: &str) -> Option<(Kind, usize)> {
    let mut signs = String::new();
    let mut length = 0;
    for letter in text.chars() {
        let is_mark = ".- ".contains(letter) && !signs.is_empty() && signs.len() < 9;
        if !letter.is_ascii_alphanumeric() && !is_mark {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            if signs.len() == 9 {
                return None;
            }
            signs.push(letter.to_ascii_uppercase());
        }
        length += letter.len_utf8();
        if signs.len() == 9 && !text[length..].starts_with(|c: char| c.is_alphanumeric()) {
            break;
        }
    }
    let signs = signs.as_bytes();
    let digits = |range: std::ops::Range<usize>| signs[range].iter().all(u8::is_ascii_digit);
    let is_identity = signs.len() == 9
        && ((digits(0..8) && signs[8].is_ascii_alphabetic())
            || (signs[0].is_ascii_alphabetic() && digits(1..8)));
    is_identity.then_some((Kind::Id, length))
}

/// Groups of digits apart by a space, a dash, a dot or brackets, together long enough; dates among them stay.
fn number(text: &str, before: char) -> Option<(Kind, usize)> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '(')
        || before == '/'
        || before == ','
    {
        return None;
    }
    let mut digits = 0;
    let mut length = 0;
    let mut apart = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '0'..='9' => {
                // A date begins here, and is nobody's number.
                if apart > 0 && digits > 0 && begins_date(&text[place..]) {
                    break;
                }
                digits += 1;
                apart = 0;
                length = place + 1;
            }
            '+' if place == 0 => {}
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' if apart < 2 => apart += 1,
            _ => break,
        }
    }
    let rest = &text[length..];
    let goes_on = rest.starts_with(is_part) || rest.strip_prefix(['/', ',']).is_some_and(begins_with_digit);
    if digits < SHORTEST_NUMBER || goes_on || begins_date(text) {
        return None;
    }
    let kind = match digits {
        CHIP => Kind::Chip,
        ..CHIP => Kind::Phone,
        _ => Kind::Number,
    };
    Some((kind, length))
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether the first word of a text is a date in figures.
fn begins_date(text: &str) -> bool {
    let end = text.find(|c: char| c.is_whitespace()).unwrap_or(text.len());
    date(&text[..end]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut redaction = Redaction::default();
        let shown = redaction.hide(text);
        assert_eq!(redaction.put_back(&shown), text, "nothing is lost");
        shown
    }

    #[test]
    fn what_tells_of_people_is_hidden_under_the_same_name_everywhere() {
        for (text, shown) in [
            ("Correo: ana.perez+x@correo.example.es.", "Correo: [EMAIL-1]."),
            ("Tel: 600 123 456", "Tel: [PHONE-1]"),
            ("Tel:600123456, móvil 600123456", "Tel:[PHONE-1], móvil [PHONE-1]"),
            ("+34 (91) 123-45-67 / 600.123.456", "[PHONE-1] / [PHONE-2]"),
            ("Chip 941000012345678", "Chip [CHIP-1]"),
            ("Chip: 941 000 012 345 678.", "Chip: [CHIP-1]."),
            ("DNI 12345678Z, NIE X1234567L", "DNI [ID-1], NIE [ID-2]"),
            ("DNI: 12.345.678-Z", "DNI: [ID-1]"),
            ("DNI: 12345678 z fin", "DNI: [ID-1] fin"),
            ("IBAN ES9121000418450200051332", "IBAN ES9121000418450200051332"),
            ("cuenta 2100 0418 4502 0005 1332", "cuenta [NUMBER-1]"),
            ("941000012345678\n600123456", "[CHIP-1]\n[PHONE-1]"),
        ] {
            assert_eq!(hidden(text), shown, "{text}");
        }
    }

    #[test]
    fn dates_doses_sums_and_postcodes_stay() {
        for text in [
            "12/03/2024 13:44 Consulta",
            "12-03-2024 10-04-2024 2024-05-01",
            "12.03.2024 13.04.2024",
            "Peso 12,5 kg; 1.234,56 €; CP 28013 Madrid",
            "0,5 mg/kg cada 12 h durante 10 días",
            "NHC 12345 y versión 1.2.3",
            "v2_600123456x",
            "",
        ] {
            assert_eq!(hidden(text), text);
        }
    }

    #[test]
    fn a_value_is_known_to_be_hidden_however_it_is_written() {
        let mut redaction = Redaction::default();
        redaction.hide("Chip: 941 000 012 345 678, DNI 12.345.678-z");
        assert!(redaction.hides("941000012345678") && redaction.hides("12345678Z"));
        assert!(!redaction.hides("Luna") && !redaction.hides("") && !redaction.hides("941"));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_hidden_comes_back(text in "[ -~áñ\n]{0,80}", tail in "[0-9 .@-]{0,40}") {
            // Names are put back wherever they stand, so that the text itself must have none.
            let text = format!("{text}{tail}").replace('[', "(");
            let mut redaction = Redaction::default();
            let shown = redaction.hide(&text);
            proptest::prop_assert_eq!(redaction.put_back(&shown), text);
        }
    }
}
