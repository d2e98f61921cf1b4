//! API keys and the roles that they grant.
//!
//! A key is text of the form `quire_<id>_<secret>`. The id finds the key, the secret proves it. Only a hash of the
//! secret is stored, so that nobody who reads the database can use a key.

use std::fmt;

use uuid::Uuid;

use crate::hex;
use crate::ids::KeyId;
use crate::pipeline::UnknownName;

/// The prefix of every key. It lets people and secret scanners recognise a key.
const PREFIX: &str = "quire_";
/// The longest name of a key, in characters. Every event contains the name.
const MAX_NAME_CHARS: usize = 64;
/// Names that mean something else in the history: an open server, and the token from the settings.
const RESERVED: [&str; 2] = ["local", "auth-token"];

/// What a key may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Read everything except governance.
    Read,
    /// Upload documents, process them, and withdraw or cancel runs.
    Operate,
    /// Correct the values of documents, and mark documents as reviewed.
    Review,
    /// Govern schemas: decide which values documents are searched for.
    Govern,
    /// Export the values of many documents at once.
    Export,
    /// Read the metrics of the process, and nothing else.
    Metrics,
    /// Everything, including what no other role allows.
    Admin,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Operate, Self::Review, Self::Govern, Self::Export, Self::Metrics, Self::Admin];

    /// The name that is stored and that the API shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Operate => "operate",
            Self::Review => "review",
            Self::Govern => "govern",
            Self::Export => "export",
            Self::Metrics => "metrics",
            Self::Admin => "admin",
        }
    }

    /// The role of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|role| role.as_str() == name).ok_or_else(|| UnknownName {
            what: "role",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }
}

/// The roles of a key: at least one, sorted, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(Vec<Role>);

impl Roles {
    /// The role `admin` alone.
    pub fn admin() -> Self {
        Self(vec![Role::Admin])
    }

    /// Parses names separated by commas.
    pub fn parse(names: &str) -> Result<Self, UnknownName> {
        let mut roles =
            names.split(',').map(|name| Role::parse(name.trim())).collect::<Result<Vec<_>, _>>()?;
        roles.sort_unstable();
        roles.dedup();
        Ok(Self(roles))
    }

    /// Whether these roles allow what needs `role`. `review` and `govern` include `read`, which includes `metrics`, and
    /// `admin` includes every role. `operate` does not include `read`: a scanner that uploads documents need not see any.
    /// `read` does not include `export`: who looks at documents one by one need not carry all of them away.
    pub fn allow(&self, role: Role) -> bool {
        let includes = |own: &Role| match own {
            Role::Admin => true,
            Role::Review | Role::Govern => matches!(role, Role::Read | Role::Metrics),
            Role::Read => role == Role::Metrics,
            Role::Operate | Role::Export | Role::Metrics => false,
        };
        self.0.iter().any(|own| *own == role || includes(own))
    }
}

impl fmt::Display for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(","))
    }
}

/// A key as its holder has it.
#[derive(Clone, PartialEq, Eq)]
pub struct PlaintextKey {
    /// The id of the key.
    pub id: KeyId,
    /// The secret: 32 random bytes.
    pub secret: [u8; 32],
}

impl PlaintextKey {
    /// Parses a key. Only the exact text that was issued is accepted.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let id = KeyId(Uuid::from_bytes(from_hex(id)?));
        Some(Self { id, secret: from_hex(secret)? })
    }

    /// The text of the key, with its secret.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id.0.simple(), hex(&self.secret))
    }
}

impl fmt::Debug for PlaintextKey {
    /// Leaves the secret out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlaintextKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Checks the name of a key. Events identify callers by it, so it must be unambiguous.
pub fn check_key_name(name: &str) -> Result<(), String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(plain) {
        return Err(format!(
            "a name must have 1 to {MAX_NAME_CHARS} letters, digits, -, _, . or @, such as ward-3-scanner"
        ));
    }
    if RESERVED.contains(&name) || Uuid::parse_str(name).is_ok() {
        return Err(format!("the name {name} is reserved; choose another one"));
    }
    Ok(())
}

/// How many bits of guessing a text takes that a person configured as a secret: a cautious estimate.
///
/// A repeated part counts once. Text that looks like words counts 2 bits for each letter, as prose does. Any other text
/// counts as random over the kinds of characters that it has.
pub fn guessing_bits(secret: &str) -> f64 {
    let letters: Vec<char> = secret.chars().collect();
    let once = &letters[..period(&letters)];
    let each = if looks_like_words(once) { 2.0 } else { alphabet(once).log2() };
    #[allow(clippy::cast_precision_loss)] // A secret is short.
    let length = once.len() as f64;
    length * each
}

/// The length of the part that is repeated from the beginning to the end.
fn period(letters: &[char]) -> usize {
    let repeats = |length: &usize| letters.iter().zip(&letters[*length..]).all(|(one, other)| one == other);
    (1..letters.len()).find(repeats).unwrap_or(letters.len())
}

/// The number of characters that the text is chosen from.
fn alphabet(letters: &[char]) -> f64 {
    let has = |kind: fn(&char) -> bool| letters.iter().any(kind);
    let is_hex = letters.iter().all(|letter| letter.is_ascii_hexdigit() || *letter == '-')
        && !(has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase));
    if is_hex && has(char::is_ascii_alphabetic) {
        return 16.0;
    }
    let kinds = [
        (has(char::is_ascii_digit), 10.0),
        (has(char::is_ascii_lowercase), 26.0),
        (has(char::is_ascii_uppercase), 26.0),
        (has(|letter| !letter.is_ascii_alphanumeric()), 4.0),
    ];
    kinds.iter().filter(|(is_used, _)| *is_used).map(|(_, size)| size).sum::<f64>().max(1.0)
}

/// Words have long runs of letters in one case, and many vowels. Alphabets in order look the same.
fn looks_like_words(letters: &[char]) -> bool {
    let alphabetic: Vec<char> = letters.iter().copied().filter(char::is_ascii_alphabetic).collect();
    let case = |letter: &char| (letter.is_ascii_lowercase(), letter.is_ascii_uppercase());
    let runs = letters.chunk_by(|one, other| case(one) == case(other));
    let runs = runs.filter(|run| run[0].is_ascii_alphabetic()).count();
    let vowels = alphabetic.iter().filter(|letter| "aeiouAEIOU".contains(**letter)).count();
    let in_order = letters.windows(2).filter(|pair| u32::from(pair[0]) + 1 == u32::from(pair[1])).count();
    let is_in_order = in_order * 2 > letters.len();
    is_in_order || (alphabetic.len() > runs * 3 && vowels * 100 >= alphabetic.len() * 28)
}

/// Parses exactly `N` bytes in lower-case hexadecimal, so that a secret has only one spelling.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    let letters = text.as_bytes();
    if letters.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(letters.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_text_of_a_key_is_accepted() {
        let key =
            PlaintextKey { id: KeyId::new(), secret: std::array::from_fn(|i| u8::try_from(i * 7).unwrap()) };
        let text = key.reveal();
        assert_eq!((PlaintextKey::parse(&text).as_ref(), text.len()), (Some(&key), 103));
        for wrong in [
            "",
            "quire_",
            "quire__",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replace("quire_", "quire_é"),
            &text.replace('_', "-"),
        ] {
            assert_eq!(PlaintextKey::parse(wrong), None, "{wrong}");
        }
        assert!(!format!("{key:?}").contains(&text[40..]), "{key:?}");
    }

    #[test]
    fn review_includes_read_operate_does_not_and_admin_includes_everything() {
        let reviewer = Roles::parse("review, operate,review").unwrap();
        assert_eq!(reviewer.to_string(), "operate,review");
        assert_eq!(
            Role::ALL.map(|role| reviewer.allow(role)),
            [true, true, true, false, false, true, false],
            "what was given, and reading"
        );
        let scanner = Roles::parse("operate").unwrap();
        assert_eq!(
            Role::ALL.map(|role| scanner.allow(role)),
            [false, true, false, false, false, false, false]
        );
        let prometheus = Roles::parse("metrics").unwrap();
        assert_eq!(
            Role::ALL.map(|role| prometheus.allow(role)),
            [false, false, false, false, false, true, false]
        );
        assert!(!Roles::parse("read,review,govern,operate").unwrap().allow(Role::Export));
        assert!(Role::ALL.into_iter().all(|role| Roles::admin().allow(role)));
        let refused = Roles::parse("read,root").unwrap_err().to_string();
        assert!(refused.contains("root") && refused.contains("govern"), "{refused}");
        assert!(Roles::parse("").is_err());
    }

    #[test]
    fn a_text_that_a_person_would_choose_takes_few_guesses() {
        for random in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "4F1C0A9BE27D5863F0B1C2D3E4A59687",
            "q7Rk2ZpX9vTn4LwYb8Hd3F",
            "Zm9vYmFyLXNlY3JldC0xMjM0NQ9x",
            "b1946ac9-2492-4d23-47c6-235b4d261111-8a",
            "xk3v9q2mz7tbw5hc8dpr4nfjg6sl",
        ] {
            assert!(guessing_bits(random) >= 128.0, "{random}: {}", guessing_bits(random));
        }
        for chosen in [
            "",
            "hunter2",
            "a token of sixteen",
            "correct-horse-battery-staple-and-a-few-more-words",
            "una-frase-larga-que-alguien-recuerda-bien",
            "0123456789abcdef0123456789abcdef",
            "00000000000000000000000000000000000000000000",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "Passw0rd-Passw0rd-Passw0rd-Passw0rd",
            "9f86d081884c7d65",
            "12345678901234567890123456",
        ] {
            assert!(guessing_bits(chosen) < 128.0, "{chosen}: {}", guessing_bits(chosen));
        }
    }

    #[test]
    fn reserved_and_malformed_names_of_keys_are_refused() {
        for sound in ["a", "ward-3_scanner.v2@clinic"] {
            assert_eq!(check_key_name(sound), Ok(()), "{sound}");
        }
        let long = "a".repeat(65);
        for wrong in
            ["", "two words", "naïve", "local", "auth-token", "0192f0c1-5b7a-7c3e-8f00-0123456789ab", &long]
        {
            assert!(check_key_name(wrong).is_err(), "{wrong}");
        }
    }
}
