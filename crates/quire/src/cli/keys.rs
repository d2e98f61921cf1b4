//! `quire keys`

use std::io::Write as _;

use clap::Subcommand;
use quire_application::credential;
use quire_domain::{Roles, UnknownName};
use quire_ports::ApiKey;
use serde_json::{Value, json};

use super::output;
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// Make, list and revoke the keys that people and programs ask with
///
/// From the first key on, every address but /health wants one. Works beside a running server, which notices within a second.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire keys create --name ward-3-scanner --role operate\n  \
    quire keys create --name alma --role review,govern > alma.key\n  \
    quire keys revoke ward-3-scanner\n\n\
    Use a key as `Authorization: Bearer KEY`.")]
pub(super) enum Keys {
    /// Make a key and print it, once
    Create {
        /// Under which its holder is remembered
        #[arg(long)]
        name: String,
        /// What it is good for: read, operate, review, govern or admin, or several with commas between
        #[arg(long, value_name = "ROLE[,ROLE…]", value_parser = roles)]
        role: Roles,
    },
    /// List all keys, also the revoked ones
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a key good for nothing, for good
    Revoke {
        /// The name or the id of the key
        name: String,
    },
}

impl Keys {
    pub(super) async fn run(self, config: &Config) -> Result<String, Trouble> {
        match self {
            Self::Create { name, role } => create(config, &name, role).await,
            Self::List { json } => list(config, json).await,
            Self::Revoke { name } => {
                let store = wire::open_beside(config).await?;
                let key = store.credentials.revoke(&name, store.clock.now()).await?;
                Ok(format!("Key {} is good for nothing any more.\n", key.key.name))
            }
        }
    }
}

/// The key alone goes to standard output, so that a script can take it; what to do with it goes where people look.
async fn create(config: &Config, name: &str, roles: Roles) -> Result<String, Trouble> {
    let store = wire::open_or_create(config).await?;
    let explained = format!(
        "This is the key of {name} ({roles}). It is shown once and kept nowhere: only its hash is. Use it as\n\
         Authorization: Bearer KEY"
    );
    let key = credential::create(&store, name, roles).await?;
    // If nobody listens on standard error, the key is still all that is needed.
    let _ = writeln!(std::io::stderr(), "{explained}");
    Ok(format!("{}\n", key.reveal()))
}

async fn list(config: &Config, as_json: bool) -> Result<String, Trouble> {
    let keys = wire::open_beside(config).await?.credentials.list().await?;
    if as_json {
        return Ok(output::json(&keys.iter().map(key_json).collect()));
    }
    if keys.is_empty() {
        return Ok("There are no keys; `quire keys create` makes one.\n".to_owned());
    }
    let rows: Vec<[String; 5]> = keys
        .iter()
        .map(|ApiKey { key, revoked_at }| {
            let (made, revoked) = (output::time(Some(key.created_at)), output::time(*revoked_at));
            [key.name.clone(), key.roles.to_string(), key.id.to_string(), made, revoked]
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
