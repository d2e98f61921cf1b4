//! Understanding by rules: labels of the schema, their places on the page, and what is known without labels.
//!
//! The pages become cells in rows ([`layout`]), each cell is taken apart into labels and words ([`segments`]), and one
//! walk over the rows ([`walk`]) keeps in mind of whom the page speaks ([`context`]) and which visit is told of
//! ([`visit`], [`open`]). It takes what stands behind labels ([`take`], [`values`]), reads tables ([`table`]) and knows
//! some things without labels ([`unlabelled`], [`letterhead`], [`told`], [`prose`]). Of what was proposed, [`choose`]
//! makes fields, and [`derive`] adds what follows from them. Every look around is bounded, so the work grows with the
//! document and no faster.

mod broken_labels;
mod candidate;
mod choose;
mod context;
pub(super) mod derive;
mod label_repair;
mod labelled;
mod labels;
mod layout;
mod letterhead;
mod narrative;
mod prose;
mod scan;
mod section_roles;
mod segments;
mod table;
mod unlabelled;
mod value_position;
mod visit_opening;
mod visit_start;
mod visit_text;

use jiff::civil::Date;

pub(super) use self::candidate::{Candidate, DetectedVisit, normal_form};
use self::context::HeadingContext;
use self::labels::Labels;
pub(super) use self::labels::{MAX_LABEL_WORDS as LONGEST_LABEL, MAX_LEAD_IN_WORDS, label_form};
use self::layout::DocumentLayout;
use self::section_roles::SectionRoles;
use self::segments::Segment;
use super::{Field, Schema};
use quire_domain::reading::Page;

/// How sure a value is that stands behind its label.
const LABELLED_CONFIDENCE: f64 = 0.66;
/// How sure one is that was known without.
const UNLABELLED_CONFIDENCE: f64 = 0.50;

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
pub fn extract_fields(pages: &[Page], schema: &Schema, known: DocumentHints<'_>) -> Vec<Field> {
    extract_and_count(pages, schema, known).0
}

/// The fields, and how much was looked at to find them.
fn extract_and_count(pages: &[Page], schema: &Schema, known: DocumentHints<'_>) -> (Vec<Field>, u64) {
    let labels = Labels::of(schema);
    let mut layout = DocumentLayout::of(pages);
    label_repair::repair_labels(&mut layout, &labels);
    broken_labels::join_broken_labels(&mut layout, &labels);
    let segments = layout.cells.iter().map(|cell| segments::split_cell(cell, &labels, schema)).collect();
    let used = vec![false; layout.cells.len()];
    let mut rules = FieldExtractor {
        schema,
        roles: SectionRoles::of(schema),
        labels: &labels,
        layout,
        segments,
        used,
        context: HeadingContext::default(),
        visits: Vec::new(),
        visit: None,
        is_in_history: false,
        is_in_visits: false,
        candidates: Vec::new(),
    };
    rules.scan_rows();
    let steps = rules.layout.steps.get();
    let FieldExtractor { candidates, visits, .. } = rules;
    (fields_from_candidates(candidates, &visits, schema, known), steps)
}

/// The fields that candidates become, whoever proposed them.
pub(super) fn fields_from_candidates(
    candidates: Vec<Candidate>,
    visits: &[DetectedVisit],
    schema: &Schema,
    known: DocumentHints<'_>,
) -> Vec<Field> {
    let candidates = derive::assign_visits(candidates, visits, schema);
    let mut fields = choose::fields(schema, candidates, visits);
    derive::add_derived(&mut fields, schema, visits, known);
    fields
}

/// The rules at work on one document.
struct FieldExtractor<'a> {
    schema: &'a Schema,
    roles: SectionRoles<'a>,
    labels: &'a Labels<'a>,
    layout: DocumentLayout<'a>,
    /// Each cell taken apart.
    segments: Vec<Vec<Segment<'a>>>,
    /// Cells that are values already.
    used: Vec<bool>,
    context: HeadingContext,
    visits: Vec<DetectedVisit>,
    /// The visit that is told of.
    visit: Option<usize>,
    /// Whether what was before the visits is told of.
    is_in_history: bool,
    /// Whether a heading said that visits follow.
    is_in_visits: bool,
    candidates: Vec<Candidate>,
}

#[cfg(test)]
mod tests;
