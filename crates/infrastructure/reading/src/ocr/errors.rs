//! What is said when a page cannot be recognised.

use quire_ports::{ReadError, ReadErrorKind};

use super::languages::tesseract_name;

pub(super) fn tesseract_missing(why: &str) -> ReadError {
    ReadError {
        kind: ReadErrorKind::OcrNotAvailable,
        message: "the document has pages without text, and the program that recognises scans is missing; install it \
                  (Debian and Ubuntu: apt-get install tesseract-ocr tesseract-ocr-spa) and process the document again"
            .to_owned(),
        diagnosis: Some(format!("looking for tesseract: {why}")),
    }
}

pub(super) fn language_data_missing(languages: &[&str]) -> ReadError {
    let packages: Vec<String> = languages
        .iter()
        .map(|language| format!("tesseract-ocr-{}", tesseract_name(language).unwrap_or(language)))
        .collect();
    ReadError::new(
        ReadErrorKind::OcrNotAvailable,
        format!(
            "scans in this language cannot be recognised yet; install its data (Debian and Ubuntu: apt-get install {}) \
             and process the document again",
            packages.join(" ")
        ),
    )
}

pub(super) fn recognition_failed(why: &str) -> ReadError {
    ReadError {
        kind: ReadErrorKind::OcrFailed,
        message: "a page without text could not be recognised from its picture; try again, or scan it anew"
            .to_owned(),
        diagnosis: Some(format!("recognising a page: {why}")),
    }
}
