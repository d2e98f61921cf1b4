//! The program that recognises scans, which tests of reading use as it is.

use std::process::Command;

use crate::{Result, apt};

/// The packages that bring tesseract and its data for Spanish and English.
const PACKAGES: [&str; 2] = ["tesseract-ocr", "tesseract-ocr-spa"];
const LANGUAGES: [&str; 2] = ["spa", "eng"];

/// Installs tesseract unless it is here with the languages that the tests read.
pub fn require() -> Result<()> {
    if is_here() {
        return Ok(());
    }
    for package in PACKAGES {
        apt::install(package, "put tesseract with Spanish and English on PATH in another way")?;
    }
    if is_here() { Ok(()) } else { Err("tesseract was installed and still lacks Spanish or English".into()) }
}

fn is_here() -> bool {
    let Ok(output) = Command::new("tesseract").arg("--list-langs").output() else { return false };
    let listed = String::from_utf8_lossy(&output.stdout);
    LANGUAGES.iter().all(|language| listed.lines().any(|line| line.trim() == *language))
}
