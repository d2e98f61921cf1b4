//! `quire keys`

use std::io::Write as _;

use clap::Subcommand;
use jiff::{SignedDuration, Span, SpanRelativeTo};
use quire_application::credential::{self, RotationSettings};
use quire_domain::{PlaintextKey, Roles, UnknownName};
use quire_ports::ApiKey;
use serde_json::{Value, json};

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Create, list, rotate and revoke API keys
///
/// As soon as one key exists, every request needs one, except for the health checks and the login. A running server
/// notices within three seconds.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire keys create --name ward-3-scanner --role operate\n  \
    quire keys create --name alma --role review,govern > alma.key\n  \
    quire keys create --name locum --role review --expires-in 30d\n  \
    quire keys rotate alma --keep-old 24h > alma.key\n  \
    quire keys revoke ward-3-scanner\n\n\
    Send a key as `Authorization: Bearer KEY`.")]
pub(super) enum KeysCommand {
    /// Create a key and print it once
    Create {
        /// Name of the person or program that uses the key
        #[arg(long)]
        name: String,
        /// Roles, separated by commas: read, operate, review, govern, export, metrics, admin
        #[arg(long, value_name = "ROLE[,ROLE…]", value_parser = roles)]
        role: Roles,
        /// Time after which the key expires, such as 12h, 30d or 52w [default: never]
        #[arg(long, value_name = "TIME", value_parser = time)]
        expires_in: Option<SignedDuration>,
    },
    /// List all keys with their last use, including revoked ones
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give a key a new secret and print it once
    ///
    /// Keeps the name and roles, so the history still names the same person. The old secret and the logins with it end at
    /// once, unless --keep-old gives people and programs time to change. A key that has expired is renewed.
    Rotate {
        /// Name or id of the key
        name: String,
        /// Time for which the old secret still works, such as 1h or 7d [default: none]
        #[arg(long, value_name = "TIME", value_parser = time)]
        keep_old: Option<SignedDuration>,
        /// Time after which the new secret expires [default: the lifetime of the old secret]
        #[arg(long, value_name = "TIME", value_parser = time)]
        expires_in: Option<SignedDuration>,
    },
    /// Revoke a key permanently
    ///
    /// Its name cannot be used again. To give the same person another secret, use `quire keys rotate`.
    Revoke {
        /// Name or id of the key
        name: String,
    },
}

impl KeysCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        match self {
            Self::Create { name, role, expires_in } => create(config, &name, role, expires_in).await,
            Self::List { json } => list(config, json).await,
            Self::Rotate { name, keep_old, expires_in } => {
                let keep_old = keep_old.unwrap_or_default();
                rotate(config, &name, RotationSettings { keep_old, expires_in }).await
            }
            Self::Revoke { name } => {
                let store = wire::open_for_command(config).await?;
                let key = credential::revoke(&store, &name).await?;
                Ok(format!("Revoked key {}.\n", key.key.name))
            }
        }
    }
}

async fn create(
    config: &Config,
    name: &str,
    roles: Roles,
    expires_in: Option<SignedDuration>,
) -> Result<String, CommandError> {
    let store = wire::open_or_create(config).await?;
    let key = credential::create(&store, name, roles, expires_in).await?;
    let kept = store.credentials.named(&key.id.to_string()).await?;
    Ok(printed(&key, &kept, "Key", ""))
}

async fn rotate(config: &Config, name: &str, settings: RotationSettings) -> Result<String, CommandError> {
    let store = wire::open_for_command(config).await?;
    let (kept, key) = credential::rotate(&store, name, settings).await?;
    let old = kept.previous.filter(|_| settings.keep_old > SignedDuration::ZERO);
    let old = old.map_or_else(
        || " The old one no longer works.".to_owned(),
        |previous| format!(" The old one works until {}.", output::time(Some(previous.until))),
    );
    Ok(printed(&key, &kept, "New key", &old))
}

/// Only the key, for standard output. What it is goes to standard error.
fn printed(text: &PlaintextKey, ApiKey { key, .. }: &ApiKey, what: &str, note: &str) -> String {
    let (name, roles) = (&key.name, &key.roles);
    let expires = key.expires_at.map(|at| format!(" It expires at {}.", output::time(Some(at))));
    let expires = expires.unwrap_or_default();
    // A closed standard error is no reason to withhold the key.
    let _ = writeln!(
        std::io::stderr(),
        "{what} of {name} ({roles}). It is shown only once, because only its hash is stored.{expires}{note}\n\
         Send it as Authorization: Bearer KEY"
    );
    format!("{}\n", text.reveal())
}

async fn list(config: &Config, as_json: bool) -> Result<String, CommandError> {
    let keys = wire::open_for_command(config).await?.credentials.list().await?;
    if as_json {
        return Ok(output::json(&keys.iter().map(key_json).collect()));
    }
    if keys.is_empty() {
        return Ok("No keys. Create one with `quire keys create`.\n".to_owned());
    }
    let rows: Vec<[String; 8]> = keys
        .iter()
        .map(|ApiKey { key, rotated_at, revoked_at, last_used_at, .. }| {
            let times = [Some(key.created_at), *rotated_at, *last_used_at, key.expires_at, *revoked_at];
            let [created, rotated, used, expires, revoked] = times.map(output::time);
            let [name, roles, id] = [key.name.clone(), key.roles.to_string(), key.id.to_string()];
            [name, roles, id, created, rotated, used, expires, revoked]
        })
        .collect();
    let heading = ["NAME", "ROLES", "ID", "CREATED", "ROTATED", "LAST USED", "EXPIRES", "REVOKED"];
    Ok(output::table(heading, &rows))
}

fn key_json(ApiKey { key, rotated_at, revoked_at, last_used_at, previous }: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "roles": key.roles.to_string().split(',').collect::<Vec<_>>(),
        "created_at": key.created_at,
        "rotated_at": rotated_at,
        "previous_valid_until": previous.map(|previous| previous.until),
        "last_used_at": last_used_at,
        "expires_at": key.expires_at,
        "revoked_at": revoked_at,
    })
}

fn roles(names: &str) -> Result<Roles, UnknownName> {
    Roles::parse(names)
}

/// A time such as 12h, 30d or 2w. A day has 24 hours.
fn time(text: &str) -> Result<SignedDuration, String> {
    let span = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    match span {
        Ok(time) if time.is_positive() => Ok(time),
        _ => Err("must be a time such as 12h, 30d or 52w".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_hours_days_or_weeks() {
        for (text, hours) in [("90m", 1.5), ("12h", 12.0), ("30d", 720.0), ("1w 1d", 192.0)] {
            assert_eq!(time(text).map(|time| time.as_secs_f64() / 3600.0), Ok(hours), "{text}");
        }
        for wrong in ["", "0h", "-1d", "soon", "30", "1 year"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
