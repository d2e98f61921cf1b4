//! The schemas that come with the program. They are files like those that people add.

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

/// Both files are part of the program, and a test reads them; one that is wrong cannot be built into a release.
fn parsed(file: &str, text: &str) -> SchemaFile {
    SchemaFile::parse(file, text, SchemaFormat::Toml).unwrap_or_else(|bad| panic!("{bad}"))
}

/// The one named by [`Schema::DEFAULT`](super::Schema::DEFAULT).
pub(super) fn default() -> &'static SchemaFile {
    &VETERINARY
}

pub(super) fn all() -> [&'static SchemaFile; 2] {
    [&VETERINARY, &INVOICE]
}
