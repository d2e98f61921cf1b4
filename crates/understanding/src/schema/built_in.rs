//! The schemas that come with the program. They are ordinary schema files.

use std::sync::LazyLock;

use super::{SchemaFile, SchemaFormat};

macro_rules! embedded {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<SchemaFile> =
            LazyLock::new(|| parsed($file, include_str!(concat!("../../schemas/", $file))));
    };
}

embedded!(VETERINARY, "veterinary-record.toml");
embedded!(INVOICE, "invoice.toml");
embedded!(RECEIPT, "receipt.toml");
embedded!(DELIVERY_NOTE, "delivery-note.toml");
embedded!(LABORATORY_REPORT, "laboratory-report.toml");
embedded!(AUTO, "auto.toml");

/// The files are part of the program. A test parses them, so no release contains an invalid one.
fn parsed(file: &str, text: &str) -> SchemaFile {
    SchemaFile::parse(file, text, SchemaFormat::Toml).unwrap_or_else(|bad| panic!("{bad}"))
}

/// The schema named [`Schema::DEFAULT`](super::Schema::DEFAULT).
pub(super) fn default() -> &'static SchemaFile {
    &VETERINARY
}

pub(super) fn all() -> [&'static SchemaFile; 6] {
    [&VETERINARY, &INVOICE, &RECEIPT, &DELIVERY_NOTE, &LABORATORY_REPORT, &AUTO]
}
