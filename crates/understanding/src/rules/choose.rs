//! Chooses which candidates become fields.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::candidate::{DetectedVisit, ValueCandidate};
use super::told_values::TOLD_IN_TEXT;
use crate::confidence::{self, Feature, Features};
use crate::field::MAX_SUGGESTIONS;
use crate::normal::fold;
use crate::{Field, Normaliser, Origin, Schema, Scope, Suggestion, Value, ValueType};
use quire_domain::ids::FieldId;

/// A field, and what is known about it.
type Chosen = (Field, Option<Features>);

/// Turns candidates into fields: first those of the document, then those of each visit.
pub(super) fn fields(
    schema: &Schema,
    candidates: Vec<ValueCandidate>,
    visits: &[DetectedVisit],
) -> Vec<Chosen> {
    let mut order: Vec<usize> = (0..visits.len()).collect();
    order.sort_by_key(|visit| (visits[*visit].date, *visit));
    let mut rank = vec![0; visits.len()];
    for (position, visit) in order.into_iter().enumerate() {
        rank[visit] = position + 1;
    }
    let position = |visit: Option<usize>| visit.map_or(0, |visit| rank[visit]);
    let mut groups: BTreeMap<(usize, usize), Vec<ValueCandidate>> = BTreeMap::new();
    for candidate in without_told_beside_stated(one_key_per_value(schema, candidates), visits.len()) {
        groups.entry((position(candidate.visit), candidate.key)).or_default().push(candidate);
    }
    without_family_name(schema, &mut groups);
    let mut fields = Vec::new();
    for ((_, key), group) in groups {
        let key = &schema.keys[key];
        if key.repeatable {
            push_repeated(schema, &key.key, group, &mut fields);
        } else if key.scope == Scope::Visit && key.normaliser == Normaliser::Text {
            fields.extend(joined_field(schema, &key.key, group));
        } else {
            fields.push(best_field(schema, &key.key, group));
        }
    }
    fields
}

/// The same words are the value of one key of the document only: of the key for which they rank highest.
fn one_key_per_value(schema: &Schema, candidates: Vec<ValueCandidate>) -> Vec<ValueCandidate> {
    let place = |candidate: &ValueCandidate| {
        let key = &schema.keys[candidate.key];
        let is_single = key.scope == Scope::Document && !key.repeatable && candidate.visit.is_none();
        let first = candidate.evidence.boxes.first().filter(|_| is_single && candidate.value.is_some())?;
        let corner = [first.x0.to_bits(), first.y0.to_bits()];
        Some((candidate.evidence.page, corner, candidate.evidence.boxes.len(), fold(&candidate.raw)))
    };
    let mut best: HashMap<_, (f64, usize)> = HashMap::new();
    for candidate in &candidates {
        if let Some(place) = place(candidate) {
            let best = best.entry(place).or_insert((candidate.rank, candidate.key));
            if candidate.rank > best.0 {
                *best = (candidate.rank, candidate.key);
            }
        }
    }
    let is_best = |candidate: &ValueCandidate| {
        place(candidate).is_none_or(|place| {
            let (rank, key) = best[&place];
            candidate.key == key || candidate.rank >= rank - f64::EPSILON
        })
    };
    candidates.into_iter().filter(is_best).collect()
}

/// What a label or a lead-in states at a visit is what the document means by a key; sentences that tell of the like are left to the
/// text. So they are at all visits if a third of them state the key.
fn without_told_beside_stated(mut candidates: Vec<ValueCandidate>, visits: usize) -> Vec<ValueCandidate> {
    let is_stated = |candidate: &&ValueCandidate| {
        candidate.visit.is_some() && candidate.value.is_some() && candidate.mapping != TOLD_IN_TEXT
    };
    let stated: HashSet<(Option<usize>, usize)> =
        candidates.iter().filter(is_stated).map(|candidate| (candidate.visit, candidate.key)).collect();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (_, key) in &stated {
        *counts.entry(*key).or_default() += 1;
    }
    let is_usual = |key: usize| 3 * counts.get(&key).copied().unwrap_or_default() >= visits;
    candidates.retain(|candidate| {
        let is_told = candidate.mapping == TOLD_IN_TEXT;
        !is_told || !(is_usual(candidate.key) || stated.contains(&(candidate.visit, candidate.key)))
    });
    candidates
}

/// The name of a subject is not that of its family: "Barnaby Hartnoll", whose owner is Giles Hartnoll, is Barnaby.
fn without_family_name(schema: &Schema, groups: &mut BTreeMap<(usize, usize), Vec<ValueCandidate>>) {
    let is_person = |key: &crate::SchemaKey| key.normaliser == Normaliser::Person;
    let families: Vec<String> = groups
        .iter()
        .filter(|((visit, key), _)| *visit == 0 && is_person(&schema.keys[*key]))
        .flat_map(|(_, group)| group)
        .filter_map(|candidate| Some(fold(candidate.value.as_deref()?.rsplit_once(' ')?.1)))
        .collect();
    let named = groups
        .iter_mut()
        .filter(|((visit, key), _)| *visit == 0 && schema.keys[*key].normaliser.names_subject());
    for candidate in named.flat_map(|(_, group)| group) {
        let Some((own, family)) = candidate.value.as_deref().and_then(|name| name.rsplit_once(' ')) else {
            continue;
        };
        if families.contains(&fold(family)) {
            candidate.value = Some(own.to_owned());
        }
    }
}

/// A repeatable key gets one field for each different value.
fn push_repeated(schema: &Schema, key: &str, group: Vec<ValueCandidate>, fields: &mut Vec<Chosen>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    // The label of a list stands once in an entry. Twice, the entry may be two, whose second date was lost.
    let is_labelled = |candidate: &&ValueCandidate| candidate.mapping.starts_with("label_regex");
    let starts = {
        let labelled = group.iter().filter(is_labelled).map(|candidate| candidate.evidence.snippet.as_str());
        labelled.filter(|snippet| snippet.contains(':')).collect::<HashSet<&str>>().len()
    };
    let first = fields.len();
    for candidate in group {
        let Some(value) = candidate.value.clone() else { continue };
        match seen.entry(fold(&value)) {
            Entry::Occupied(known) => {
                if let Some(features) = &mut fields[*known.get()].1 {
                    features.mark(Feature::Repeated, true);
                }
            }
            Entry::Vacant(new) => {
                new.insert(fields.len());
                fields.push(field(schema, key, Some(value), candidate));
            }
        }
    }
    for (_, features) in &mut fields[first..] {
        if let Some(features) = features.as_mut().filter(|_| starts > 1) {
            features.mark(Feature::EqualRival, true);
        }
    }
}

/// A text that occurs several times becomes one field.
fn joined_field(schema: &Schema, key: &str, group: Vec<ValueCandidate>) -> Option<Chosen> {
    let mut seen = HashSet::new();
    // What a label states is the text; sentences tell more of it only without a label.
    let is_labelled = |candidate: &ValueCandidate| candidate.mapping.starts_with("label_regex");
    let has_label = group.iter().any(|candidate| candidate.value.is_some() && is_labelled(candidate));
    let values: Vec<String> = group
        .iter()
        .filter(|candidate| !has_label || is_labelled(candidate))
        .filter_map(|candidate| candidate.value.clone())
        .filter(|value| seen.insert(fold(value)))
        .collect();
    let is_first =
        |candidate: &ValueCandidate| candidate.value.is_some() && (!has_label || is_labelled(candidate));
    let first = group.into_iter().find(is_first)?;
    Some(field(schema, key, Some(values.join("; ")), first))
}

/// The candidate of the highest rank becomes the field, the first one if several are equal. The others become suggestions.
fn best_field(schema: &Schema, key: &str, group: Vec<ValueCandidate>) -> Chosen {
    let is_better = |one: &ValueCandidate, two: &ValueCandidate| {
        (one.value.is_some(), one.rank) > (two.value.is_some(), two.rank)
    };
    let mut best = 0;
    for position in 1..group.len() {
        if is_better(&group[position], &group[best]) {
            best = position;
        }
    }
    let mut others = group;
    let chosen = others.remove(best);
    let value = chosen.value.clone();
    let mut suggestions: Vec<Suggestion> = Vec::new();
    if value.is_none() {
        // The value has no normal form, so a person sees the words of the document.
        suggestions.push(suggestion(chosen.raw.trim().to_owned(), &chosen));
    }
    suggestions.extend(others.iter().filter_map(|other| Some(suggestion(other.value.clone()?, other))));
    let (mut field, mut features) = field(schema, key, value.clone(), chosen);
    if let Some(features) = &mut features {
        let own = value.as_deref().map(fold);
        let is_same = |other: &&ValueCandidate| own.is_some() && other.value.as_deref().map(fold) == own;
        let rivals: HashSet<String> = others
            .iter()
            .filter_map(|other| other.value.as_deref().map(fold))
            .filter(|other| Some(other) != own.as_ref())
            .collect();
        features.mark(Feature::Repeated, others.iter().any(|other| is_same(&other)));
        let is_equal = |other: &ValueCandidate| {
            other.value.is_some() && !is_same(&other) && other.rank >= field.confidence - 1e-6
        };
        features.mark(Feature::EqualRival, others.iter().any(is_equal));
        features.mark(Feature::OneRival, rivals.len() == 1);
        features.mark(Feature::ManyRivals, rivals.len() > 1);
    }
    field.candidate_suggestions = ranked_suggestions(suggestions, value.as_deref());
    (field, features)
}

fn suggestion(value: String, candidate: &ValueCandidate) -> Suggestion {
    Suggestion {
        value: Value::Text(value),
        confidence: confidence_of_other(candidate),
        evidence: Some(candidate.evidence.clone()),
    }
}

/// The confidence of a candidate that was not chosen: another value was.
fn confidence_of_other(candidate: &ValueCandidate) -> f64 {
    candidate.features.clone().map_or(candidate.rank, |mut features| {
        features.mark(Feature::ManyRivals, true);
        let rank = confidence::built_in().probability(&features) * candidate.rank;
        (rank * 1000.0).round() / 1000.0
    })
}

/// The best suggestions, most confident first, then by value, snippet and page. Without duplicates, and without the
/// value itself.
fn ranked_suggestions(suggestions: Vec<Suggestion>, value: Option<&str>) -> Vec<Suggestion> {
    let mut seen: HashSet<String> = value.map(fold).into_iter().collect();
    let folded = |suggestion: &Suggestion| match &suggestion.value {
        Value::Text(text) => fold(text),
        other => format!("{other:?}"),
    };
    let position = |suggestion: &Suggestion| {
        let evidence = suggestion.evidence.as_ref();
        evidence.map(|evidence| (evidence.snippet.clone(), evidence.page))
    };
    let mut suggestions = suggestions;
    suggestions.sort_by(|one, two| {
        let by_confidence = two.confidence.total_cmp(&one.confidence);
        by_confidence.then_with(|| (folded(one), position(one)).cmp(&(folded(two), position(two))))
    });
    suggestions.retain(|suggestion| seen.insert(folded(suggestion)));
    suggestions.truncate(MAX_SUGGESTIONS);
    suggestions
}

fn field(schema: &Schema, key: &str, value: Option<String>, candidate: ValueCandidate) -> Chosen {
    let value_type = schema.key(key).map_or(ValueType::Unknown, |key| key.value_type);
    let field = Field {
        field_id: FieldId::new(),
        key: key.to_owned(),
        value: value.map_or(Value::Null, |value| value_type.parse_normal_form(value)),
        value_type,
        confidence: candidate.rank,
        candidate_confidence: candidate.rank,
        review_history_adjustment: 0.0,
        is_critical: schema.is_critical(key),
        origin: Origin::Machine,
        evidence: Some(candidate.evidence),
        visit_id: candidate.visit.map(super::derive::visit_id),
        mapping_id: Some(candidate.mapping),
        candidate_suggestions: Vec::new(),
    };
    (field, candidate.features)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Evidence;

    fn suggestion(value: &str, confidence: f64, page: u32) -> Suggestion {
        let evidence = Some(Evidence::new(page, "Raza", Vec::new()));
        Suggestion { value: Value::Text(value.to_owned()), confidence, evidence }
    }

    proptest! {
        /// Proves R112: at most five, the most confident first, and equal ones always in the same order.
        #[test]
        fn suggestions_are_ranked_by_confidence_and_never_by_chance(
            mut given in prop::collection::vec(("[a-h]", 0..4_u32, 1..3_u32), 0..20),
            turn in 0..20_usize,
        ) {
            let made = |given: &[(String, u32, u32)]| -> Vec<Suggestion> {
                given.iter().map(|(value, tenths, page)| suggestion(value, f64::from(*tenths) / 10.0, *page)).collect()
            };
            let ranked = ranked_suggestions(made(&given), Some("A"));
            prop_assert!(ranked.len() <= 5);
            prop_assert!(ranked.is_sorted_by(|one, two| one.confidence >= two.confidence), "{:?}", ranked);
            let values: HashSet<_> = ranked.iter().map(|one| format!("{:?}", one.value)).collect();
            prop_assert_eq!(values.len(), ranked.len(), "each value once");
            prop_assert!(ranked.iter().all(|one| one.value != Value::Text("a".to_owned())), "not the value itself");
            // A more confident one is never left out for one that is kept.
            let least = ranked.last().map_or(0.0, |last| last.confidence);
            for left_out in made(&given).iter().filter(|one| !ranked.iter().any(|kept| kept.value == one.value)) {
                let is_value = left_out.value == Value::Text("a".to_owned());
                prop_assert!(is_value || left_out.confidence <= least, "{:?} {:?}", left_out, ranked);
            }
            let middle = turn.min(given.len());
            given.rotate_left(middle);
            prop_assert_eq!(&ranked_suggestions(made(&given), Some("A")), &ranked, "whatever order they were found in");
            given.reverse();
            prop_assert_eq!(&ranked_suggestions(made(&given), Some("A")), &ranked);
        }
    }
}
