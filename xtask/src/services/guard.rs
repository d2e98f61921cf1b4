//! The guard process: starts the services, prints their addresses for its parent, and stops them when the parent ends.

use std::io::{Read as _, Write as _, stdin, stdout};

use super::azurite::{self, Azurite};
use super::llama::Llama;
use super::moto::{self, Moto};
use super::postgres::Postgres;
use super::redis::Redis;
use super::{READY, Variable};
use crate::Result;
use crate::temp_dir::TempDir;

const POSTGRES_URL: &str = "QUIRE_TEST_POSTGRES_URL";
const REDIS_URL: &str = "QUIRE_TEST_REDIS_URL";
const MODEL_URL: &str = "QUIRE_TEST_MODEL_URL";

/// Runs the hidden command. The folder is declared first, so it is removed last.
pub fn guard() -> Result<()> {
    let folder = TempDir::create("run")?;
    // First, because they get ready while the others start.
    let mut llama = unless_given(MODEL_URL, || Llama::start(folder.path()))?;
    let mut azurite = unless_given(azurite::URL, || Azurite::start(folder.path()))?;
    let mut moto = unless_given(moto::URL, || Moto::start(folder.path()))?;
    let postgres = unless_given(POSTGRES_URL, || Postgres::start(&folder))?;
    let redis = unless_given(REDIS_URL, || Redis::start(folder.path()))?;
    let variables = [
        postgres.as_ref().map_or_else(|| given(POSTGRES_URL), Postgres::variables),
        redis.as_ref().map_or_else(|| given(REDIS_URL), |redis| vec![(REDIS_URL.to_owned(), redis.url())]),
        match &mut llama {
            Some(llama) => vec![(MODEL_URL.to_owned(), llama.url()?)],
            None => given(MODEL_URL),
        },
        match &mut azurite {
            Some(azurite) => vec![azurite.variable()?],
            None => given(azurite::URL),
        },
        vec![azurite::program_variable()?],
        match &mut moto {
            Some(moto) => vec![moto.variable()?],
            None => given(moto::URL),
        },
    ];
    // If the parent has already ended, nobody reads these lines, and the wait below ends at once.
    let _ = announce(&variables.concat());
    let _ = stdin().lock().read_to_end(&mut Vec::new());
    postgres.map_or(Ok(()), Postgres::stop)
}

fn announce(variables: &[Variable]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    for (name, value) in variables {
        writeln!(out, "{name}={value}")?;
    }
    writeln!(out, "{READY}")?;
    out.flush()
}

fn unless_given<T>(variable: &str, start: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    if given(variable).is_empty() { start().map(Some) } else { Ok(None) }
}

fn given(variable: &str) -> Vec<Variable> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    value.map(|value| (variable.to_owned(), value)).into_iter().collect()
}
