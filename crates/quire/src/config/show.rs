//! The configuration in effect, for people to read; secrets are not among what they read.

use std::fmt::Write;

use toml::Value;

use super::layers::{Layers, Origin};

/// What stands in place of a secret.
const MASK: &str = "***";

/// Settings that nobody sees.
const SECRETS: [&str; 2] = ["server.auth_token", "model.api_key"];

impl Layers {
    /// Every setting as TOML, with a remark on what is not the default.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut section = "";
        for (key, setting) in self.in_sections() {
            let (of, name) = key.rsplit_once('.').unwrap_or(("", key));
            if of != section {
                let gap = if section.is_empty() { "" } else { "\n" };
                // Writing to a String cannot fail.
                let _ = writeln!(text, "{gap}[{of}]");
                section = of;
            }
            let _ = write!(text, "{name} = {}", shown(key, &setting.value));
            if setting.origin != Origin::Default {
                let _ = write!(text, "  # from {}", setting.origin);
            }
            text.push('\n');
        }
        text
    }

    /// A section's own settings before those of the sections inside it, as TOML wants them.
    fn in_sections(&self) -> Vec<(&str, &super::layers::Setting)> {
        let mut settings: Vec<_> =
            self.settings.iter().map(|(key, setting)| (key.as_str(), setting)).collect();
        settings.sort_by_key(|(key, _)| key.rsplit_once('.'));
        settings
    }
}

/// A value as it would be written in the file, without secrets.
pub(super) fn shown(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if key == "storage.database" || key == "model.url" => quoted(&masked(text)),
        Value::String(text) if SECRETS.contains(&key) && !text.is_empty() => quoted(MASK),
        Value::String(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(flag) => flag.to_string(),
        _ => "(a list or a table)".to_owned(),
    }
}

/// JSON's escapes are TOML's, too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A database URL without its passwords. In doubt it hides more.
pub fn masked(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // No URL, but what stands before an @ may still be a password that was meant to go into one.
        return url.rsplit_once('@').map_or_else(|| url.to_owned(), |(_, rest)| format!("{MASK}@{rest}"));
    };
    // The last @ of all: a password may hold one, or a ? or a /, that somebody forgot to encode.
    let (user, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, rest),
    };
    let user = user.map_or(String::new(), |user| match user.split_once(':') {
        Some((name, _)) => format!("{name}:{MASK}@"),
        None => format!("{user}@"),
    });
    let Some((host, query)) = rest.split_once('?') else { return format!("{scheme}://{user}{rest}") };
    let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if name.to_lowercase().contains("password") => format!("{name}={MASK}"),
        _ => parameter.to_owned(),
    });
    format!("{scheme}://{user}{host}?{}", parameters.collect::<Vec<_>>().join("&"))
}
