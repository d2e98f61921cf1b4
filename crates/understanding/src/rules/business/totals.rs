//! Decides which sums are the net amount, the tax and the total. Labels propose; adding up decides.

use std::collections::BTreeMap;

use super::mentions::{Amount, Form};
use super::phrases::Found;
use super::weights::{self, confidence};
use super::{BusinessDocument, Proposal};
use crate::Normaliser;

/// The most candidates of each of the three that are tried with each other.
const MAX_CANDIDATES: usize = 8;
/// The largest difference between a total and its parts, in cents: each rate of tax is rounded.
const TOLERANCE: i64 = 3;

/// The three sums: net amount and tax are the total.
const ROLES: [Normaliser; 3] = [Normaliser::NetSum, Normaliser::TaxSum, Normaliser::TotalSum];

/// Words behind "total" that tell whether the tax is part of it.
const WITHOUT: [&str; 12] = [
    "excl",
    "exclusive",
    "excluding",
    "ex",
    "sin",
    "ohne",
    "hors",
    "senza",
    "sem",
    "exclusief",
    "before",
    "antes",
];
const WITH: [&str; 14] = [
    "incl",
    "inc",
    "including",
    "inklusive",
    "inkl",
    "con",
    "mit",
    "ttc",
    "comprises",
    "inclusa",
    "com",
    "inclusief",
    "incluido",
    "with",
];

/// A sum that one of the three may be. Several mentions are added up.
#[derive(Clone, Debug)]
struct SumCandidate {
    mentions: Vec<usize>,
    cents: i64,
    weight: f64,
    label: Option<(usize, String)>,
}

/// The candidates that were chosen, by role, and whether they add up.
struct Triple {
    picks: [Option<usize>; 3],
    adds_up: bool,
}

impl BusinessDocument<'_> {
    /// The three sums, each with its other candidates.
    pub(super) fn totals(&self) -> Vec<Proposal> {
        let mut candidates: [Vec<SumCandidate>; 3] = ROLES.map(|role| self.candidates_of(role));
        self.add_unlabelled(&mut candidates);
        let triple = best_triple(&candidates);
        let mut proposals = Vec::new();
        for (role, group) in candidates.iter().enumerate() {
            let Some(key) = self.key_with(ROLES[role]) else { continue };
            let Some(pick) = triple.picks[role] else { continue };
            let picked = group[pick].weight + if triple.adds_up { weights::ADDS_UP } else { 0.0 };
            proposals.push(self.sum_proposal(key, &group[pick], picked));
            // The others are suggestions, and never above the one that was chosen.
            let others =
                group.iter().enumerate().filter(|(place, other)| *place != pick && other.mentions.len() == 1);
            for (_, other) in others {
                let weight = other.weight + weights::DOES_NOT_ADD_UP;
                proposals.push(self.sum_proposal(key, other, weight.min(picked - 0.3)));
            }
        }
        proposals
    }

    fn sum_proposal(&self, key: usize, candidate: &SumCandidate, weight: f64) -> Proposal {
        let (sign, cents) = (if candidate.cents < 0 { "-" } else { "" }, candidate.cents.unsigned_abs());
        Proposal {
            key,
            spans: candidate.mentions.iter().map(|mention| self.span_of(*mention)).collect(),
            text: Some(format!("{sign}{}.{:02}", cents / 100, cents % 100)),
            label: candidate.label.clone(),
            rule: "adds_up",
            confidence: confidence(weight),
        }
    }

    fn amount_of(&self, mention: usize) -> Option<Amount> {
        match &self.mentions.all[mention].form {
            Form::Amount(amount) => Some(*amount),
            _ => None,
        }
    }

    /// A label of the total beside one of the tax: "Total VAT" is the tax, "Total incl. VAT" the total and "Total without
    /// VAT" the net amount.
    pub(super) fn of_what<'i>(&'i self, found: Found<'i>, words: &[String]) -> Found<'i> {
        let role = |found: &Found<'_>| found.meaning.key.map(|key| self.schema.keys[key].normaliser);
        if role(&found) != Some(Normaliser::TotalSum) {
            return found;
        }
        let behind = found.start + found.count;
        let tax = self.phrases.longest(&words[behind..]).filter(|tax| role(tax) == Some(Normaliser::TaxSum));
        let Some(tax) = tax else { return found };
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if has(&WITH) {
            return found;
        }
        let key = if has(&WITHOUT) { Normaliser::NetSum } else { Normaliser::TaxSum };
        let count = tax.start + tax.count + found.count;
        let meaning = self.key_with(key).and_then(|key| self.phrases.of_key(key)).unwrap_or(tax.meaning);
        Found { meaning, start: found.start, count }
    }

    /// The labelled candidates of a role, the best first.
    fn candidates_of(&self, role: Normaliser) -> Vec<SumCandidate> {
        let mut candidates: Vec<SumCandidate> = Vec::new();
        for (mention, names) in self.names.iter().enumerate() {
            let Some(amount) = self.amount_of(mention) else { continue };
            for name in names {
                let is_role = name.meaning.key.is_some_and(|key| self.schema.keys[key].normaliser == role);
                if is_role {
                    candidates.push(SumCandidate {
                        mentions: vec![mention],
                        cents: amount.cents,
                        weight: name.weight + self.weight_of(mention, &amount),
                        label: Some((name.cell, name.meaning.words.clone())),
                    });
                }
            }
        }
        candidates.extend(self.added_up(&candidates));
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
    fn added_up(&self, candidates: &[SumCandidate]) -> Option<SumCandidate> {
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
        let rows: Vec<&SumCandidate> = by_row.into_values().take(MAX_CANDIDATES).collect();
        let least = rows.iter().map(|row| row.weight).fold(f64::MAX, f64::min);
        (rows.len() > 1).then(|| SumCandidate {
            mentions: rows.iter().map(|row| row.mentions[0]).collect(),
            cents: rows.iter().map(|row| row.cents).sum(),
            weight: least - 1.0,
            label: rows[0].label.clone(),
        })
    }

    /// Where two of the three have labels, a sum without one may be the third if it adds up.
    fn add_unlabelled(&self, candidates: &mut [Vec<SumCandidate>; 3]) {
        let mut by_cents: BTreeMap<i64, usize> = BTreeMap::new();
        for mention in 0..self.mentions.all.len() {
            let is_item = self.is_item_row[self.layout.cells[self.mentions.all[mention].cell].row];
            if let Some(amount) = self.amount_of(mention).filter(|amount| amount.is_money && !is_item) {
                by_cents.entry(amount.cents).or_insert(mention);
            }
        }
        let best = |group: &[SumCandidate]| group.first().map(|first| first.cents);
        let [net, tax, total] = [0, 1, 2].map(|role| best(&candidates[role]));
        let wanted = [
            total.zip(tax).map(|(total, tax)| total - tax),
            total.zip(net).map(|(total, net)| total - net),
            net.zip(tax).map(|(net, tax)| net + tax),
        ];
        for (role, wanted) in wanted.into_iter().enumerate() {
            let Some(cents) =
                wanted.filter(|cents| candidates[role].iter().all(|known| known.cents != *cents))
            else {
                continue;
            };
            if let Some(mention) = by_cents.get(&cents) {
                let weight = weights::UNLABELLED;
                candidates[role].push(SumCandidate { mentions: vec![*mention], cents, weight, label: None });
            }
        }
    }
}

/// The best candidates of the three roles together.
fn best_triple(candidates: &[Vec<SumCandidate>; 3]) -> Triple {
    let places = |role: usize| (0..candidates[role].len()).map(Some).chain([None]);
    let mut best = Triple { picks: [None; 3], adds_up: false };
    let mut most = f64::MIN;
    for net in places(0) {
        for tax in places(1) {
            for total in places(2) {
                let picks = [net, tax, total];
                let of = |role: usize| picks[role].map(|place| &candidates[role][place]);
                let mut weight: f64 = (0..3).filter_map(of).map(|candidate| candidate.weight).sum();
                let mut adds_up = false;
                if let (Some(net), Some(tax), Some(total)) = (of(0), of(1), of(2)) {
                    let is_real = total.cents != 0 && (net.cents != total.cents || tax.cents == 0);
                    adds_up = is_real && (net.cents + tax.cents - total.cents).abs() <= TOLERANCE;
                    weight += if adds_up { 3.0 * weights::ADDS_UP } else { weights::DOES_NOT_ADD_UP };
                }
                if weight > most {
                    (most, best) = (weight, Triple { picks, adds_up });
                }
            }
        }
    }
    best
}
