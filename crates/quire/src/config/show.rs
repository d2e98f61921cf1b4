//! Prints the configuration in effect, with secrets masked.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use toml::Value;

use super::layers::{Layers, SettingOrigin};

/// Printed in place of a secret.
const MASK: &str = "***";

/// Settings that are never printed.
const SECRETS: [&str; 14] = [
    "server.auth_token",
    "search.api_key",
    "storage.azure.access_key",
    "storage.azure.connection_string",
    "storage.azure.sas_token",
    "storage.azure.client_secret",
    "storage.azure.encryption_key",
    "storage.s3.secret_access_key",
    "storage.s3.session_token",
    "storage.s3.encryption_key",
    "model.api_key",
    "model.headers",
    "web.firecrawl.api_key",
    "document_intelligence.api_key",
];

/// Settings that are URLs, whose passwords are never printed.
const URLS: [&str; 9] = [
    "storage.database",
    "storage.blobs",
    "storage.azure.endpoint",
    "storage.s3.endpoint",
    "model.url",
    "search.url",
    "document_intelligence.url",
    "http.proxy",
    "redis.url",
];

impl Layers {
    /// Every setting as TOML, with a comment on each that is not the default.
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
            let _ = write!(text, "{name} = {}", display_value(key, &setting.value));
            if setting.origin != SettingOrigin::Default {
                let _ = write!(text, "  # from {}", setting.origin);
            }
            text.push('\n');
        }
        text
    }

    /// The configuration files that a secret or a URL with a password came from.
    pub fn files_with_secrets(&self) -> BTreeSet<PathBuf> {
        let is_secret = |key: &str, value: &Value| match value {
            Value::String(text) if SECRETS.contains(&key) => !text.is_empty(),
            Value::String(text) if URLS.contains(&key) => mask_url(text) != *text,
            _ => false,
        };
        let secrets = self.settings.iter().filter(|(key, setting)| is_secret(key, &setting.value));
        let files = secrets.filter_map(|(_, setting)| match &setting.origin {
            SettingOrigin::File(path) => Some(path.clone()),
            _ => None,
        });
        files.collect()
    }

    /// The settings of a section before those of the sections inside it, as TOML requires.
    fn in_sections(&self) -> Vec<(&str, &super::layers::Setting)> {
        let mut settings: Vec<_> =
            self.settings.iter().map(|(key, setting)| (key.as_str(), setting)).collect();
        settings.sort_by_key(|(key, _)| key.rsplit_once('.'));
        settings
    }
}

/// A value as written in the file, with secrets masked.
pub(super) fn display_value(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if URLS.contains(&key) => quoted(&mask_url(text)),
        Value::String(text) if SECRETS.contains(&key) && !text.is_empty() => quoted(MASK),
        Value::String(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(flag) => flag.to_string(),
        _ => "(a list or a table)".to_owned(),
    }
}

/// TOML accepts the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A URL with its passwords masked. In doubt it masks more.
pub fn mask_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // Not a URL, but the text before an @ may be a misplaced password.
        return url.rsplit_once('@').map_or_else(|| url.to_owned(), |(_, rest)| format!("{MASK}@{rest}"));
    };
    // The last @: a password may contain an unencoded @, ? or /.
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
