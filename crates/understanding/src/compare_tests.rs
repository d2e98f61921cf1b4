//! Comparison of versions.

use proptest::prelude::*;

use super::Difference::{Added, Changed, Removed, Same};
use super::*;
use crate::{Origin, Value, ValueType};
use quire_domain::ids::FieldId;

fn field(key: &str, value: &str, visit_id: Option<&str>) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66);
    Field { visit_id: visit_id.map(str::to_owned), ..field }
}

/// The same fields with new ids, as another run finds them.
fn found_again(fields: &[Field]) -> Vec<Field> {
    fields.iter().map(|field| Field { field_id: FieldId::new(), ..field.clone() }).collect()
}

fn rows<'f>(
    from: &'f [Field],
    to: &'f [Field],
) -> Vec<(&'f str, Difference, Option<&'f Value>, Option<&'f Value>)> {
    let rows = compare(from, to, &Schema::built_in_default());
    let tell = |row: FieldComparison<'f>| {
        let key = row.field().unwrap().key.as_str();
        (key, row.difference, row.from.map(|field| &field.value), row.to.map(|field| &field.value))
    };
    rows.into_iter().map(tell).collect()
}

#[test]
fn an_edit_shows_as_changes_in_the_order_of_the_schema() {
    let before =
        [field("notes", "nada", None), field("pet_name", "Luna", None), field("species", "canino", None)];
    let mut after = before.to_vec();
    after.remove(0);
    after[0].value = Value::Text("Lola".into());
    after[1].value = Value::Text(" canino ".into());
    after.extend([field("zz_unknown", "x", None), field("breed", "Beagle", None)]);
    let texts =
        ["Luna", "Lola", "canino", " canino ", "Beagle", "nada", "x"].map(|text| Value::Text(text.into()));
    let [luna, lola, canino, spaced, beagle, nada, x] = &texts;
    assert_eq!(
        rows(&before, &after),
        [
            ("pet_name", Changed, Some(luna), Some(lola)),
            ("species", Same, Some(canino), Some(spaced)),
            ("breed", Added, None, Some(beagle)),
            ("notes", Removed, Some(nada), None),
            ("zz_unknown", Added, None, Some(x)),
        ]
    );
}

#[test]
fn a_field_that_is_moved_to_another_visit_has_changed() {
    let before = [field("visit_date", "2024-01-01", Some("a")), field("diagnosis", "otitis", Some("a"))];
    let mut after = before.to_vec();
    after[1].visit_id = None;
    let differences: Vec<_> = rows(&before, &after).into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(differences, [("visit_date", Same), ("diagnosis", Changed)]);
}

#[test]
fn runs_are_compared_by_values_and_an_added_visit_shifts_no_other() {
    let before = [
        field("visit_date", "2024-02-01", Some("visit-001")),
        field("diagnosis", "otitis", Some("visit-001")),
        field("diagnosis", "conjuntivitis", Some("visit-001")),
    ];
    let mut after = found_again(&before);
    for field in &mut after {
        field.visit_id = Some("visit-002".to_owned());
    }
    // The two fields swap positions, and one of them changes its value.
    after.swap(1, 2);
    after[2].value = Value::Text("otitis externa".into());
    after.insert(0, field("visit_date", "2024-01-01", Some("visit-001")));
    let differences: Vec<_> = rows(&before, &after).into_iter().map(|row| (row.0, row.1)).collect();
    assert_eq!(
        differences,
        [("visit_date", Added), ("visit_date", Same), ("diagnosis", Same), ("diagnosis", Changed)]
    );
}

/// Lists of a few keys, visits and values, so that many occur more than once.
fn fields() -> impl Strategy<Value = Vec<Field>> {
    let key = prop::sample::select(vec!["pet_name", "diagnosis", "visit_date", "weight", "unheard_of"]);
    let visit = prop::option::of(prop::sample::select(vec!["visit-001", "visit-002", "b"]));
    let value = prop_oneof![
        prop::sample::select(vec!["2024-01-01", "x", " x", "y"])
            .prop_map(|text| Value::Text(text.to_owned())),
        Just(Value::Null),
        (0..3u8).prop_map(|number| Value::Number(f64::from(number))),
    ];
    let kind = prop::sample::select(ValueType::ALL.to_vec());
    let one = (key, visit, value, kind, 0..8u128);
    let field = one.prop_map(|(key, visit, value, kind, id)| {
        let field = Field::new(key, value, kind, Origin::Machine, 0.5);
        Field { field_id: FieldId(uuid::Uuid::from_u128(id)), visit_id: visit.map(str::to_owned), ..field }
    });
    prop::collection::vec(field, 0..12)
}

/// The indexes of these fields in their list.
fn positions<'f>(fields: impl Iterator<Item = &'f Field>, of: &[Field]) -> Vec<usize> {
    let position = |field: &Field| of.iter().position(|one| std::ptr::eq(one, field)).unwrap();
    let mut positions: Vec<_> = fields.map(position).collect();
    positions.sort_unstable();
    positions
}

proptest! {
    #[test]
    fn a_version_compared_with_itself_has_no_differences(fields in fields()) {
        let schema = Schema::built_in_default();
        prop_assert!(compare(&fields, &fields, &schema).iter().all(|row| row.difference == Same));
        let again = found_again(&fields);
        prop_assert!(compare(&fields, &again, &schema).iter().all(|row| row.difference == Same));
    }

    #[test]
    fn every_field_of_both_sides_is_in_one_comparison(from in fields(), to in fields()) {
        let rows = compare(&from, &to, &Schema::built_in_default());
        prop_assert_eq!(positions(rows.iter().filter_map(|row| row.from), &from), (0..from.len()).collect::<Vec<_>>());
        prop_assert_eq!(positions(rows.iter().filter_map(|row| row.to), &to), (0..to.len()).collect::<Vec<_>>());
        for row in rows {
            let expected = match row.difference {
                Same | Changed => (true, true),
                Added => (false, true),
                Removed => (true, false),
            };
            prop_assert_eq!((row.from.is_some(), row.to.is_some()), expected);
        }
    }

    #[test]
    fn swapping_the_sides_swaps_added_and_removed(from in fields(), to in fields()) {
        let schema = Schema::built_in_default();
        let mark = |difference, from: Option<&Field>, to: Option<&Field>| {
            (difference, from.map(std::ptr::from_ref), to.map(std::ptr::from_ref))
        };
        let mut there: Vec<_> = compare(&from, &to, &schema)
            .into_iter()
            .map(|row| mark(row.difference, row.from, row.to))
            .collect();
        let mut back: Vec<_> = compare(&to, &from, &schema)
            .into_iter()
            .map(|row| {
                let turned = match row.difference { Added => Removed, Removed => Added, other => other };
                mark(turned, row.to, row.from)
            })
            .collect();
        there.sort_unstable();
        back.sort_unstable();
        prop_assert_eq!(there, back);
    }
}
