//! Python's package installer, which brings prebuilt programs to a machine that lacks them.

use std::process::Command;

use crate::cargo::answers;
use crate::{Result, apt};

/// The installer, which is installed itself when it is missing; a subcommand comes next.
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
    answers(command().arg("--version"))
}

fn command() -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip"]);
    command
}
