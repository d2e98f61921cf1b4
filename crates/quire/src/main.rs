//! The `quire` program.

fn main() -> std::process::ExitCode {
    quire::run(quire::wire::built_in_steps)
}
