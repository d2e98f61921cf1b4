//! pip, Python's package installer, which downloads prebuilt programs.

use std::process::Command;

use crate::cargo::succeeds;
use crate::{Result, apt};

/// The command `pip`, ready for a subcommand. Installs pip if it is missing.
pub fn pip() -> Result<Command> {
    if !works() {
        apt::install("python3-pip", "make `python3 -m pip` work in another way")?;
    }
    if works() {
        Ok(command())
    } else {
        Err("`python3 -m pip` does not work; install pip for the python3 on PATH".into())
    }
}

fn works() -> bool {
    succeeds(command().arg("--version"))
}

fn command() -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip"]);
    command
}
