//! The sums that may be the net amount, the tax or the total of a document: by their labels, and by what they add up to.

use std::collections::{BTreeMap, BTreeSet};

use super::BusinessDocument;
use super::mentions::{Amount, Form};
use super::naming::ValueLabel;
use super::totals::{NET, ROLES, TAX, TOLERANCE, TOTAL};
use super::weights;
use crate::Normaliser;

/// The most candidates of each of the three that are tried with each other.
const MAX_CANDIDATES: usize = 8;

/// The most cells and values of a row among which a rate is looked for.
const MAX_CELLS_IN_ROW: usize = 16;

/// The highest rate of a tax that nobody calls a tax, in per cent.
const MAX_RATE: i64 = 30;

/// Usual terms of payment in days, as sums in cents.
const PAYMENT_DAYS: [i64; 8] = [700, 1000, 1400, 1500, 3000, 4500, 6000, 9000];

/// How the labels of sums begin that are kept back from the total.
const RETENTION_LABELS: [&str; 5] = ["retencion", "irpf", "ritenuta", "retencao", "withholding"];

/// Labels of duties that have no tax.
const STAMP_LABELS: [&str; 4] = ["imposta di bollo", "bollo", "marca da bollo", "imposto do selo"];

/// Labels of charges that are added to the items.
const CHARGE_LABELS: [&str; 26] = [
    "shipping",
    "shipping and handling",
    "freight",
    "carriage",
    "postage",
    "delivery",
    "delivery charge",
    "handling",
    "versand",
    "versandkosten",
    "porto",
    "fracht",
    "frachtkosten",
    "gastos de envio",
    "portes",
    "transporte",
    "frais de port",
    "frais de livraison",
    "port",
    "spese di spedizione",
    "trasporto",
    "spese di trasporto",
    "verzendkosten",
    "vrachtkosten",
    "portes de envio",
    "bezorgkosten",
];

/// A sum that one of the three may be. Several mentions are added up.
#[derive(Clone, Debug)]
pub(super) struct SumCandidate {
    pub mentions: Vec<usize>,
    pub cents: i64,
    pub weight: f64,
    pub label: Option<(usize, String)>,
}

impl BusinessDocument<'_> {
    fn amount_of(&self, mention: usize) -> Option<Amount> {
        match &self.mentions.all[mention].form {
            Form::Amount(amount) => Some(*amount),
            _ => None,
        }
    }

    /// The labelled candidates of a role, the best first.
    pub(super) fn candidates_of(&self, role: Normaliser) -> Vec<SumCandidate> {
        let mut candidates: Vec<SumCandidate> = Vec::new();
        for (mention, labels) in self.labels.iter().enumerate() {
            let Some(amount) = self.amount_of(mention) else { continue };
            // "Net 30" is a term of payment.
            if !amount.is_money && role == Normaliser::NetSum && PAYMENT_DAYS.contains(&amount.cents) {
                continue;
            }
            for label in labels {
                let is_role = label.meaning.key.is_some_and(|key| self.schema.keys[key].normaliser == role);
                if is_role {
                    candidates.push(SumCandidate {
                        mentions: vec![mention],
                        cents: amount.cents,
                        weight: label.weight + self.weight_of(mention, &amount),
                        label: Some((label.cell, label.meaning.words.clone())),
                    });
                }
            }
        }
        // A column of the items may have the name of a total.
        let is_item = |candidate: &SumCandidate| {
            self.is_item_row[self.layout.cells[self.mentions.all[candidate.mentions[0]].cell].row]
        };
        if candidates.iter().any(|candidate| !is_item(candidate)) {
            candidates.retain(|candidate| !is_item(candidate));
        }
        let totals = column_totals(&candidates);
        for place in &totals {
            candidates[*place].weight += weights::COLUMN_TOTAL;
        }
        if totals.is_empty() {
            candidates.extend(self.added_up(&candidates, role));
        }
        let mut counts: BTreeMap<i64, u8> = BTreeMap::new();
        for candidate in &candidates {
            let count = counts.entry(candidate.cents).or_default();
            *count = count.saturating_add(1);
        }
        for candidate in &mut candidates {
            candidate.weight += f64::from(counts[&candidate.cents].min(4) - 1) * weights::REPEATED;
        }
        candidates.sort_by(|one, two| two.weight.total_cmp(&one.weight));
        let mut seen: Vec<i64> = Vec::new();
        candidates.retain(|candidate| {
            let is_new = !seen.contains(&candidate.cents);
            if is_new && seen.len() < MAX_CANDIDATES {
                seen.push(candidate.cents);
            }
            is_new && seen.contains(&candidate.cents)
        });
        candidates
    }

    fn weight_of(&self, mention: usize, amount: &Amount) -> f64 {
        let cell = self.mentions.all[mention].cell;
        let row = self.layout.cells[cell].row;
        let is_last = self.layout.rows[row].end == cell + 1 && self.mentions.in_cell(cell).end == mention + 1;
        let money = if amount.is_money { weights::MONEY } else { weights::BARE_NUMBER };
        let last = if is_last { weights::LAST_IN_ROW } else { 0.0 };
        money + last + if self.is_item_row[row] { weights::ITEM_ROW } else { 0.0 }
    }

    /// The sum of one candidate of each row: the taxes at several rates, or their net amounts.
    fn added_up(&self, candidates: &[SumCandidate], role: Normaliser) -> Option<SumCandidate> {
        let mut by_row: BTreeMap<usize, &SumCandidate> = BTreeMap::new();
        for candidate in candidates {
            let row = self.layout.cells[self.mentions.all[candidate.mentions[0]].cell].row;
            if self.is_item_row[row] {
                continue;
            }
            let best = by_row.entry(row).or_insert(candidate);
            if candidate.weight >= best.weight {
                *best = candidate;
            }
        }
        // Taxes that each have a rate in their row are added up before one of them is the tax.
        let rates: Vec<&SumCandidate> = by_row
            .iter()
            .filter(|(row, _)| role == Normaliser::TaxSum && self.has_rate(**row))
            .map(|(_, candidate)| *candidate)
            .collect();
        let is_by_rate = rates.len() > 1 && rates.len() + 1 >= by_row.len();
        let rows: Vec<&SumCandidate> = if is_by_rate { rates } else { by_row.into_values().collect() };
        let rows: Vec<&SumCandidate> = rows.into_iter().take(MAX_CANDIDATES).collect();
        let least = rows.iter().map(|row| row.weight).fold(f64::MAX, f64::min);
        (rows.len() > 1).then(|| SumCandidate {
            mentions: rows.iter().map(|row| row.mentions[0]).collect(),
            cents: rows.iter().map(|row| row.cents).sum(),
            weight: least + if is_by_rate { weights::BY_RATE } else { -1.0 },
            label: rows[0].label.clone(),
        })
    }

    /// Whether a row states a rate.
    fn has_rate(&self, row: usize) -> bool {
        let mut cells = self.layout.rows[row].clone().take(MAX_CELLS_IN_ROW);
        cells.any(|cell| {
            let mut mentions = self.mentions.in_cell(cell).take(MAX_CELLS_IN_ROW);
            mentions.any(|mention| matches!(self.mentions.all[mention].form, Form::Percent))
        })
    }

    /// The sums of items: one of them may have no tax.
    pub(super) fn untaxed(&self) -> BTreeSet<i64> {
        let sums = self.sums_by_cents();
        let is_stamp = |mention: usize| {
            let label = self.labels[mention].first();
            label.is_some_and(|label| STAMP_LABELS.contains(&label.meaning.words.as_str()))
        };
        sums.into_iter()
            .filter(|(cents, (mention, is_item))| (*is_item || is_stamp(*mention)) && *cents > 0)
            .map(|(cents, _)| cents)
            .collect()
    }

    /// Sums that are kept back from the total, such as a tax on income.
    pub(super) fn retentions(&self) -> Vec<i64> {
        let is_kept =
            |label: &ValueLabel| RETENTION_LABELS.iter().any(|start| label.meaning.words.starts_with(start));
        let amounts = (0..self.mentions.all.len()).filter_map(|mention| {
            let amount = self.amount_of(mention)?;
            self.labels[mention].first().filter(|label| is_kept(label)).map(|_| amount.cents.abs())
        });
        amounts.take(MAX_CANDIDATES).collect()
    }

    /// Any sum may be the third of two that have labels, if it adds up: one without a label, one that is called a total
    /// before the tax is added, or the sum of the only item.
    pub(super) fn add_completing(&self, candidates: &mut [Vec<SumCandidate>; 3], retentions: &[i64]) {
        let before_tax: Vec<SumCandidate> = candidates[TOTAL].clone();
        let by_cents = self.sums_by_cents();
        let labelled: [Vec<i64>; 3] = [NET, TAX, TOTAL].map(|role| {
            candidates[role].iter().map(|candidate| candidate.cents).take(MAX_CANDIDATES).collect()
        });
        let mut add = |role: usize, cents: i64| {
            let near = by_cents.range(cents - TOLERANCE..=cents + TOLERANCE);
            let Some((cents, (mention, is_item))) = near.min_by_key(|(other, _)| (*other - cents).abs())
            else {
                return;
            };
            let of_total = before_tax.iter().find(|candidate| role == NET && candidate.cents == *cents);
            // "Shipping" is no tax, whatever it adds up to.
            let is_named = role == TAX && self.has_other_label(*mention);
            let is_other =
                is_named || (self.role_of(*mention).is_some_and(|own| own != role) && of_total.is_none());
            if is_other || candidates[role].iter().any(|known| known.cents == *cents) {
                return;
            }
            let weight = weights::UNLABELLED + if *is_item { weights::ITEM_ROW / 2.0 } else { 0.0 };
            let label = of_total.and_then(|candidate| candidate.label.clone());
            candidates[role].push(SumCandidate { mentions: vec![*mention], cents: *cents, weight, label });
        };
        for kept in retentions.iter().chain(&[0]) {
            for total in &labelled[TOTAL] {
                for tax in &labelled[TAX] {
                    add(NET, total - tax + kept);
                }
                // A labelled tax is never replaced.
                let has_tax = !labelled[TAX].is_empty();
                for net in labelled[NET].iter().chain(&labelled[TOTAL]).filter(|net| *net != total) {
                    if !has_tax && is_rate(*net, total - net + kept) {
                        add(TAX, total - net + kept);
                        add(NET, *net);
                    }
                }
            }
            for net in &labelled[NET] {
                for tax in &labelled[TAX] {
                    add(TOTAL, net + tax - kept);
                }
            }
        }
    }

    /// The sums of the document with the first mention of each, and whether that is an item. Sums that are no items come
    /// first.
    fn sums_by_cents(&self) -> BTreeMap<i64, (usize, bool)> {
        let mut by_cents: BTreeMap<i64, (usize, bool)> = BTreeMap::new();
        for mention in 0..self.mentions.all.len() {
            let is_item = self.is_item_row[self.layout.cells[self.mentions.all[mention].cell].row];
            if let Some(amount) =
                self.amount_of(mention).filter(|amount| amount.is_money && amount.cents != 0)
            {
                let known = by_cents.entry(amount.cents).or_insert((mention, is_item));
                if known.1 && !is_item {
                    *known = (mention, false);
                }
            }
        }
        by_cents
    }

    /// Whether the label of a sum is one that no key is for, such as "Shipping".
    fn has_other_label(&self, mention: usize) -> bool {
        self.labels[mention].first().is_some_and(|label| {
            let meaning = &label.meaning;
            let is_beside =
                self.layout.cells[label.cell].row == self.layout.cells[self.mentions.all[mention].cell].row;
            meaning.key.is_none() && meaning.shared.is_empty() && meaning.section.is_none() && is_beside
        })
    }

    /// Charges between the sum of the items and the total, such as freight.
    fn charges(&self) -> Vec<(usize, i64)> {
        let is_charge = |label: &ValueLabel| CHARGE_LABELS.contains(&label.meaning.words.as_str());
        let amounts = (0..self.mentions.all.len()).filter_map(|mention| {
            let amount = self.amount_of(mention).filter(|amount| amount.is_money && amount.cents > 0)?;
            let row = self.layout.cells[self.mentions.all[mention].cell].row;
            let label = self.labels[mention].first().filter(|label| is_charge(label))?;
            (!self.is_item_row[row] && self.layout.cells[label.cell].row == row)
                .then_some((mention, amount.cents))
        });
        amounts.take(MAX_CANDIDATES).collect()
    }

    /// The net amount is the sum of the items and the charges, if the tax is on both.
    pub(super) fn add_charged(&self, candidates: &mut [Vec<SumCandidate>; 3]) {
        let charges = self.charges();
        if charges.is_empty() || !candidates[TAX].iter().any(|tax| tax.cents > 0) {
            return;
        }
        let all: i64 = charges.iter().map(|(_, cents)| cents).sum();
        let single = charges.iter().map(|charge| vec![*charge]);
        let mut sets: Vec<(Vec<(usize, i64)>, i64)> = single.map(|set| (set.clone(), set[0].1)).collect();
        if charges.len() > 1 {
            sets.push((charges.clone(), all));
        }
        let nets: Vec<SumCandidate> = candidates[NET].iter().take(2).cloned().collect();
        for net in nets {
            for (set, sum) in &sets {
                let cents = net.cents + sum;
                // A tax at a round rate on the items alone is not on the charges.
                let is_untaxed = candidates[TAX]
                    .iter()
                    .any(|tax| has_round_rate(net.cents, tax.cents) && !has_round_rate(cents, tax.cents));
                if is_untaxed || candidates[NET].iter().any(|known| known.cents == cents) {
                    continue;
                }
                let mentions = net.mentions.iter().copied().chain(set.iter().map(|(mention, _)| *mention));
                candidates[NET].push(SumCandidate {
                    mentions: mentions.collect(),
                    cents,
                    weight: net.weight - 1.0,
                    label: net.label.clone(),
                });
            }
        }
    }

    /// The role that the label of a sum names.
    fn role_of(&self, mention: usize) -> Option<usize> {
        let key = self.labels[mention].first()?.meaning.key?;
        ROLES.iter().position(|role| *role == self.schema.keys[key].normaliser)
    }
}

/// The candidates that are the sum of those above them below the same head: the last line of a table of rates.
fn column_totals(candidates: &[SumCandidate]) -> Vec<usize> {
    let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        if let Some((label, _)) = candidate.label {
            columns.entry(label).or_default().push(place);
        }
    }
    let is_total = |column: &Vec<usize>| {
        let last = *column.last()?;
        let above: i64 = column[..column.len() - 1].iter().map(|place| candidates[*place].cents).sum();
        (column.len() > 2 && (above - candidates[last].cents).abs() <= TOLERANCE).then_some(last)
    };
    columns.values().filter_map(is_total).collect()
}

/// Whether a sum can be the tax on a net amount: of the same sign, and not more than any rate.
fn is_rate(net: i64, tax: i64) -> bool {
    tax != 0 && (tax > 0) == (net > 0) && tax.abs() * 100 <= net.abs() * MAX_RATE
}

/// Whether a tax is the net amount at a rate of whole quarters of a per cent.
fn has_round_rate(net: i64, tax: i64) -> bool {
    if net <= 0 || tax <= 0 || tax > net {
        return false;
    }
    // In quarters of a per cent: rate = tax / net * 400.
    let quarters = (tax * 400 + net / 2) / net;
    let exact = net * quarters;
    quarters > 0 && (exact - tax * 400).abs() <= 400
}
