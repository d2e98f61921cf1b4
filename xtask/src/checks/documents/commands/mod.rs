//! Commands: every `quire …` and `cargo xtask …` in a document exists, with its options.

mod reference;
mod xtask;

pub use reference::Reference;

use super::Problem;
use super::source::{Piece, Source};

/// The commands of the program and of xtask.
pub struct Commands {
    pub quire: Reference,
}

impl Commands {
    pub fn problems(&self, source: &Source) -> Vec<Problem> {
        let mut problems = Vec::new();
        for Piece { line, text } in command_lines(source) {
            let words: Vec<&str> = text.split_whitespace().skip_while(|word| is_assignment(word)).collect();
            let wrong = match words.as_slice() {
                ["quire", rest @ ..] => self.quire.wrong(rest),
                ["cargo", "xtask", rest @ ..] => xtask::wrong(rest),
                ["cargo", "run", rest @ ..] => {
                    let own: Vec<&str> =
                        rest.iter().copied().skip_while(|word| *word != "--").skip(1).collect();
                    self.quire.wrong(&own)
                }
                [flag, ..] if flag.starts_with("--") => self.wrong_flag(flag),
                _ => None,
            };
            problems.extend(wrong.map(|message| source.problem(line, message)));
        }
        problems
    }

    /// An option that stands alone must be one of some command.
    fn wrong_flag(&self, flag: &str) -> Option<String> {
        let name = flag_name(flag);
        let is_known = self.quire.has_flag(name) || xtask::has_flag(name);
        (!is_known).then(|| format!("no command has an option {name}"))
    }
}

/// Code spans, and the commands in shell blocks, one command each.
fn command_lines(source: &Source) -> Vec<Piece> {
    let mut lines = source.code_spans();
    for block in source.blocks().iter().filter(|block| matches!(block.language, "sh" | "bash" | "")) {
        let mut whole = Piece { line: 0, text: String::new() };
        for line in block.lines {
            if whole.text.is_empty() {
                whole.line = line.number;
            }
            let text = line.text.split(" #").next().unwrap_or_default();
            whole.text.push_str(text.trim_end_matches('\\'));
            if text.ends_with('\\') {
                continue;
            }
            for command in
                whole.text.replace("$(", " ; ").split([';', ')']).flat_map(|text| text.split(" | "))
            {
                let commands =
                    command.split("&&").map(|text| Piece { line: whole.line, text: text.to_owned() });
                // An option that stands alone here belongs to the line before.
                lines.extend(commands.filter(|command| !command.text.trim_start().starts_with('-')));
            }
            whole.text.clear();
        }
    }
    lines
}

/// The name of an option without its value.
fn flag_name(flag: &str) -> &str {
    flag.split(['=', '[']).next().unwrap_or(flag).trim_end_matches([',', '.', '…'])
}

fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    word.contains('=') && name.chars().all(|mark| mark.is_ascii_uppercase() || mark == '_')
}

/// What a reader puts in: `NAME`, `PATH…`, `<id>`.
fn is_placeholder(word: &str) -> bool {
    !word.chars().any(|mark| mark.is_ascii_lowercase()) || word.starts_with(['<', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Commands\n\n## quire\n\n| option | |\n|---|---|\n| `--data <DIR>` | Where. |\n\n## quire runs\n\n\
                        ## quire runs list\n\n| option | |\n|---|---|\n| `--state <STATE>` | Which. |\n| `--json` | So. |\n\n\
                        ## quire read\n\n| option | |\n|---|---|\n| `<PATH>…` | Files. |\n| `-q`, `--quiet` | Hush. |\n";

    fn found(text: &str) -> Vec<String> {
        let commands = Commands { quire: Reference::read(PAGE) };
        let problems = commands.problems(&Source::markdown("a.md", text));
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_command_that_does_not_exist_is_found() {
        assert_eq!(found("`quire run list`"), ["a.md:1: there is no command `quire run`"]);
        assert_eq!(found("`quire runs show|list`"), ["a.md:1: there is no command `quire runs show`"]);
        assert_eq!(found("```sh\nX=1 quire runs lst\n```"), ["a.md:2: there is no command `quire runs lst`"]);
        assert_eq!(
            found("```\ncargo run --release -- serve\n```"),
            ["a.md:2: there is no command `quire serve`"]
        );
        assert_eq!(found("`cargo xtask tset`"), ["a.md:1: there is no command `cargo xtask tset`"]);
        assert_eq!(found("`cargo xtask bench nothing`"), ["a.md:1: there is no benchmark `nothing`"]);
        assert_eq!(found("`cargo xtask check nothing`"), ["a.md:1: there is no check `nothing`"]);
    }

    #[test]
    fn an_option_that_does_not_exist_is_found() {
        assert_eq!(
            found("`quire runs list --sate FAILED`"),
            ["a.md:1: `quire runs list` has no option --sate"]
        );
        assert_eq!(
            found("```sh\nquire read a.pdf --state x # why\n```"),
            ["a.md:2: `quire read` has no option --state"]
        );
        assert_eq!(found("`cargo xtask test --only`"), ["a.md:1: `cargo xtask test` has no option --only"]);
        assert_eq!(found("`--stat`"), ["a.md:1: no command has an option --stat"]);
    }

    #[test]
    fn true_commands_pass() {
        let text = "`quire`, `quire runs list --state FAILED --json`, `quire read --data x -q PATH…`, `--state`, `quire --help`\n\
                    `cargo xtask test --only-tests -- -p quire claim`, `cargo xtask bench NAME`, `cargo xtask check documents`\n\
                    ```sh\nquire read scans/ | jq . && quire runs list   # both\ncargo xtask bench queue --pairs 3\n\
                    cargo run --release -- read x\nquire read \\\n  --quiet x\n```\n";
        assert_eq!(found(text), Vec::<String>::new());
    }
}
