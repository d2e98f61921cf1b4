//! Limits a child process to some of the cores that this process may use.

use std::ffi::OsStr;
use std::process::Command;

/// A command that may use only the first `cores` of the allowed cores. This applies to its children too.
pub fn limited_to(cores: usize, program: impl AsRef<OsStr>) -> Command {
    let allowed = allowed();
    assert!(allowed.len() >= cores, "{cores} cores are needed, but only {} are allowed", allowed.len());
    let list: Vec<String> = allowed.iter().take(cores).map(usize::to_string).collect();
    let mut command = Command::new("taskset");
    command.arg("--cpu-list").arg(list.join(",")).arg(program);
    command
}

fn allowed() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    parse_list(line.trim())
}

/// Parses a list of the kernel, such as `0-2,5`.
fn parse_list(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        from.parse::<usize>().unwrap()..=to.parse::<usize>().unwrap()
    };
    list.split(',').flat_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::parse_list;

    #[test]
    fn a_list_of_cores_is_parsed() {
        assert_eq!(parse_list("0"), [0]);
        assert_eq!(parse_list("0-2,5,7-8"), [0, 1, 2, 5, 7, 8]);
    }
}
