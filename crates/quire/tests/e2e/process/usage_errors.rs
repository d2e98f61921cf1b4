//! Invalid arguments.

use super::{small_cli, write_records};

#[test]
fn invalid_arguments_exit_with_2_and_say_what_to_do() {
    let cli = small_cli();
    write_records(&cli, 1);
    std::fs::create_dir_all(cli.path("other/in")).unwrap();
    std::fs::copy(cli.path("in/00.pdf"), cli.path("other/in/00.pdf")).unwrap();
    for (arguments, message) in [
        (&["nowhere"][..], "no file or folder nowhere"),
        (&["in", "--language", "xx"], "--language xx"),
        (&["in", "--format", "json"], "--out"),
        (&["in", "--format", "xml"], "json"),
        (&["in", "--out", "in/00.pdf"], "is not a folder"),
        (&["in", "--out", "in", "--format", "csv"], "is a folder"),
        (&["in", "--out", "."], "choose another --out"),
        (&["in", "--data", "x"], "--state"),
        (&["in", "--jobs", "0"], "--jobs"),
        (&["in/00.pdf", "../other/in/00.pdf"], "no file or folder"),
        (&["in", "/dev/null"], "neither a file nor a folder"),
        (&[], "PATH"),
    ] {
        let output = cli.run(&[&["process"], arguments].concat());
        assert_eq!(
            (output.status.code(), output.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}: {}",
            output.stderr
        );
        assert!(output.stderr.contains(message), "{arguments:?}: {message:?} is not in {}", output.stderr);
    }
    assert!(!cli.path(".quire").exists(), "nothing was created");
    let output = cli.run(&["process", "in", "--schema", "tax-return"]);
    assert_eq!(output.status.code(), Some(2), "{}", output.stderr);
    assert!(
        output.stderr.contains("no schema tax-return") && output.stderr.contains("veterinary-record"),
        "{}",
        output.stderr
    );
}
