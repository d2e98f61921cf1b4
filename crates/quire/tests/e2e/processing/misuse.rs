//! What was asked for and cannot be: told with what to do, and ended with 2 before anything is made.

use super::{quire, with_records};

#[test]
fn what_cannot_be_ends_with_two_and_says_what_to_do() {
    let quire = quire();
    with_records(&quire, 1);
    std::fs::create_dir_all(quire.path("other/in")).unwrap();
    std::fs::copy(quire.path("in/00.pdf"), quire.path("other/in/00.pdf")).unwrap();
    for (arguments, told) in [
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
        let said = quire.run(&[&["process"], arguments].concat());
        assert_eq!((said.status.code(), said.out.as_str()), (Some(2), ""), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(told), "{arguments:?}: {told:?} is not in {}", said.err);
    }
    assert!(!quire.path(".quire").exists(), "nothing was made");
    let said = quire.run(&["process", "in", "--schema", "tax-return"]);
    assert_eq!(said.status.code(), Some(2), "{}", said.err);
    assert!(
        said.err.contains("no schema tax-return") && said.err.contains("veterinary-record"),
        "{}",
        said.err
    );
}
