//! Recognises the fields and visits of one version in a newer one.
//!
//! Versions of one run share the ids of their fields and visits. Two runs share none: there a field is recognised by its key
//! and visit and, if the key is repeatable, by its value; a visit is recognised by its date.

use quire_domain::ids::FieldId;

use crate::compare::ComparisonSide;
use crate::{Field, Schema, Value, ValueType, visits};

/// The version that a person edited and the version that is active now.
pub(super) struct Versions<'f> {
    base: ComparisonSide<'f>,
    active: ComparisonSide<'f>,
    is_same_run: bool,
    schema: &'f Schema,
}

impl<'f> Versions<'f> {
    pub(super) fn new(base: &'f [Field], active: &'f [Field], is_same_run: bool, schema: &'f Schema) -> Self {
        Self { base: ComparisonSide::of(base), active: ComparisonSide::of(active), is_same_run, schema }
    }

    pub(super) fn is_same_run(&self) -> bool {
        self.is_same_run
    }

    pub(super) fn is_repeatable(&self, key: &str) -> bool {
        self.schema.key(key).is_none_or(|key| key.repeatable)
    }

    /// The type of a new value: the requested one, else that of the schema.
    pub(super) fn value_type(&self, key: &str, requested: Option<ValueType>) -> ValueType {
        let of_schema = || self.schema.key(key).map(|key| key.value_type);
        requested.or_else(of_schema).unwrap_or(ValueType::String)
    }

    pub(super) fn base_field(&self, id: FieldId) -> Option<&'f Field> {
        self.base.fields.iter().find(|field| field.field_id == id)
    }

    /// The fields of the active version that satisfy a condition.
    pub(super) fn active_fields(&self, is_wanted: impl Fn(&Field) -> bool) -> Vec<&'f Field> {
        self.active.fields.iter().filter(|field| is_wanted(field)).collect()
    }

    pub(super) fn base_fields(&self, is_wanted: impl Fn(&Field) -> bool) -> Vec<&'f Field> {
        self.base.fields.iter().filter(|field| is_wanted(field)).collect()
    }

    /// The field with that id in the active version, which the base version does not know.
    pub(super) fn unknown_field(&self, id: FieldId) -> Option<&'f Field> {
        self.active.fields.iter().find(|field| self.is_same_run && field.field_id == id)
    }

    /// The field of the active version that a field of the base version has become; none if it was deleted.
    pub(super) fn active_field(&self, was: &Field) -> Option<&'f Field> {
        if self.is_same_run {
            return self.active.fields.iter().find(|field| field.field_id == was.field_id);
        }
        let is_repeatable = self.is_repeatable(&was.key);
        let has_value = |field: &Field| is_same_value(&was.value, &field.value, field.value_type);
        self.of_same_place(was).into_iter().find(|field| !is_repeatable || has_value(field))
    }

    /// The fields of the active version with the key and visit of a field of the base version.
    pub(super) fn of_same_place(&self, was: &Field) -> Vec<&'f Field> {
        let visit = self.base.visit_name(was.visit_id.as_deref());
        self.active_fields(|field| {
            field.key == was.key && self.active.visit_name(field.visit_id.as_deref()) == visit
        })
    }

    /// Whether a field of the active version is one that the base version did not have.
    pub(super) fn is_new(&self, field: &Field) -> bool {
        let visit = self.active.visit_name(field.visit_id.as_deref());
        let is_it = |was: &Field| {
            if self.is_same_run {
                return was.field_id == field.field_id;
            }
            was.key == field.key
                && self.base.visit_name(was.visit_id.as_deref()) == visit
                && is_same_value(&was.value, &field.value, field.value_type)
        };
        !self.base.fields.iter().any(is_it)
    }

    /// The ids of the visits of the active version. A visit with several fields is listed several times.
    pub(super) fn active_visits(&self) -> impl Iterator<Item = &'f str> {
        self.active.fields.iter().filter_map(|field| field.visit_id.as_deref())
    }

    pub(super) fn has_active_visit(&self, id: &str) -> bool {
        visits::visit_exists(self.active.fields, id)
    }

    /// The id that a visit of the base version has in the active version; none if it was deleted.
    pub(super) fn active_visit(&self, id: &str) -> Option<String> {
        if self.is_same_run || !visits::visit_exists(self.base.fields, id) {
            return self.has_active_visit(id).then(|| id.to_owned());
        }
        let name = self.base.visit_name(Some(id));
        self.active_visits().find(|other| self.active.visit_name(Some(other)) == name).map(str::to_owned)
    }

    /// Whether a visit of the active version is one that the base version did not have.
    pub(super) fn is_new_visit(&self, id: &str) -> bool {
        if self.is_same_run {
            return !visits::visit_exists(self.base.fields, id);
        }
        let name = self.active.visit_name(Some(id));
        let base = self.base.fields.iter().filter_map(|field| field.visit_id.as_deref());
        !base.into_iter().any(|was| self.base.visit_name(Some(was)) == name)
    }
}

/// Whether a person would call two values the same. Empty values are.
pub(super) fn is_same_value(one: &Value, other: &Value, value_type: ValueType) -> bool {
    (one.is_empty() && other.is_empty()) || one.is_same(other, value_type)
}
