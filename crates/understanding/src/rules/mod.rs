//! Extracts fields from the pages of a document by rules. A document goes through these files in order:
//!
//! 1. [`layout`] divides the pages into cells and rows. [`label_repair`] corrects labels that text recognition got
//!    wrong, [`broken_labels`] joins labels that were broken over two lines, and [`segments`] splits each cell into
//!    labels and the words behind them. [`labels`] has all labels, headings and lead-ins of the schema.
//! 2. [`scan`] reads the rows from top to bottom. Headings tell which section the page is about ([`context`],
//!    [`section_roles`]); dates tell where a visit starts ([`visit_start`], [`visit_opening`]).
//! 3. In each cell, values are found behind labels ([`labelled`], [`value_position`]), in tables ([`table`]), and
//!    without labels: in lines of a known section ([`unlabelled`]), in the letterhead ([`letterhead`]), in the text
//!    about a visit ([`visit_text`], [`narrative`]) and in sentences ([`prose`]).
//!    Values of business documents are found by their form ([`business`]).
//! 4. Each value becomes a [`candidate`]. [`derive`] assigns candidates to visits, [`choose`] turns them into fields,
//!    and [`derive`] adds fields that follow from others, such as the age.
//!
//! Every search around a cell is bounded, so the work grows in proportion to the document.

mod broken_labels;
mod business;
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

pub(super) use self::candidate::{DetectedVisit, ValueCandidate, normal_form};
use self::context::HeadingContext;
use self::labels::Labels;
pub(super) use self::labels::{MAX_LABEL_WORDS as LONGEST_LABEL, MAX_LEAD_IN_WORDS, label_form};
use self::layout::DocumentLayout;
use self::section_roles::SectionRoles;
use self::segments::Segment;
use super::normal::DateStyle;
use super::{Field, Schema};
use quire_domain::reading::Page;

/// The confidence of a value behind its label.
const LABELLED_CONFIDENCE: f64 = 0.66;
/// The part of its confidence that a date keeps if the day and the month may have changed places.
const OPEN_DATE_FACTOR: f64 = 0.75;
/// The confidence of a value without a label.
const UNLABELLED_CONFIDENCE: f64 = 0.50;

/// What is known about a document beside its pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentHints<'k> {
    /// The language of the document, as ISO 639-1.
    pub language: Option<&'k str>,
    /// The day of processing. Nothing in the document happened after it.
    pub today: Option<Date>,
}

/// Extracts the fields of a document: first those of the document itself in the order of the schema, then those of
/// its visits in the order of their dates. The same pages always give the same fields.
pub fn extract_fields(pages: &[Page], schema: &Schema, hints: DocumentHints<'_>) -> Vec<Field> {
    extract_and_count(pages, schema, hints).0
}

/// The fields, and the amount of work that it took to find them.
fn extract_and_count(pages: &[Page], schema: &Schema, hints: DocumentHints<'_>) -> (Vec<Field>, u64) {
    let labels = Labels::of(schema);
    let mut layout = DocumentLayout::of(pages);
    label_repair::repair_labels(&mut layout, &labels);
    broken_labels::join_broken_labels(&mut layout, &labels);
    let segments = layout.cells.iter().map(|cell| segments::split_cell(cell, &labels, schema)).collect();
    let used = vec![false; layout.cells.len()];
    let words = layout.cells.iter().flat_map(|cell| cell.tokens.iter().map(|token| token.text));
    let dates = DateStyle::of(words, hints.language);
    let mut rules = FieldExtractor {
        schema,
        roles: SectionRoles::of(schema),
        labels: &labels,
        layout,
        segments,
        used,
        dates,
        context: HeadingContext::default(),
        visits: Vec::new(),
        visit: None,
        is_in_history: false,
        is_in_visits: false,
        candidates: Vec::new(),
    };
    rules.scan_rows();
    rules.read_business();
    let steps = rules.layout.steps.get();
    let FieldExtractor { candidates, visits, .. } = rules;
    (fields_from_candidates(candidates, &visits, schema, hints), steps)
}

/// Turns candidates into fields. The candidates may come from the rules or from a model.
pub(super) fn fields_from_candidates(
    candidates: Vec<ValueCandidate>,
    visits: &[DetectedVisit],
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> Vec<Field> {
    let candidates = derive::assign_visits(candidates, visits, schema);
    let mut fields = choose::fields(schema, candidates, visits);
    derive::add_derived(&mut fields, schema, visits, hints);
    fields
}

/// The extraction of the fields of one document.
struct FieldExtractor<'a> {
    schema: &'a Schema,
    roles: SectionRoles<'a>,
    labels: &'a Labels<'a>,
    layout: DocumentLayout<'a>,
    /// The segments of each cell.
    segments: Vec<Vec<Segment<'a>>>,
    /// Whether each cell is part of a value already.
    used: Vec<bool>,
    /// How the document writes dates.
    dates: DateStyle,
    context: HeadingContext,
    visits: Vec<DetectedVisit>,
    /// The visit that the current row belongs to.
    visit: Option<usize>,
    /// Whether the current row tells of the time before the visits.
    is_in_history: bool,
    /// Whether a heading announced visits.
    is_in_visits: bool,
    candidates: Vec<ValueCandidate>,
}

#[cfg(test)]
mod tests;
