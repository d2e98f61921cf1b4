//! The errors of OCR, with messages that tell people what to do.

use quire_ports::{ReadError, ReadErrorKind};

use super::languages::language_package;

pub(super) fn tesseract_missing(reason: &str) -> ReadError {
    ReadError {
        kind: ReadErrorKind::OcrNotAvailable,
        message: "the document has scanned pages, and the OCR program tesseract is not installed; install it \
                  (Debian and Ubuntu: apt-get install tesseract-ocr tesseract-ocr-spa) and process the document again"
            .to_owned(),
        diagnosis: Some(format!("Looking for tesseract failed: {reason}")),
    }
}

pub(super) fn not_confined(missing: &str) -> ReadError {
    ReadError {
        kind: ReadErrorKind::OcrNotAvailable,
        message: format!(
            "the document has scanned pages, and the OCR program tesseract cannot be confined as reading.confinement asks \
             for: {missing}; ask your administrator"
        ),
        diagnosis: Some(format!("Confining tesseract failed: {missing}")),
    }
}

pub(super) fn language_data_missing(languages: &[&str]) -> ReadError {
    let packages: Vec<String> = languages.iter().map(|language| language_package(language)).collect();
    ReadError::new(
        ReadErrorKind::OcrNotAvailable,
        format!(
            "the document has scanned pages, and tesseract has no data for their language; install it (Debian and Ubuntu: \
             apt-get install {}) and process the document again",
            packages.join(" ")
        ),
    )
}

pub(super) fn recognition_failed(reason: &str) -> ReadError {
    ReadError {
        kind: ReadErrorKind::OcrFailed,
        message: "a scanned page could not be recognised; process the document again, or scan it again"
            .to_owned(),
        diagnosis: Some(format!("Tesseract failed: {reason}")),
    }
}
