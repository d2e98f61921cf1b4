//! Decides which sums are the net amount, the tax and the total. Labels propose ([`super::sum_candidates`]); adding up
//! decides.

use std::collections::BTreeSet;

use super::phrases::Found;
use super::sum_candidates::SumCandidate;
use super::weights::{self, confidence};
use super::{BusinessDocument, Finding};
use crate::Normaliser;
use crate::rules::layout::word_label_form;

/// The largest difference between a total and its parts, in cents: each rate of tax is rounded.
pub(super) const TOLERANCE: i64 = 3;

/// The three sums: net amount and tax are the total.
pub(super) const NET: usize = 0;
pub(super) const TAX: usize = 1;
pub(super) const TOTAL: usize = 2;
pub(super) const ROLES: [Normaliser; 3] = [Normaliser::NetSum, Normaliser::TaxSum, Normaliser::TotalSum];

/// Words beside a label of the total that tell whether the tax is part of it.
const WITHOUT: [&str; 17] = [
    "excl",
    "exclusive",
    "excluding",
    "ex",
    "exc",
    "exkl",
    "sin",
    "ohne",
    "hors",
    "senza",
    "sem",
    "exclusief",
    "before",
    "antes",
    "escluso",
    "esclusa",
    "vor",
];
const WITH: [&str; 27] = [
    "comprise",
    "tvac",
    "incl",
    "inc",
    "including",
    "inclusive",
    "included",
    "inklusive",
    "inkl",
    "con",
    "mit",
    "ttc",
    "comprises",
    "compris",
    "compresa",
    "inclusa",
    "incluso",
    "com",
    "inclusief",
    "incluido",
    "incluida",
    "incluidos",
    "with",
    "brutto",
    "bruto",
    "gross",
    "ivato",
];

/// What has no tax is at most one part in so many of the total.
const UNTAXED_SHARE: i64 = 5;

/// The candidates that were chosen, by role, and whether they add up.
struct Triple {
    picks: [Option<usize>; 3],
    adds_up: bool,
}

impl BusinessDocument<'_> {
    /// The three sums, each with its other candidates.
    pub(super) fn totals(&self) -> Vec<Finding> {
        let mut candidates: [Vec<SumCandidate>; 3] = ROLES.map(|role| self.candidates_of(role));
        let retentions = self.retentions();
        self.add_completing(&mut candidates, &retentions);
        self.add_charged(&mut candidates);
        let triple = best_triple(&candidates, &retentions, &self.untaxed());
        let mut findings = Vec::new();
        for (role, group) in candidates.iter().enumerate() {
            let Some(key) = self.key_with(ROLES[role]) else { continue };
            let Some(pick) = triple.picks[role] else { continue };
            let picked = group[pick].weight + if triple.adds_up { weights::ADDS_UP } else { 0.0 };
            findings.push(self.sum_finding(key, &group[pick], picked));
            // The others are suggestions, and never above the one that was chosen. What another role has is none.
            let is_taken = |other: &SumCandidate| {
                let mut picked = (0..3).filter_map(|role| Some(&candidates[role][triple.picks[role]?]));
                picked.any(|picked| picked.mentions.contains(&other.mentions[0]))
            };
            let others = group.iter().enumerate();
            let others = others
                .filter(|(place, other)| *place != pick && other.mentions.len() == 1 && !is_taken(other));
            for (_, other) in others {
                let weight = other.weight + weights::DOES_NOT_ADD_UP;
                findings.push(self.sum_finding(key, other, weight.min(picked - 0.3)));
            }
        }
        findings
    }

    fn sum_finding(&self, key: usize, candidate: &SumCandidate, weight: f64) -> Finding {
        let (sign, cents) = (if candidate.cents < 0 { "-" } else { "" }, candidate.cents.unsigned_abs());
        Finding {
            key,
            spans: candidate.mentions.iter().map(|mention| self.span_of(*mention)).collect(),
            text: Some(format!("{sign}{}.{:02}", cents / 100, cents % 100)),
            label: candidate.label.clone(),
            rule: "adds_up",
            confidence: confidence(weight),
            marks: Vec::new(),
        }
    }

    /// A label of the total beside another label, also in brackets: "Total VAT" is the tax, "Total (incl. VAT)" the total,
    /// "Total without VAT" and "Total (net)" the net amount. `all` are all words, `words` those among which it was found.
    pub(super) fn of_what<'i>(&'i self, found: Found<'i>, words: &[String], all: &[String]) -> Found<'i> {
        let role = |found: &Found<'_>| found.meaning.key.map(|key| self.schema.keys[key].normaliser);
        if role(&found) != Some(Normaliser::TotalSum) {
            return found;
        }
        let own = &words[found.start..found.start + found.count];
        let rest: Vec<String> = all.iter().filter(|word| !own.contains(word)).cloned().collect();
        let has = |list: &[&str]| list.iter().any(|known| rest.contains(&word_label_form(known)));
        let other = self.phrases.longest(&rest).and_then(|other| Some((role(&other)?, other)));
        let Some((kind, other)) = other.filter(|_| !rest.is_empty() && !has(&WITH)) else { return found };
        let key = match kind {
            Normaliser::TaxSum if !has(&WITHOUT) => Normaliser::TaxSum,
            Normaliser::TaxSum | Normaliser::NetSum => Normaliser::NetSum,
            _ => return found,
        };
        let meaning = self.key_with(key).and_then(|key| self.phrases.of_key(key)).unwrap_or(other.meaning);
        let count = (found.count + other.count).min(words.len() - found.start);
        Found { meaning, start: found.start, count }
    }
}

/// The best candidates of the three roles together.
fn best_triple(candidates: &[Vec<SumCandidate>; 3], retentions: &[i64], untaxed: &BTreeSet<i64>) -> Triple {
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
                    let difference = net.cents + tax.cents - total.cents;
                    let is_kept_back = |kept: &i64| (difference - kept).abs() <= TOLERANCE;
                    adds_up =
                        is_real && (difference.abs() <= TOLERANCE || retentions.iter().any(is_kept_back));
                    weight += match () {
                        // Without a tax, the net amount is the total, whichever sum is both.
                        () if adds_up && tax.cents == 0 => weights::ADDS_UP,
                        () if adds_up => 3.0 * weights::ADDS_UP,
                        // An item that has no tax, such as a tourist tax, is only in the total.
                        () if is_real
                            && untaxed.contains(&-difference)
                            && -difference * UNTAXED_SHARE <= total.cents =>
                        {
                            2.0 * weights::ADDS_UP
                        }
                        () => weights::DOES_NOT_ADD_UP,
                    };
                }
                if weight > most {
                    (most, best) = (weight, Triple { picks, adds_up });
                }
            }
        }
    }
    best
}
