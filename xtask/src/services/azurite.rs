//! A private Azurite, Microsoft's server for tests that speaks the protocol of Azure Blob Storage.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Variable;
use super::http_server::HttpServer;
use super::port::free_port;
use crate::cargo::{succeed_quietly, succeeds};
use crate::{Result, apt, cache};

const VERSION: &str = "3.35.0";
pub const URL: &str = "QUIRE_TEST_AZURITE_URL";
/// Tests that stop a server start their own with this program.
const PROGRAM: &str = "QUIRE_TEST_AZURITE_PROGRAM";
/// The account that every Azurite has. It is a part of the address.
const ACCOUNT: &str = "devstoreaccount1";

pub struct Azurite(HttpServer);

impl Azurite {
    /// Starts the server. It gets ready meanwhile.
    pub fn start(folder: &Path) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new("node");
        command
            .arg(program()?)
            .args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()])
            .args(["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location"])
            .arg(folder.join("azurite"));
        HttpServer::start(&mut command, port, &folder.join("azurite.log")).map(Self)
    }

    /// Its address, once it answers.
    pub fn variable(&mut self) -> Result<Variable> {
        Ok((URL.to_owned(), format!("{}/{ACCOUNT}", self.0.url(URL)?)))
    }
}

/// The variable with the path of the program.
pub fn program_variable() -> Result<Variable> {
    match std::env::var(PROGRAM) {
        Ok(given) if !given.is_empty() => Ok((PROGRAM.to_owned(), given)),
        _ => Ok((PROGRAM.to_owned(), program()?.display().to_string())),
    }
}

/// The script to run with node. Downloads it the first time.
fn program() -> Result<PathBuf> {
    let package = cache::cached_folder(&format!("azurite-{VERSION}"), download)?;
    Ok(package.join("node_modules/azurite/dist/src/blob/main.js"))
}

fn download(scratch: &Path) -> Result<PathBuf> {
    if !succeeds(Command::new("npm").arg("--version")) {
        apt::install("npm", &format!("set {URL} and {PROGRAM}"))?;
    }
    eprintln!("downloading Azurite {VERSION}");
    let package = scratch.join("package");
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix"])
        .arg(&package);
    succeed_quietly(npm.arg(format!("azurite@{VERSION}")))?;
    Ok(package)
}
