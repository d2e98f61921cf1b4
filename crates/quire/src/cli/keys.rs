//! `quire keys`

use std::io::Write as _;

use clap::Subcommand;
use quire_application::credential;
use quire_domain::{Roles, UnknownName};
use quire_ports::ApiKey;
use serde_json::{Value, json};

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Create, list and revoke API keys
///
/// As soon as one key exists, every address except /health requires one. A running server notices within a second.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire keys create --name ward-3-scanner --role operate\n  \
    quire keys create --name alma --role review,govern > alma.key\n  \
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
    },
    /// List all keys, including revoked ones
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key permanently
    Revoke {
        /// Name or id of the key
        name: String,
    },
}

impl KeysCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        match self {
            Self::Create { name, role } => create(config, &name, role).await,
            Self::List { json } => list(config, json).await,
            Self::Revoke { name } => {
                let store = wire::open_for_command(config).await?;
                let key = store.credentials.revoke(&name, store.clock.now()).await?;
                Ok(format!("Revoked key {}.\n", key.key.name))
            }
        }
    }
}

/// Prints only the key to standard output, for scripts, and the explanation to standard error.
async fn create(config: &Config, name: &str, roles: Roles) -> Result<String, CommandError> {
    let store = wire::open_or_create(config).await?;
    let explanation = format!(
        "Key of {name} ({roles}). It is shown only once, because only its hash is stored. Send it as\n\
         Authorization: Bearer KEY"
    );
    let key = credential::create(&store, name, roles).await?;
    // A closed standard error is no reason to withhold the key.
    let _ = writeln!(std::io::stderr(), "{explanation}");
    Ok(format!("{}\n", key.reveal()))
}

async fn list(config: &Config, as_json: bool) -> Result<String, CommandError> {
    let keys = wire::open_for_command(config).await?.credentials.list().await?;
    if as_json {
        return Ok(output::json(&keys.iter().map(key_json).collect()));
    }
    if keys.is_empty() {
        return Ok("No keys. Create one with `quire keys create`.\n".to_owned());
    }
    let rows: Vec<[String; 5]> = keys
        .iter()
        .map(|ApiKey { key, revoked_at }| {
            let (created, revoked) = (output::time(Some(key.created_at)), output::time(*revoked_at));
            [key.name.clone(), key.roles.to_string(), key.id.to_string(), created, revoked]
        })
        .collect();
    Ok(output::table(["NAME", "ROLES", "ID", "CREATED", "REVOKED"], &rows))
}

fn key_json(ApiKey { key, revoked_at }: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "roles": key.roles.to_string().split(',').collect::<Vec<_>>(),
        "created_at": key.created_at,
        "revoked_at": revoked_at,
    })
}

fn roles(names: &str) -> Result<Roles, UnknownName> {
    Roles::parse(names)
}
