//! A software bill of materials: which crates the program consists of, in the format `CycloneDX`.
//!
//! `cargo tree` says which crates are linked into the program, with their licences; Cargo.lock has their checksums.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use crate::Result;
use crate::cargo::{cargo, workspace_root};

/// A crate of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Component {
    name: String,
    version: String,
    licence: String,
}

/// Prints the bill of materials of the program.
pub fn print() -> Result<()> {
    let mut tree = cargo();
    tree.args(["tree", "--package", "quire", "--edges", "normal", "--prefix", "none", "--format", "{p}|{l}"]);
    let components = components(&output(&mut tree)?);
    let lock = std::fs::read_to_string(workspace_root().join("Cargo.lock"))
        .map_err(|error| format!("cannot read Cargo.lock: {error}"))?;
    print!("{}", bill(&components, &checksums(&lock)));
    Ok(())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("cannot run cargo tree: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The crates in the output of `cargo tree`, each once: `name v1.2.3 (path)|licence`.
fn components(tree: &str) -> Vec<Component> {
    let mut found: Vec<Component> = tree
        .lines()
        .filter_map(|line| {
            let (package, licence) = line.split_once('|')?;
            let mut words = package.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            let licence = licence.trim_end_matches(" (*)").replace('/', " OR ");
            Some(Component { name: name.to_owned(), version: version.to_owned(), licence })
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The checksums in Cargo.lock, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))?;
        Some(line.trim_matches('"').to_owned())
    };
    let of_block =
        |block: &str| Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?));
    lock.split("[[package]]").filter_map(of_block).collect()
}

fn bill(components: &[Component], checksums: &BTreeMap<(String, String), String>) -> String {
    let mut text = String::from(
        "{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {\n    \
         \"component\": { \"type\": \"application\", \"name\": \"quire\", \"bom-ref\": \"quire\" }\n  },\n  \
         \"components\": [",
    );
    for (index, component) in components.iter().enumerate() {
        let Component { name, version, licence } = component;
        let comma = if index == 0 { "" } else { "," };
        // Writing to a String cannot fail. Names, versions, licences and checksums need no escapes in JSON.
        let _ = write!(
            text,
            "{comma}\n    {{\n      \"type\": \"library\",\n      \"name\": \"{name}\",\n      \"version\": \
             \"{version}\",\n      \"bom-ref\": \"pkg:cargo/{name}@{version}\",\n      \"purl\": \
             \"pkg:cargo/{name}@{version}\""
        );
        if !licence.is_empty() {
            let _ = write!(text, ",\n      \"licenses\": [{{ \"expression\": \"{licence}\" }}]");
        }
        if let Some(checksum) = checksums.get(&(name.clone(), version.clone())) {
            let hash = format!("{{ \"alg\": \"SHA-256\", \"content\": \"{checksum}\" }}");
            let _ = write!(text, ",\n      \"hashes\": [{hash}]");
        }
        text.push_str("\n    }");
    }
    text.push_str("\n  ]\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "quire v0.1.0 (/home/somebody/quire/crates/quire)|MIT OR Apache-2.0\n\
                        axum v0.8.1|MIT\nserde v1.0.1|MIT/Apache-2.0\nserde v1.0.1|MIT/Apache-2.0 (*)\n";
    const LOCK: &str =
        "version = 4\n\n[[package]]\nname = \"axum\"\nversion = \"0.8.1\"\nchecksum = \"ab12\"\n";

    #[test]
    fn every_crate_stands_in_it_once_with_licence_and_checksum() {
        let bill = bill(&components(TREE), &checksums(LOCK));
        assert_eq!(bill.matches("\"bom-ref\": \"pkg:cargo/").count(), 3, "{bill}");
        for part in [
            "\"purl\": \"pkg:cargo/axum@0.8.1\"",
            "\"content\": \"ab12\"",
            "\"expression\": \"MIT OR Apache-2.0\"",
            "\"specVersion\": \"1.5\"",
        ] {
            assert!(bill.contains(part), "{part} is not in {bill}");
        }
        assert!(!bill.contains("somebody"), "no path of this machine: {bill}");
        let (open, close) = (bill.matches('{').count(), bill.matches('}').count());
        assert_eq!(open, close);
    }
}
