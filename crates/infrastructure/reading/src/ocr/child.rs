//! The main function of the child process that confines itself and then executes tesseract.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::sandbox::confine::{self, Confinement, ConfinementPolicy};

/// The first argument that makes a process execute tesseract.
pub const ARGUMENT: &str = "recognise-child";

/// The folders with tesseract, its libraries and its data.
const READABLE_FOLDERS: [&str; 7] = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/opt", "/nix"];

/// The exit code if the process is less confined than the policy asks for. What is missing is on standard error.
pub(super) const EXIT_NOT_CONFINED: u8 = 71;

/// The limits of the child process.
pub(super) struct ChildLimits {
    pub(super) memory: u64,
    pub(super) seconds: u64,
    pub(super) policy: ConfinementPolicy,
}

/// Why the program cannot be executed.
enum PrepareError {
    Io(io::Error),
    NotConfined(Confinement),
}

impl From<io::Error> for PrepareError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ChildLimits {
    pub(super) fn arguments(&self) -> [OsString; 4] {
        let policy = match self.policy {
            ConfinementPolicy::Supported => "supported",
            ConfinementPolicy::Required => "required",
            ConfinementPolicy::Optional => "optional",
        };
        [ARGUMENT.into(), self.memory.to_string().into(), self.seconds.to_string().into(), policy.into()]
    }
}

fn parse_policy(name: &OsString) -> Option<ConfinementPolicy> {
    match name.to_str()? {
        "supported" => Some(ConfinementPolicy::Supported),
        "required" => Some(ConfinementPolicy::Required),
        "optional" => Some(ConfinementPolicy::Optional),
        _ => None,
    }
}

/// Executes the program from the command line: [`ARGUMENT`], memory in bytes, CPU time in seconds, the confinement policy,
/// the program and its arguments. Returns only if that fails.
pub fn run() -> ExitCode {
    let error = match confine_and_prepare(std::env::args_os().skip(2)) {
        Ok(mut program) => program.exec(),
        Err(PrepareError::Io(error)) => error,
        Err(PrepareError::NotConfined(confinement)) => {
            let _ = writeln!(io::stderr(), "{}", confinement.missing());
            return ExitCode::from(EXIT_NOT_CONFINED);
        }
    };
    let _ = writeln!(io::stderr(), "{error}");
    ExitCode::FAILURE
}

/// Confines this process and builds the command to execute.
fn confine_and_prepare(mut arguments: impl Iterator<Item = OsString>) -> Result<Command, PrepareError> {
    let mut number = || arguments.next().and_then(|text| text.to_str()?.parse().ok());
    let (Some(memory), Some(seconds)) = (number(), number()) else {
        return Err(invalid_arguments().into());
    };
    let policy = arguments.next().as_ref().and_then(parse_policy).ok_or_else(invalid_arguments)?;
    let program = arguments.next().ok_or_else(invalid_arguments)?;
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
    let landlock = confine::restrict_files(&readable);
    let confinement = Confinement { memory: true, landlock, seccomp: confine::deny_network_and_processes() };
    if !confinement.satisfies(policy) {
        return Err(PrepareError::NotConfined(confinement));
    }
    let mut command = Command::new(&program);
    command.args(arguments);
    Ok(command)
}

fn invalid_arguments() -> io::Error {
    io::ErrorKind::InvalidInput.into()
}
