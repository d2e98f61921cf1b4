//! tesseract, which recognises the text of scans in tests.

use std::process::Command;

use crate::{Result, apt};

/// tesseract with its data for English, and its data for Spanish.
const PACKAGES: [&str; 2] = ["tesseract-ocr", "tesseract-ocr-spa"];
const LANGUAGES: [&str; 2] = ["spa", "eng"];

/// Installs tesseract if it or a language that the tests read is missing.
pub fn require() -> Result<()> {
    if is_installed() {
        return Ok(());
    }
    for package in PACKAGES {
        apt::install(package, "put tesseract with Spanish and English on PATH in another way")?;
    }
    if is_installed() {
        Ok(())
    } else {
        Err("tesseract was installed, but Spanish or English is still missing".into())
    }
}

fn is_installed() -> bool {
    let Ok(output) = Command::new("tesseract").arg("--list-langs").output() else { return false };
    let listed = String::from_utf8_lossy(&output.stdout);
    LANGUAGES.iter().all(|language| listed.lines().any(|line| line.trim() == *language))
}
