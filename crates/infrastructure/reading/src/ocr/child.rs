//! The main function of the child process that confines itself and then executes tesseract.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::sandbox::confine;

/// The first argument that makes a process execute tesseract.
pub const ARGUMENT: &str = "recognise-child";

/// The folders with tesseract, its libraries and its data.
const READABLE_FOLDERS: [&str; 7] = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/opt", "/nix"];

/// The limits of the child process.
pub(super) struct ChildLimits {
    pub(super) memory: u64,
    pub(super) seconds: u64,
}

impl ChildLimits {
    pub(super) fn arguments(&self) -> [OsString; 3] {
        [ARGUMENT.into(), self.memory.to_string().into(), self.seconds.to_string().into()]
    }
}

/// Executes the program from the command line: [`ARGUMENT`], memory in bytes, CPU time in seconds, the program and its
/// arguments. Returns only if that fails.
pub fn run() -> ExitCode {
    let error = match confine_and_prepare(std::env::args_os().skip(2)) {
        Ok(mut program) => program.exec(),
        Err(error) => error,
    };
    let _ = writeln!(io::stderr(), "{error}");
    ExitCode::FAILURE
}

/// Confines this process and builds the command to execute.
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
    // Some package managers keep program, libraries and data in one folder of their own.
    let prefix = std::fs::canonicalize(&program).ok();
    let prefix = prefix.as_deref().and_then(Path::parent).map(|folder| match folder.file_name() {
        Some(name) if name == "bin" => folder.parent().unwrap_or(folder),
        _ => folder,
    });
    readable.extend(prefix);
    // On kernels without Landlock and seccomp, only the limits above apply.
    confine::restrict_files(&readable);
    confine::deny_network_and_processes();
    let mut command = Command::new(&program);
    command.args(arguments);
    Ok(command)
}
