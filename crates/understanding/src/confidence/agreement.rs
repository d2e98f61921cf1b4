//! Compares the fields of a document: sums that add up, dates that follow each other, an age that fits.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::feature::{Feature, Features};
use crate::normal::years_between;
use crate::{Field, Normaliser, Schema, Scope, Value};

/// The largest difference between a total and its parts.
const TOLERANCE: f64 = 0.03;

/// Adds what the fields say about each other.
pub(crate) fn compare_fields(fields: &mut [(Field, Option<Features>)], schema: &Schema, today: Option<Date>) {
    compare_sums(fields, schema);
    compare_visits(fields, schema);
    compare_dates(fields, schema, today);
}

fn normaliser_of(field: &Field, schema: &Schema) -> Normaliser {
    schema.key(&field.key).map_or(Normaliser::Text, |key| key.normaliser)
}

fn mark(fields: &mut [(Field, Option<Features>)], places: &[usize], feature: Feature) {
    for place in places {
        if let Some(features) = &mut fields[*place].1 {
            features.mark(feature, true);
        }
    }
}

fn compare_sums(fields: &mut [(Field, Option<Features>)], schema: &Schema) {
    let sum = |role: Normaliser| {
        fields.iter().enumerate().find_map(|(place, (field, _))| match field.value {
            Value::Number(number) if normaliser_of(field, schema) == role => Some((place, number)),
            _ => None,
        })
    };
    let sums = [Normaliser::NetSum, Normaliser::TaxSum, Normaliser::TotalSum].map(sum);
    if let [Some((net, net_sum)), Some((tax, tax_sum)), Some((total, total_sum))] = sums {
        let agrees = (net_sum + tax_sum - total_sum).abs() <= TOLERANCE;
        // Without a tax, the same sum twice says little.
        let is_trivial = agrees && tax_sum == 0.0;
        let feature = if agrees { Feature::SumsAgree } else { Feature::SumsDiffer };
        if !is_trivial {
            mark(fields, &[net, tax, total], feature);
        }
    } else {
        let found: Vec<usize> = sums.into_iter().flatten().map(|(place, _)| place).collect();
        mark(fields, &found, Feature::SumsMissing);
    }
}

/// Visits follow each other, up or down, and each has one reason and one weight.
fn compare_visits(fields: &mut [(Field, Option<Features>)], schema: &Schema) {
    let Some(key) = schema.visit_date().map(|key| schema.keys[key].key.clone()) else { return };
    let is_crowded = |features: &Features| features.iter().any(|(feature, _)| feature == Feature::EqualRival);
    let crowded: HashSet<String> = fields
        .iter()
        .filter(|(_, features)| features.as_ref().is_some_and(is_crowded))
        .filter_map(|(field, _)| field.visit_id.clone())
        .collect();
    for (place, feature) in compared_with_visits(fields, schema) {
        mark(fields, &[place], feature);
    }
    let mut visits: Vec<DatedVisit> = fields
        .iter()
        .enumerate()
        .filter(|(_, (field, _))| field.key == key)
        .filter_map(|(place, (field, _))| Some((field.visit_id.clone()?, place, day(field)?)))
        .collect();
    visits.sort();
    let rises = visits.windows(2).filter(|pair| pair[0].2 < pair[1].2).count();
    let falls = visits.windows(2).filter(|pair| pair[0].2 > pair[1].2).count();
    let is_wrong = |pair: &[DatedVisit]| {
        if rises >= falls { pair[0].2 > pair[1].2 } else { pair[0].2 < pair[1].2 }
    };
    let broken: Vec<usize> =
        visits.windows(2).filter(|pair| is_wrong(pair)).flat_map(|pair| [pair[0].1, pair[1].1]).collect();
    mark(fields, &broken, Feature::DatesDiffer);
    let doubtful = doubtful_visits(&visits, is_wrong);
    let odd = odd_visits(fields, &visits);
    for (visits, feature) in [(doubtful, Feature::DoubtfulVisit), (odd, Feature::OddVisit)] {
        let is_of = |place: &usize| {
            fields[*place].0.visit_id.as_ref().is_some_and(|visit| visits.contains(visit.as_str()))
        };
        let of_visits: Vec<usize> = (0..fields.len()).filter(is_of).collect();
        mark(fields, &of_visits, feature);
    }
    let of_crowded: Vec<usize> = (0..fields.len())
        .filter(|place| fields[*place].0.visit_id.as_ref().is_some_and(|visit| crowded.contains(visit)))
        .collect();
    mark(fields, &of_crowded, Feature::CrowdedVisit);
}

/// A visit in the order of the document: its id, the place of its date among the fields, and its date.
type DatedVisit = (String, usize, Date);

/// The visits without which the dates would follow each other.
fn doubtful_visits(visits: &[DatedVisit], is_wrong: impl Fn(&[DatedVisit]) -> bool) -> HashSet<String> {
    let mut doubtful = HashSet::new();
    for (place, pair) in visits.windows(2).enumerate().filter(|(_, pair)| is_wrong(pair)) {
        let fits = |one: Option<&DatedVisit>, two: Option<&DatedVisit>| match (one, two) {
            (Some(one), Some(two)) => !is_wrong(&[one.clone(), two.clone()]),
            _ => true,
        };
        let before = place.checked_sub(1).and_then(|before| visits.get(before));
        let without = [fits(before, Some(&pair[1])), fits(Some(&pair[0]), visits.get(place + 2))];
        let is_either = without[0] == without[1];
        for (visit, is_it) in pair.iter().zip(without) {
            if is_it || is_either {
                doubtful.insert(visit.0.clone());
            }
        }
    }
    doubtful
}

/// The visits whose dates were found in another way than those of most visits.
fn odd_visits(fields: &[(Field, Option<Features>)], visits: &[DatedVisit]) -> HashSet<String> {
    let way = |visit: &DatedVisit| fields[visit.1].0.mapping_id.clone();
    let mut counts: HashMap<Option<String>, usize> = HashMap::new();
    for visit in visits {
        *counts.entry(way(visit)).or_default() += 1;
    }
    let is_odd = |visit: &&DatedVisit| counts.len() > 1 && 2 * counts[&way(visit)] <= visits.len();
    visits.iter().filter(is_odd).map(|visit| visit.0.clone()).collect()
}

/// What the document states about a key that visits have, too, compared with the visits.
fn compared_with_visits(fields: &[(Field, Option<Features>)], schema: &Schema) -> Vec<(usize, Feature)> {
    let mut compared = Vec::new();
    for key in schema.keys.iter().filter(|key| key.at_visits) {
        let of_key = || fields.iter().enumerate().filter(|(_, (field, _))| field.key == key.key);
        let at_visits: Vec<&Value> = of_key()
            .filter(|(_, (field, _))| field.visit_id.is_some())
            .map(|(_, (field, _))| &field.value)
            .collect();
        for (place, (field, _)) in of_key().filter(|(_, (field, _))| field.visit_id.is_none()) {
            if !at_visits.is_empty() {
                let agrees = at_visits.contains(&&field.value);
                compared.push((place, if agrees { Feature::VisitsAgree } else { Feature::VisitsDiffer }));
            }
        }
    }
    compared
}

fn day(field: &Field) -> Option<Date> {
    match &field.value {
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn compare_dates(fields: &mut [(Field, Option<Features>)], schema: &Schema, today: Option<Date>) {
    let document = schema.document_date().map(|key| schema.keys[key].key.clone());
    let mut dates: Vec<(usize, Date, bool, bool)> = Vec::new();
    for (place, (field, _)) in fields.iter().enumerate() {
        let normaliser = normaliser_of(field, schema);
        if let Some(day) =
            day(field).filter(|_| matches!(normaliser, Normaliser::Date | Normaliser::BirthDate))
        {
            let is_document = document.as_deref() == Some(field.key.as_str());
            dates.push((place, day, normaliser == Normaliser::BirthDate, is_document));
        }
    }
    let of_visits = |(place, ..): &&(usize, Date, bool, bool)| {
        schema.key(&fields[*place].0.key).is_some_and(|key| key.scope != Scope::Document)
    };
    let first_visit = dates.iter().filter(of_visits).map(|(_, day, ..)| *day).min();
    let last_visit = dates.iter().filter(of_visits).map(|(_, day, ..)| *day).max();
    let birth = dates.iter().find(|(_, _, is_birth, _)| *is_birth).copied();
    let issued = dates.iter().find(|(.., is_document)| *is_document).copied();
    let mut marks: Vec<(usize, bool)> = Vec::new();
    for (place, day, is_birth, is_document) in &dates {
        let is_future = today.is_some_and(|today| *day > today);
        let compared: Vec<bool> = if *is_birth {
            [first_visit, issued.map(|(_, day, ..)| day)].iter().flatten().map(|other| day <= other).collect()
        } else if *is_document {
            let after_visits = last_visit.map(|last| *day >= last);
            let after_birth = birth.map(|(_, birth, ..)| *day >= birth);
            let not_future = today.map(|_| !is_future);
            [after_visits, after_birth, not_future].into_iter().flatten().collect()
        } else {
            let after_birth = birth.map(|(_, birth, ..)| *day >= birth);
            let is_visit = schema.key(&fields[*place].0.key).is_some_and(|key| key.scope != Scope::Document);
            let after_issue = issued.filter(|_| !is_visit).map(|(_, issue, ..)| *day >= issue);
            let not_future = is_visit.then_some(!is_future);
            [after_birth, after_issue, not_future].into_iter().flatten().collect()
        };
        if !compared.is_empty() {
            marks.push((*place, compared.iter().all(|agrees| *agrees)));
        }
    }
    for (place, agrees) in marks {
        mark(fields, &[place], if agrees { Feature::DatesAgree } else { Feature::DatesDiffer });
    }
    let age = fields.iter().position(|(field, _)| normaliser_of(field, schema) == Normaliser::Age);
    let reference = last_visit.or(issued.map(|(_, day, ..)| day)).or(today);
    if let (Some(age), Some((born, birth, ..)), Some(reference)) = (age, birth, reference)
        && let Value::Text(text) = &fields[age].0.value
        && let (Ok(stated), Some(years)) = (text.parse::<u32>(), years_between(birth, reference))
    {
        let agrees = stated.abs_diff(years) <= 1;
        mark(fields, &[age, born], if agrees { Feature::AgeAgrees } else { Feature::AgeDiffers });
    }
}
