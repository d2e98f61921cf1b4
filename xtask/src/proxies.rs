//! nginx and Caddy, which tests run with the configurations of the guide, and PgBouncer, through which tests reach
//! PostgreSQL.

use crate::Result;
use crate::{apt, curl};

/// A program of each package, and the package.
const PROGRAMS: [(&str, &str); 4] =
    [("nginx", "nginx-light"), ("caddy", "caddy"), ("openssl", "openssl"), ("pgbouncer", "pgbouncer")];

/// Installs the proxies if they are missing.
pub fn require() -> Result<()> {
    curl::require()?;
    for (program, package) in PROGRAMS {
        if !is_installed(program) {
            apt::install(package, &format!("put {program} on PATH in another way"))?;
        }
    }
    Ok(())
}

/// Whether a program is where Debian installs programs, or on PATH.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    folders.into_iter().any(|folder: std::path::PathBuf| folder.join(program).is_file())
}
