//! Understanding by rules: labels of the schema, their places on the page, and what is known without labels.
//!
//! The pages become cells in rows ([`layout`]), each cell is taken apart into labels and words ([`segments`]), and one
//! walk over the rows ([`walk`]) keeps in mind of whom the page speaks ([`context`]) and which visit is told of
//! ([`visit`], [`open`]). It takes what stands behind labels ([`take`], [`values`]), reads tables ([`table`]) and knows
//! some things without labels ([`unlabelled`], [`letterhead`], [`told`], [`prose`]). Of what was proposed, [`choose`]
//! makes fields, and [`derive`] adds what follows from them. Every look around is bounded, so the work grows with the
//! document and no faster.

mod about;
mod candidate;
mod choose;
mod context;
pub(super) mod derive;
mod labels;
mod layout;
mod letterhead;
mod mend;
mod narrative;
mod open;
mod prose;
mod segments;
mod stack;
mod table;
mod take;
mod told;
mod unlabelled;
mod values;
mod visit;
mod walk;

use jiff::civil::Date;

use self::about::About;
pub(super) use self::candidate::{Candidate, Visit, normal_form};
use self::context::Context;
use self::labels::Labels;
pub(super) use self::labels::{LONGEST as LONGEST_LABEL, LONGEST_LEAD_IN, comparable};
use self::layout::Sheet;
use self::segments::Segment;
use super::{Field, Schema};
use quire_domain::reading::Page;

/// How sure a value is that stands behind its label.
const BY_LABEL: f64 = 0.66;
/// How sure one is that was known without.
const WITHOUT_LABEL: f64 = 0.50;

/// What the rules know of a document beside its pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentHints<'k> {
    /// The language that it is in, as ISO 639-1.
    pub language: Option<&'k str>,
    /// The day of reading: nothing happened after it.
    pub today: Option<Date>,
}

/// The fields of a document: those of the document itself in the order of the schema, then those of its visits, in the
/// order of their dates. The same pages always give the same.
pub fn find(pages: &[Page], schema: &Schema, known: DocumentHints<'_>) -> Vec<Field> {
    counted(pages, schema, known).0
}

/// The fields, and how much was looked at to find them.
fn counted(pages: &[Page], schema: &Schema, known: DocumentHints<'_>) -> (Vec<Field>, u64) {
    let labels = Labels::of(schema);
    let mut sheet = Sheet::of(pages);
    mend::mend(&mut sheet, &labels);
    stack::stack(&mut sheet, &labels);
    let segments = sheet.cells.iter().map(|cell| segments::segments(cell, &labels, schema)).collect();
    let used = vec![false; sheet.cells.len()];
    let mut rules = Rules {
        schema,
        about: About::of(schema),
        labels: &labels,
        sheet,
        segments,
        used,
        context: Context::default(),
        visits: Vec::new(),
        visit: None,
        in_history: false,
        in_visits: false,
        candidates: Vec::new(),
    };
    rules.walk();
    let steps = rules.sheet.steps.get();
    let Rules { candidates, visits, .. } = rules;
    (settle(candidates, &visits, schema, known), steps)
}

/// The fields that candidates become, whoever proposed them.
pub(super) fn settle(
    candidates: Vec<Candidate>,
    visits: &[Visit],
    schema: &Schema,
    known: DocumentHints<'_>,
) -> Vec<Field> {
    let candidates = derive::settle_visits(candidates, visits, schema);
    let mut fields = choose::fields(schema, candidates, visits);
    derive::add(&mut fields, schema, visits, known);
    fields
}

/// The rules at work on one document.
struct Rules<'a> {
    schema: &'a Schema,
    about: About<'a>,
    labels: &'a Labels<'a>,
    sheet: Sheet<'a>,
    /// Each cell taken apart.
    segments: Vec<Vec<Segment<'a>>>,
    /// Cells that are values already.
    used: Vec<bool>,
    context: Context,
    visits: Vec<Visit>,
    /// The visit that is told of.
    visit: Option<usize>,
    /// Whether what was before the visits is told of.
    in_history: bool,
    /// Whether a heading said that visits follow.
    in_visits: bool,
    candidates: Vec<Candidate>,
}

#[cfg(test)]
mod tests;
