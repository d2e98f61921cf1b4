//! The requirements that the product meets, and the tests that prove each.
//!
//! A test names what it proves in its doc comment: `/// Proves R002, R003.` What each id means is said in
//! docs/requirements.toml, by hand. From both `cargo xtask requirements` writes docs/requirements.md, and the check of
//! the documents fails when the page is not up to date.

mod page;
mod proofs;
mod sentences;

pub use proofs::{Proof, ids};
pub use sentences::Requirements;

use crate::Result;
use crate::cargo::workspace_root;
use crate::repository::Repository;

/// The sentences, written by hand.
pub const SENTENCES: &str = "docs/requirements.toml";
/// The page that is made from them.
pub const PAGE: &str = "docs/requirements.md";

/// What the tests prove, from their doc comments.
pub fn proofs(repository: &Repository) -> Result<Vec<Proof>> {
    proofs::find(repository)
}

/// The page as it should be.
pub fn page(requirements: &Requirements, proofs: &[Proof]) -> String {
    page::render(requirements, proofs)
}

/// Writes the page.
pub fn write() -> Result<()> {
    let root = workspace_root();
    let repository = Repository::open(&root)?;
    let requirements = Requirements::parse(&repository.read(SENTENCES)?)
        .map_err(|(line, message)| format!("{SENTENCES}:{line}: {message}"))?;
    let page = page(&requirements, &proofs(&repository)?);
    std::fs::write(root.join(PAGE), page).map_err(|error| format!("cannot write {PAGE}: {error}"))
}
