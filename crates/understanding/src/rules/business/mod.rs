//! Reads business documents, such as invoices: an issuer, a recipient, and sums that add up. A schema is for business
//! documents if it has a key for the sum with tax.
//!
//! Records are read from labels to values. On an invoice the same words stand for many things, and values stand in
//! total blocks, table heads and sentences. So it is read from values to labels:
//!
//! 1. [`mentions`] finds everything that has the form of a value: sums, dates, codes, tax numbers, accounts.
//! 2. [`line_items`] tells which rows are items, whose sums are no totals.
//! 3. [`naming`] finds the label of each value, with the [`phrases`] of the schema.
//! 4. [`totals`] decides which sums are the net amount, the tax and the total, by their labels and by adding them up.
//!    [`parties`] finds the two companies among the [`names`], [`blocks`] the lines that stand together; [`tax_ids`] and
//!    [`currencies`] follow.
//!
//! [`invoice_words`] lends the words of the built-in invoice to schemas that people write for invoices. [`weights`] has the weight
//! of each observation, and turns them into a confidence.

mod accounts;
mod blocks;
mod currencies;
mod dates_and_codes;
mod invoice_words;
mod line_items;
mod mentions;
mod names;
mod naming;
mod parties;
mod party_evidence;
mod party_words;
mod phrases;
mod sum_candidates;
mod tax_ids;
mod totals;
mod weights;
mod wrapped_dates;

use self::blocks::Blocks;
pub(super) use self::invoice_words::ExtendedSchema;
use self::mentions::{Form, Mentions};
use self::naming::ValueLabel;
use self::party_evidence::domains;
use self::phrases::PhraseIndex;
pub(super) use self::wrapped_dates::join_wrapped_dates;
use super::FieldFinder;
use super::candidate::Provenance;
use super::layout::DocumentLayout;
use super::value_position::TokenSpan;
use crate::confidence::Feature;
use crate::normal::{DateOrder, DateStyle, date_in_order};
use crate::{Normaliser, Schema};

/// A value that a key may have.
struct Finding {
    key: usize,
    spans: Vec<TokenSpan>,
    /// The value, if it differs from the words of its spans.
    text: Option<String>,
    /// The cell of its label, and the words of the label.
    label: Option<(usize, String)>,
    rule: &'static str,
    confidence: f64,
    /// What else is known about it.
    marks: Vec<(Feature, f64)>,
}

/// A business document.
struct BusinessDocument<'a> {
    schema: &'a Schema,
    layout: &'a DocumentLayout<'a>,
    dates: DateStyle,
    phrases: PhraseIndex,
    mentions: Mentions,
    /// Whether each row is a line item.
    is_item_row: Vec<bool>,
    blocks: Blocks,
    /// The names in the addresses of websites and mailboxes, each with its cell.
    domains: Vec<(usize, String)>,
    /// The labels of each mention, the best first.
    labels: Vec<Vec<ValueLabel>>,
}

/// Whether documents of a schema are business documents.
pub(super) fn is_business(schema: &Schema) -> bool {
    schema.keys.iter().any(|key| key.normaliser == Normaliser::TotalSum)
}

/// Whether the values of a key are found from their form.
fn is_found_by_form(normaliser: Normaliser) -> bool {
    use Normaliser::{Company, Currency, Date, Iban, Identifier, TaxId};
    normaliser.is_sum() || matches!(normaliser, Company | Currency | Date | Iban | Identifier | TaxId)
}

impl FieldFinder<'_> {
    /// Finds the values of a business document. They replace those that stand behind labels.
    pub(super) fn read_business(&mut self) {
        if !is_business(self.schema) {
            return;
        }
        self.candidates.retain(|candidate| !is_found_by_form(self.schema.keys[candidate.key].normaliser));
        let mut findings = BusinessDocument::of(self.schema, &self.layout, self.dates).findings();
        if let Some(dates) = self.order_by_days(&findings) {
            self.dates = dates;
            findings = BusinessDocument::of(self.schema, &self.layout, self.dates).findings();
        }
        for finding in findings {
            let mapping = match &finding.label {
                Some((_, words)) => format!("label_regex::{}", words.replace(' ', "_")),
                None => format!("fallback::{}", finding.rule),
            };
            let provenance = Provenance {
                rank: finding.confidence,
                mapping,
                label: finding.label.as_ref().map(|(cell, _)| *cell),
                text: finding.text.as_deref(),
            };
            let count = self.candidates.len();
            self.add_candidate(finding.key, &finding.spans, provenance);
            for features in self.candidates[count..].iter_mut().filter_map(|one| one.features.as_mut()) {
                for (feature, strength) in &finding.marks {
                    features.set(*feature, *strength);
                }
            }
        }
    }
}

impl FieldFinder<'_> {
    /// The other order of day and month, if nothing else tells it and only then the document was issued before it is due.
    fn order_by_days(&self, findings: &[Finding]) -> Option<DateStyle> {
        let issued = self.schema.document_date()?;
        let is_date = |key: &usize| *key != issued && self.schema.keys[*key].normaliser == Normaliser::Date;
        let due = (0..self.schema.keys.len()).find(is_date).filter(|_| self.dates.is_open)?;
        let words = |key: usize| {
            let own = findings.iter().filter(|finding| finding.key == key);
            let best = own.max_by(|one, two| one.confidence.total_cmp(&two.confidence))?;
            Some(self.text_of(&best.spans))
        };
        let (issued, due) = (words(issued)?, words(due)?);
        let fits = |order: DateOrder| Some(date_in_order(&issued, order)? <= date_in_order(&due, order)?);
        let other = match self.dates.order {
            DateOrder::DayFirst => DateOrder::MonthFirst,
            DateOrder::MonthFirst => DateOrder::DayFirst,
        };
        (fits(self.dates.order) == Some(false) && fits(other) == Some(true))
            .then_some(DateStyle { order: other, ..self.dates })
    }
}

impl<'a> BusinessDocument<'a> {
    fn of(schema: &'a Schema, layout: &'a DocumentLayout<'a>, dates: DateStyle) -> Self {
        let phrases = PhraseIndex::of(schema);
        let mentions = Mentions::of(layout, dates.order, &|tokens| phrases.is_end_of_label(tokens));
        let mut document = Self {
            schema,
            layout,
            dates,
            phrases,
            mentions,
            is_item_row: Vec::new(),
            blocks: Blocks::default(),
            domains: domains(layout),
            labels: Vec::new(),
        };
        document.blocks = Blocks::of(layout, &|cell| document.opens_block(cell));
        document.is_item_row = document.item_rows();
        for mention in 0..document.mentions.all.len() {
            let labels = document.labels_of(mention);
            document.labels.push(labels);
        }
        document
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = self.dates_and_codes();
        let totals = self.totals();
        findings.extend(self.currency(&totals));
        findings.extend(totals);
        let parties = self.parties();
        findings.extend(self.tax_ids(&parties));
        findings.extend(
            parties.into_iter().flatten().flat_map(|party| [Some(party.finding), party.rival]).flatten(),
        );
        findings
    }

    /// The first key with a normaliser.
    fn key_with(&self, normaliser: Normaliser) -> Option<usize> {
        self.schema.keys.iter().position(|key| key.normaliser == normaliser)
    }

    fn span_of(&self, mention: usize) -> TokenSpan {
        let mention = &self.mentions.all[mention];
        (mention.cell, mention.tokens.clone())
    }

    fn is_amount(&self, mention: usize) -> bool {
        matches!(self.mentions.all[mention].form, Form::Amount(_))
    }
}
