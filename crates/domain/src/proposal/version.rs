//! The versions of the schemas and prompts with which runs are made.

use std::fmt;

/// A version: MAJOR.MINOR.PATCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SemanticVersion(pub u32, pub u32, pub u32);

impl SemanticVersion {
    /// The version of the schemas in this program.
    pub const SCHEMA: Self = Self(1, 0, 0);
    /// The version of the prompts in this program.
    pub const PROMPT_SET: Self = Self(1, 0, 0);

    /// Parses MAJOR.MINOR.PATCH; anything else is no version.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let is_plain =
                part.bytes().all(|byte| byte.is_ascii_digit()) && (part.len() == 1 || !part.starts_with('0'));
            part.parse().ok().filter(|_| is_plain)
        });
        let version = Self(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The versions with which a run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptVersions {
    /// Of the schemas.
    pub schema: SemanticVersion,
    /// Of the prompts.
    pub prompt_set: SemanticVersion,
}

impl PromptVersions {
    /// The versions in this program.
    pub const SUPPORTED: Self =
        Self { schema: SemanticVersion::SCHEMA, prompt_set: SemanticVersion::PROMPT_SET };

    /// Checks the versions that a client asks for. Without a wish it gets the supported ones.
    pub fn requested(schema: Option<&str>, prompt_set: Option<&str>) -> Result<Self, UnsupportedVersion> {
        let fits = |wanted: Option<&str>, supported: SemanticVersion| {
            wanted.is_none_or(|wanted| SemanticVersion::parse(wanted.trim()) == Some(supported))
        };
        if fits(schema, SemanticVersion::SCHEMA) && fits(prompt_set, SemanticVersion::PROMPT_SET) {
            return Ok(Self::SUPPORTED);
        }
        Err(UnsupportedVersion {
            schema: schema.map(str::to_owned),
            prompt_set: prompt_set.map(str::to_owned),
        })
    }
}

/// A client asked for versions that this program does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this version is not supported; send X-Schema-Version: {} and X-Prompt-Set-Version: {}, or neither",
    SemanticVersion::SCHEMA,
    SemanticVersion::PROMPT_SET
)]
pub struct UnsupportedVersion {
    /// The version of the schemas that it asked for.
    pub schema: Option<String>,
    /// The version of the prompts that it asked for.
    pub prompt_set: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R159.
    #[test]
    fn only_the_versions_of_this_program_are_accepted_and_are_the_default() {
        assert_eq!(PromptVersions::requested(None, None), Ok(PromptVersions::SUPPORTED));
        assert_eq!(PromptVersions::requested(Some("1.0.0"), Some(" 1.0.0 ")), Ok(PromptVersions::SUPPORTED));
        for wrong in ["1.0.1", "2.0.0", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "+1.0.0", "", "1..0", "latest"]
        {
            let refused = PromptVersions::requested(Some(wrong), None).unwrap_err();
            assert_eq!(refused.schema.as_deref(), Some(wrong));
            assert!(refused.to_string().contains("X-Schema-Version: 1.0.0"), "{refused}");
            assert!(PromptVersions::requested(Some("1.0.0"), Some(wrong)).is_err(), "{wrong}");
        }
        assert_eq!(SemanticVersion::parse("12.0.34").unwrap().to_string(), "12.0.34");
    }
}
