//! Which cores this process may use, and keeping another to some of them.

use std::ffi::OsStr;
use std::process::Command;

/// A command that may use only the first so many of the cores that we may use, and its children likewise.
pub fn held_to(cores: usize, program: impl AsRef<OsStr>) -> Command {
    let allowed = allowed();
    assert!(allowed.len() >= cores, "{cores} cores are needed, and there are {}", allowed.len());
    let list: Vec<String> = allowed.iter().take(cores).map(usize::to_string).collect();
    let mut command = Command::new("taskset");
    command.arg("--cpu-list").arg(list.join(",")).arg(program);
    command
}

fn allowed() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    numbers(line.trim())
}

/// The numbers of a list as the kernel writes it, like `0-2,5`.
fn numbers(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        from.parse::<usize>().unwrap()..=to.parse::<usize>().unwrap()
    };
    list.split(',').flat_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn the_kernels_list_of_cores_is_understood() {
        assert_eq!(numbers("0"), [0]);
        assert_eq!(numbers("0-2,5,7-8"), [0, 1, 2, 5, 7, 8]);
    }
}
