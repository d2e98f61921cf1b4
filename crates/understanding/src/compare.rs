//! Compares two versions of an interpretation field by field.
//!
//! Within a run, a field keeps its id from version to version. Fields of two runs have different ids: there, fields
//! with the same key, visit and value are the same field, and the remaining fields of a key and visit are paired in
//! order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use super::value::CanonicalValue;
use super::{Field, Schema, VISIT_DATE};

/// How a field differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// Both sides have the same value. Their confidence may differ.
    Same,
    /// The value or the visit differs.
    Changed,
    /// Only the later side has the field.
    Added,
    /// Only the earlier side has the field.
    Removed,
}

impl Difference {
    /// All differences.
    pub const ALL: [Self; 4] = [Self::Same, Self::Changed, Self::Added, Self::Removed];

    /// The name that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A field on both sides. At least one side has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldComparison<'f> {
    /// How the sides differ.
    pub difference: Difference,
    /// The field on the earlier side.
    pub from: Option<&'f Field>,
    /// The field on the later side.
    pub to: Option<&'f Field>,
}

impl<'f> FieldComparison<'f> {
    /// The field on the later side, otherwise on the earlier one.
    pub fn field(&self) -> Option<&'f Field> {
        self.to.or(self.from)
    }
}

/// Compares two lists of fields. Each field is in exactly one comparison. The comparisons are in the order of the
/// schema's keys, then of the visits, then of the fields. The work grows as sorting the fields does.
pub fn compare<'f>(from: &'f [Field], to: &'f [Field], schema: &Schema) -> Vec<FieldComparison<'f>> {
    let sides = [ComparisonSide::of(from), ComparisonSide::of(to)];
    let mut rest = [(0..from.len()).collect(), (0..to.len()).collect()];
    let mut pairs = pair_by(&mut rest, |side, position| {
        let field = &sides[side].fields[position];
        (field.field_id, field.key.as_str())
    });
    pairs.extend(pair_by(&mut rest, |side, position| {
        let field = &sides[side].fields[position];
        (field.key.as_str(), sides[side].visit(field), field.canonical())
    }));
    pairs.extend(pair_by(&mut rest, |side, position| {
        let field = &sides[side].fields[position];
        (field.key.as_str(), sides[side].visit(field))
    }));
    let [removed, added] = rest;
    let mut positions: Vec<(Option<usize>, Option<usize>)> =
        pairs.into_iter().map(|(from, to)| (Some(from), Some(to))).collect();
    positions.extend(removed.into_iter().map(|position| (Some(position), None)));
    positions.extend(added.into_iter().map(|position| (None, Some(position))));

    let ranks: HashMap<&str, usize> =
        schema.keys.iter().enumerate().map(|(rank, key)| (key.key.as_str(), rank)).collect();
    // Fields of the later side keep its order; fields that only the earlier side has follow.
    positions.sort_by_cached_key(|(from, to)| {
        let (side, position) = to.map_or((0, from.unwrap_or_default()), |to| (1, to));
        let field = &sides[side].fields[position];
        let rank = ranks.get(field.key.as_str()).copied().unwrap_or(usize::MAX);
        (rank, field.key.as_str(), sides[side].visit(field), Reverse(side), position)
    });
    positions.into_iter().map(|(from, to)| comparison(&sides, from, to)).collect()
}

fn comparison<'f>(
    sides: &[ComparisonSide<'f>; 2],
    from: Option<usize>,
    to: Option<usize>,
) -> FieldComparison<'f> {
    let [earlier, later] = sides;
    let (from, to) =
        (from.map(|position| &earlier.fields[position]), to.map(|position| &later.fields[position]));
    let difference = match (from, to) {
        (Some(one), Some(other)) => {
            let is_there = one.visit_id == other.visit_id || earlier.visit(one) == later.visit(other);
            let (before, after) = (one.canonical(), other.canonical());
            if is_there && before == after { Difference::Same } else { Difference::Changed }
        }
        (None, _) => Difference::Added,
        (_, None) => Difference::Removed,
    };
    FieldComparison { difference, from, to }
}

/// Pairs the remaining fields of both sides that have the same key from `mark`, in order.
fn pair_by<M: Hash + Eq>(
    rest: &mut [Vec<usize>; 2],
    mark: impl Fn(usize, usize) -> M,
) -> Vec<(usize, usize)> {
    let mut waiting: HashMap<M, VecDeque<usize>> = HashMap::new();
    for position in &rest[1] {
        waiting.entry(mark(1, *position)).or_default().push_back(*position);
    }
    let mut pairs = Vec::new();
    rest[0].retain(|position| {
        let found = waiting.get_mut(&mark(0, *position)).and_then(VecDeque::pop_front);
        pairs.extend(found.map(|found| (*position, found)));
        found.is_none()
    });
    let mut left: Vec<usize> = waiting.into_values().flatten().collect();
    left.sort_unstable();
    rest[1] = left;
    pairs
}

/// Identifies a visit on both sides: by its date and its number among the visits of that date, or by its id if it has
/// no date. Ids number the visits of a run, so one more visit in the middle would shift all later ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum VisitName<'f> {
    None,
    Dated(&'f str, usize),
    Undated(&'f str),
}

impl Field {
    fn canonical(&self) -> CanonicalValue<'_> {
        self.value.canonical(self.value_type)
    }
}

/// One side, with the names of its visits.
pub(super) struct ComparisonSide<'f> {
    pub(super) fields: &'f [Field],
    visits: HashMap<&'f str, VisitName<'f>>,
}

impl<'f> ComparisonSide<'f> {
    pub(super) fn of(fields: &'f [Field]) -> Self {
        let mut visits = HashMap::new();
        let mut of_day: BTreeMap<&str, usize> = BTreeMap::new();
        for field in fields.iter().filter(|field| field.key == VISIT_DATE) {
            if let (Some(visit), super::Value::Text(day)) = (&field.visit_id, &field.value) {
                visits.entry(visit.as_str()).or_insert_with(|| {
                    let nth = of_day.entry(day.as_str()).or_default();
                    *nth += 1;
                    VisitName::Dated(day, *nth)
                });
            }
        }
        Self { fields, visits }
    }

    fn visit(&self, field: &'f Field) -> VisitName<'f> {
        self.visit_name(field.visit_id.as_deref())
    }

    /// The name of the visit with that id, which is the same in both versions if they mean the same visit.
    pub(super) fn visit_name<'n>(&self, visit: Option<&'n str>) -> VisitName<'n>
    where
        'f: 'n,
    {
        match visit {
            None => VisitName::None,
            Some(visit) => self.visits.get(visit).cloned().unwrap_or(VisitName::Undated(visit)),
        }
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
