//! The process that becomes tesseract: it gives up what tesseract does not need, and then executes it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::sandbox::confine;

/// The first argument of a process that shall become tesseract.
pub const ARGUMENT: &str = "recognise-child";

/// What tesseract reads: itself, its libraries and its data.
const READABLE_FOLDERS: [&str; 7] = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/opt", "/nix"];

/// What it may use.
pub(super) struct ChildLimits {
    pub(super) memory: u64,
    pub(super) seconds: u64,
}

impl ChildLimits {
    pub(super) fn arguments(&self) -> [OsString; 3] {
        [ARGUMENT.into(), self.memory.to_string().into(), self.seconds.to_string().into()]
    }
}

/// Becomes the program that the arguments name, after [`ARGUMENT`], memory and time. Returns only if it cannot.
pub fn run() -> ExitCode {
    let why = match confine_and_prepare(std::env::args_os().skip(2)) {
        Ok(mut program) => program.exec(),
        Err(error) => error,
    };
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::FAILURE
}

/// Confines this process, and what it shall become.
fn confine_and_prepare(mut arguments: impl Iterator<Item = OsString>) -> io::Result<Command> {
    let mut number = || arguments.next().and_then(|text| text.to_str()?.parse().ok());
    let (Some(memory), Some(seconds)) = (number(), number()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    confine::limit_memory(memory)?;
    confine::limit_cpu_time(seconds)?;
    let data = std::env::var_os("TESSDATA_PREFIX");
    let mut readable: Vec<&Path> = READABLE_FOLDERS.iter().map(Path::new).collect();
    readable.extend(data.as_deref().map(Path::new));
    // Where a package manager of its own keeps program, libraries and data side by side.
    let home = std::fs::canonicalize(&program).ok();
    let home = home.as_deref().and_then(Path::parent).map(|folder| match folder.file_name() {
        Some(name) if name == "bin" => folder.parent().unwrap_or(folder),
        _ => folder,
    });
    readable.extend(home);
    // Where the kernel cannot hold a process this way, the limits above still do.
    confine::restrict_files(&readable);
    confine::deny_network_and_processes();
    let mut command = Command::new(&program);
    command.args(arguments);
    Ok(command)
}
