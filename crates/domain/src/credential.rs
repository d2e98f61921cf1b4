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
    /// Upload documents, process them and withdraw runs.
    Operate,
    /// Correct the values of documents, and mark documents as reviewed.
    Review,
    /// Govern schemas: decide which values documents are searched for.
    Govern,
    /// Everything, including what no other role allows.
    Admin,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] = [Self::Read, Self::Operate, Self::Review, Self::Govern, Self::Admin];

    /// The name that is stored and that the API shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Operate => "operate",
            Self::Review => "review",
            Self::Govern => "govern",
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

    /// Whether these roles allow what needs `role`. `review` and `govern` include `read`, and `admin` includes every
    /// role. `operate` does not include `read`: a scanner that uploads documents need not see any.
    pub fn allow(&self, role: Role) -> bool {
        let reads = |own: &Role| role == Role::Read && matches!(own, Role::Review | Role::Govern);
        self.0.iter().any(|own| *own == role || *own == Role::Admin || reads(own))
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
            [true, true, true, false, false],
            "what was given, and reading"
        );
        let scanner = Roles::parse("operate").unwrap();
        assert_eq!(Role::ALL.map(|role| scanner.allow(role)), [false, true, false, false, false]);
        assert!(Role::ALL.into_iter().all(|role| Roles::admin().allow(role)));
        let refused = Roles::parse("read,root").unwrap_err().to_string();
        assert!(refused.contains("root") && refused.contains("govern"), "{refused}");
        assert!(Roles::parse("").is_err());
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
