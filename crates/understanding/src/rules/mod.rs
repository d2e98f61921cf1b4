//! Finds fields in the pages of a document by rules. A document goes through these files in order:
//!
//! 1. [`layout`] divides the pages into parts that stand [`side_by_side`], rows and cells, seen [`upright`]. [`label_repair`]
//!    corrects labels that text recognition got wrong, [`broken_labels`] and [`broken_dates`] join what was broken over two
//!    lines, and [`segments`] splits each cell into labels and the words behind them. [`labels`] has all labels, headings and
//!    lead-ins of the schema. [`ruled_table`] and [`headed_table`] find the tables of visits.
//! 2. [`scan`] reads the rows from top to bottom, but for [running titles](running_rows). Headings tell which section the
//!    page is about ([`context`], [`section_roles`]); dates tell where a visit starts ([`visit_start`], [`visit_opening`],
//!    [`entry_line`], [`repeated_heads`]).
//! 3. In each cell, values are found behind labels ([`labelled`], [`label_key`], [`spaced_label`], [`value_lists`], [`value_position`]),
//!    in tables ([`table`], [`table_rows`]), and without labels: where the subject is introduced ([`introduction`]), in lines of a known section
//!    ([`unlabelled`], [`address_lines`]), in rows of facts ([`fact_rows`]), in the letterhead and the signature ([`letterhead`],
//!    [`signature`]), in the text about a visit ([`visit_text`], [`told_values`], [`narrative`]) and in sentences that go over line
//!    breaks ([`prose`], [`prose_subject`], [`prose_visits`], [`flow`]). Values of business documents are found by their form
//!    ([`business`]).
//! 4. Each value becomes a [`candidate`]. [`derive`] assigns candidates to visits, [`choose`] turns them into fields, the
//!    [confidence](super::confidence) of each is the probability that it is right, and [`derive`] adds fields that follow
//!    from others, such as the age.
//!
//! Every search around a cell is bounded, so the work grows in proportion to the document.

mod address_lines;
mod broken_dates;
mod broken_labels;
mod business;
mod candidate;
mod choose;
mod context;
pub(super) mod derive;
mod entry_line;
mod fact_rows;
mod flow;
mod headed_table;
mod introduction;
mod label_key;
mod label_repair;
mod labelled;
mod labels;
mod layout;
mod letterhead;
mod narrative;
mod prose;
mod prose_subject;
mod prose_visits;
mod repeated_heads;
mod ruled_table;
mod running_rows;
mod scan;
mod section_roles;
mod segments;
mod side_by_side;
mod signature;
mod spaced_label;
mod table;
mod table_rows;
mod told_values;
mod unlabelled;
mod upright;
mod value_lists;
mod value_position;
mod visit_opening;
mod visit_start;
mod visit_text;

use std::collections::HashMap;

use jiff::civil::Date;

use self::business::ExtendedSchema;
pub(super) use self::candidate::{DetectedVisit, ValueCandidate, normal_form};
use self::context::HeadingContext;
use self::labels::Labels;
pub(super) use self::labels::{MAX_LABEL_WORDS as LONGEST_LABEL, MAX_LEAD_IN_WORDS, label_form};
use self::layout::DocumentLayout;
use self::repeated_heads::EntryHead;
use self::ruled_table::RuledTable;
use self::section_roles::SectionRoles;
use self::segments::Segment;
use self::told_values::SentenceWords;
use super::confidence::{self, Feature, Features, compare_fields, page_reliability};
use super::normal::DateStyle;
use super::{Field, Schema};
use quire_domain::reading::Page;

/// The rank of a value behind its label.
const LABELLED_RANK: f64 = 0.66;
/// The part of its rank that a date keeps if the day and the month may have changed places.
const OPEN_DATE_FACTOR: f64 = 0.75;
/// The rank of a value without a label.
const UNLABELLED_RANK: f64 = 0.50;

/// What is known about a document beside its pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentHints<'k> {
    /// The language of the document, as ISO 639-1.
    pub language: Option<&'k str>,
    /// The day of processing. Nothing in the document happened after it.
    pub today: Option<Date>,
}

/// Finds the fields of a document: first those of the document itself in the order of the schema, then those of
/// its visits in the order of their dates. The same pages always give the same fields.
pub fn find_fields(pages: &[Page], schema: &Schema, hints: DocumentHints<'_>) -> Vec<Field> {
    find_and_count(pages, schema, hints).0
}

/// The fields, and the amount of work that it took to find them.
fn find_and_count(pages: &[Page], schema: &Schema, hints: DocumentHints<'_>) -> (Vec<Field>, u64) {
    // A short schema of invoices borrows words and keys of the built-in one.
    let extended = ExtendedSchema::of(schema);
    let (candidates, visits, steps) = find_candidates(pages, &extended.schema, hints);
    let fields = fields_from_candidates(candidates, &visits, &extended.schema, hints);
    (extended.own_fields(fields), steps)
}

/// The candidates and visits of a document, and the amount of work that it took to find them.
fn find_candidates(
    pages: &[Page],
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> (Vec<ValueCandidate>, Vec<DetectedVisit>, u64) {
    let labels = Labels::of(schema);
    let mut layout = DocumentLayout::of(pages);
    label_repair::repair_labels(&mut layout, &labels);
    broken_labels::join_broken_labels(&mut layout, &labels);
    broken_dates::join_broken_dates(&mut layout);
    if business::is_business(schema) {
        business::join_wrapped_dates(&mut layout);
    }
    let segments = layout.cells.iter().map(|cell| segments::split_cell(cell, &labels, schema)).collect();
    let used = vec![false; layout.cells.len()];
    let words = layout.cells.iter().flat_map(|cell| cell.tokens.iter().map(|token| token.text));
    let dates = DateStyle::of(words, schema.language_of(hints.language));
    let mut rules = FieldFinder {
        schema,
        roles: SectionRoles::of(schema),
        sentence_words: SentenceWords::of(schema),
        labels: &labels,
        layout,
        segments,
        used,
        dates,
        context: HeadingContext::default(),
        visits: Vec::new(),
        visit: None,
        gaps: 0,
        last_entry: None,
        is_in_history: false,
        visit_before_history: None,
        is_in_visits: false,
        candidates: Vec::new(),
        letterhead_candidates: 0,
        is_business: false,
        reliabilities: pages.iter().map(page_reliability).collect(),
        is_running: Vec::new(),
        entry_heads: HashMap::new(),
        in_table: Vec::new(),
        ruled_tables: HashMap::new(),
        day: None,
    };
    rules.in_table = vec![false; rules.layout.cells.len()];
    rules.find_ruled_tables(pages);
    rules.is_running = running_rows::running_rows(&rules.layout);
    rules.find_headed_tables();
    rules.entry_heads = rules.repeated_heads();
    rules.scan_rows();
    rules.open_visit_of_only_date();
    rules.is_business = business::is_business(schema);
    rules.read_business();
    let steps = rules.layout.steps.get();
    let FieldFinder { candidates, visits, .. } = rules;
    (candidates, visits, steps)
}

/// Turns candidates into fields. The candidates may come from the rules or from a model.
pub(super) fn fields_from_candidates(
    candidates: Vec<ValueCandidate>,
    visits: &[DetectedVisit],
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> Vec<Field> {
    let chosen = chosen_fields(candidates, visits, schema, hints);
    let mut fields: Vec<Field> =
        chosen.into_iter().map(|(field, features)| weighed(field, features.as_ref())).collect();
    derive::add_derived(&mut fields, schema, visits, hints);
    fields
}

/// The fields with what is known about each, before it is weighed.
fn chosen_fields(
    candidates: Vec<ValueCandidate>,
    visits: &[DetectedVisit],
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> Vec<(Field, Option<Features>)> {
    let mut candidates = derive::assign_visits(candidates, visits, schema);
    mark_repeated_labels(&mut candidates);
    let mut chosen = choose::fields(schema, candidates, visits);
    compare_fields(&mut chosen, schema, hints.today);
    chosen
}

/// A label that stands once in a document says more than one that stands many times.
fn mark_repeated_labels(candidates: &mut [ValueCandidate]) {
    let mut counts: HashMap<String, f64> = HashMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.visit.is_none()) {
        *counts.entry(candidate.mapping.clone()).or_default() += 1.0;
    }
    for candidate in candidates.iter_mut().filter(|candidate| candidate.visit.is_none()) {
        if let Some(features) = &mut candidate.features
            && candidate.mapping.starts_with("label_regex")
        {
            features.set(Feature::RepeatedLabel, counts[&candidate.mapping].ln());
        }
    }
}

/// The field with the probability that it is right, and the reasons for it.
fn weighed(mut field: Field, features: Option<&Features>) -> Field {
    let Some(features) = features else { return field };
    let model = confidence::built_in();
    field.confidence = (model.probability(features) * 1000.0).round() / 1000.0;
    field.candidate_confidence = field.confidence;
    for suggestion in &mut field.candidate_suggestions {
        suggestion.confidence = suggestion.confidence.min(field.confidence);
    }
    if let Some(evidence) = &mut field.evidence {
        evidence.reasons = model.reasons(features);
    }
    field
}

/// The fields of a document with what is known about each.
#[cfg(test)]
fn fields_with_features(
    pages: &[Page],
    schema: &Schema,
    hints: DocumentHints<'_>,
) -> Vec<(Field, Option<Features>)> {
    let (candidates, visits, _) = find_candidates(pages, schema, hints);
    chosen_fields(candidates, &visits, schema, hints)
}

/// The search for the fields of one document.
struct FieldFinder<'a> {
    schema: &'a Schema,
    roles: SectionRoles<'a>,
    /// The words by which sentences about a visit tell values.
    sentence_words: SentenceWords,
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
    /// The blank lines since the date of the visit.
    gaps: usize,
    /// The cell of the last date that started an entry by itself.
    last_entry: Option<usize>,
    /// Whether the current row tells of the time before the visits.
    is_in_history: bool,
    /// The visit that was open above the history.
    visit_before_history: Option<usize>,
    /// Whether a heading announced visits.
    is_in_visits: bool,
    candidates: Vec<ValueCandidate>,
    /// How many of the candidates come from the letterhead.
    letterhead_candidates: usize,
    /// Whether the candidates come from the rules for business documents, which decide by weights.
    is_business: bool,
    /// The share of each page that was read well.
    reliabilities: Vec<f64>,
    /// Whether each row repeats one at the same height of the page before.
    is_running: Vec<bool>,
    /// The heads of entries that repeat, by their rows.
    entry_heads: HashMap<usize, EntryHead>,
    /// Whether each cell belongs to one of the ruled tables.
    in_table: Vec<bool>,
    /// The tables with lines around their cells and dates in their rows, by the row that they start in.
    ruled_tables: HashMap<usize, Vec<RuledTable>>,
    /// The day of the row that is read, in a list with its own days.
    day: Option<Date>,
}

#[cfg(test)]
mod tests;
