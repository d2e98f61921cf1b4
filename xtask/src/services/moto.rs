//! A private moto, a server for tests that speaks the protocol of S3.

use std::path::Path;
use std::process::Command;

use super::Variable;
use super::http_server::HttpServer;
use super::port::free_port;
use crate::{Result, python};

/// The package, and what its server needs of its many optional packages.
const PACKAGES: [&str; 3] = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
pub const URL: &str = "QUIRE_TEST_S3_URL";

pub struct Moto(HttpServer);

impl Moto {
    /// Starts the server. It gets ready meanwhile.
    pub fn start(folder: &Path) -> Result<Self> {
        let python = python::with_all("moto-5.2.5", &PACKAGES)?;
        let port = free_port()?;
        let mut command = Command::new(python);
        command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()]);
        HttpServer::start(&mut command, port, &folder.join("moto.log")).map(Self)
    }

    /// Its address, once it answers.
    pub fn variable(&mut self) -> Result<Variable> {
        Ok((URL.to_owned(), self.0.url(URL)?))
    }
}
