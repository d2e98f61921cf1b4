//! Reading documents: tesseract with its languages, and the confinement of parsers.

use quire_reading::ocr::language_package;

use super::{CheckedInstallation, Finding};
use crate::wire::reader;

pub(super) async fn tesseract(installation: &CheckedInstallation<'_>) -> Finding {
    let config = installation.config;
    let Some(ocr) = reader::ocr(config) else {
        return Finding::ok("turned off: scans are not read (reading.ocr.enabled)");
    };
    for language in &config.reading.ocr.languages {
        if let Err(error) = reader::check_language(&ocr, language).await {
            let why = error.diagnosis.unwrap_or_else(|| "tesseract has no data for it".to_owned());
            return Finding::warning(
                format!("scans in the language {language} cannot be read: {why}"),
                format!(
                    "run `apt-get install tesseract-ocr {}` or what your system has for it, or set reading.ocr.enabled = \
                     false",
                    language_package(language)
                ),
            );
        }
    }
    Finding::ok(format!("tesseract reads {}", config.reading.ocr.languages.join(", ")))
}

pub(super) async fn sandbox(installation: &CheckedInstallation<'_>) -> Finding {
    let remedy = "use a kernel with Landlock and seccomp (Linux 5.13 or newer) and allow both in the container, or set \
                  reading.confinement to \"optional\"";
    match reader::try_sandbox(installation.config).await {
        Err(error) => Finding::error(error.to_string(), remedy),
        Ok(confinement) => match confinement.missing() {
            missing if missing.is_empty() => {
                Finding::ok("a parser was confined with Landlock and seccomp, and read a document")
            }
            missing => Finding::warning(format!("parsers are not fully confined: {missing}"), remedy),
        },
    }
}
