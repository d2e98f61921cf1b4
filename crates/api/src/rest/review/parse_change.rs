//! Parses a change, as clients write an edit, member by member, so that an error names the wrong one.

use quire_domain::FieldId;
use quire_understanding::edit::entered_text::{RequestedEdit, TextEdit, TextTarget};
use quire_understanding::edit::{EditOperation, InvalidEdit, VisitAssignment};
use quire_understanding::{Value, ValueType};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

/// Changes of the largest batch.
pub(super) const MAX_CHANGES: usize = 500;

/// Members of a field in a response, beside the members of a change.
const FIELD_MEMBERS: [&str; 17] = [
    "key",
    "value",
    "value_type",
    "confidence",
    "candidate_confidence",
    "review_history_adjustment",
    "is_critical",
    "origin",
    "evidence",
    "candidate_suggestions",
    "mapping_id",
    "band",
    "field_candidate_confidence",
    "field_mapping_confidence",
    "field_review_history_adjustment",
    "context_key",
    "policy_version",
];
/// Characters of an unknown name in the error message.
const MAX_NAME: usize = 64;

/// The edit of a change, or the wrong member of the change.
pub(super) fn parse(index: usize, change: Json) -> Result<RequestedEdit, InvalidEdit> {
    let bad = |WrongMember(member, message)| InvalidEdit { index, member, message };
    match change {
        Json::Object(parts) => ChangeMembers(parts).parse().map_err(bad),
        _ => Err(bad(WrongMember("op", "must be in an object, such as {\"op\": \"UPDATE\", …}".to_owned()))),
    }
}

/// The edit as a client writes it. `parse` reads it back.
pub(super) fn to_json(edit: &EditOperation) -> Json {
    match edit {
        EditOperation::Add { key, value, value_type, visit_id } => {
            let mut change = json!({ "op": "ADD", "key": key, "value": value });
            set(&mut change, "value_type", value_type.map(ValueType::as_str));
            set(&mut change, "visit_id", visit_id.as_deref());
            change
        }
        EditOperation::Update { field, value, value_type, visit_id } => {
            let mut change = json!({ "op": "UPDATE", "field_id": field });
            if let Some(value) = value {
                change["value"] = json!(value);
            }
            set(&mut change, "value_type", value_type.map(ValueType::as_str));
            match visit_id {
                Some(VisitAssignment::To(visit)) => change["visit_id"] = json!(visit),
                Some(VisitAssignment::None) => change["visit_id"] = Json::Null,
                None => {}
            }
            change
        }
        EditOperation::Delete { field } => json!({ "op": "DELETE", "field_id": field }),
        EditOperation::Restore { field } => json!({ "op": "RESTORE", "field_id": field }),
        EditOperation::AddVisit { visit_id, metadata } => {
            let mut change = json!({ "op": "ADD", "visit": visit_json(metadata) });
            set(&mut change, "visit_id", visit_id.as_deref());
            change
        }
        EditOperation::UpdateVisit { visit_id, metadata } => {
            json!({ "op": "UPDATE", "visit_id": visit_id, "visit": visit_json(metadata) })
        }
        EditOperation::DeleteVisit { visit_id } => json!({ "op": "DELETE", "visit_id": visit_id }),
        EditOperation::RestoreVisit { visit_id } => json!({ "op": "RESTORE", "visit_id": visit_id }),
    }
}

fn set(change: &mut Json, member: &str, value: Option<&str>) {
    if let Some(value) = value {
        change[member] = json!(value);
    }
}

fn visit_json(metadata: &[(String, Value)]) -> Json {
    metadata.iter().map(|(key, value)| (key.clone(), json!(value))).collect()
}

struct WrongMember(&'static str, String);

fn wrong<T>(member: &'static str, message: &str) -> Result<T, WrongMember> {
    Err(WrongMember(member, message.to_owned()))
}

struct ChangeMembers(Map<String, Json>);

impl ChangeMembers {
    fn parse(&self) -> Result<RequestedEdit, WrongMember> {
        let is_visit = self.is_about_a_visit()?;
        self.only_known(is_visit)?;
        match (self.entered_text()?, self.0.get("op").and_then(Json::as_str)) {
            (Some((text, keep)), Some("ADD")) => {
                let target = TextTarget::New { key: self.key()?, visit_id: self.visit_id()? };
                Ok(RequestedEdit::Text(TextEdit { target, text, keep }))
            }
            (Some((text, keep)), Some("UPDATE")) => {
                let target = TextTarget::Field { field: self.field_id()?, visit_id: self.assignment()? };
                Ok(RequestedEdit::Text(TextEdit { target, text, keep }))
            }
            _ => self.edit(is_visit).map(RequestedEdit::Value),
        }
    }

    /// The text that a person typed, and whether they insist on it.
    fn entered_text(&self) -> Result<Option<(String, bool)>, WrongMember> {
        let keep = match self.0.get("keep") {
            None | Some(Json::Null) => false,
            Some(Json::Bool(keep)) => *keep,
            Some(_) => return wrong("keep", "must be true or false"),
        };
        let text = match self.0.get("text") {
            None if self.0.contains_key("keep") => return wrong("keep", "only stands beside `text`"),
            None => return Ok(None),
            Some(Json::String(text)) => text.clone(),
            Some(_) => return wrong("text", "must be text"),
        };
        match ["value", "value_type"].into_iter().find(|member| self.0.contains_key(*member)) {
            Some(_) => wrong("text", "must stand alone; `value` and `value_type` say the same"),
            None => Ok(Some((text, keep))),
        }
    }

    fn edit(&self, is_visit: bool) -> Result<EditOperation, WrongMember> {
        match (self.0.get("op").and_then(Json::as_str), is_visit) {
            (Some("ADD"), false) => Ok(EditOperation::Add {
                key: self.key()?,
                value: self.value()?.map_or_else(|| wrong("value", "is missing"), Ok)?,
                value_type: self.value_type()?,
                visit_id: self.visit_id()?,
            }),
            (Some("UPDATE"), false) => {
                let (field, value, visit_id) = (self.field_id()?, self.value()?, self.assignment()?);
                if value.is_none() && (visit_id.is_none() || self.0.contains_key("value_type")) {
                    return wrong("value", "is missing");
                }
                Ok(EditOperation::Update { field, value, value_type: self.value_type()?, visit_id })
            }
            (Some("DELETE"), false) => Ok(EditOperation::Delete { field: self.field_id()? }),
            (Some("RESTORE"), false) => Ok(EditOperation::Restore { field: self.field_id()? }),
            (Some("ADD"), true) => {
                Ok(EditOperation::AddVisit { visit_id: self.visit_id()?, metadata: self.visit()? })
            }
            (Some("UPDATE"), true) => {
                Ok(EditOperation::UpdateVisit { visit_id: self.named_visit()?, metadata: self.visit()? })
            }
            (Some("DELETE"), true) => Ok(EditOperation::DeleteVisit { visit_id: self.named_visit()? }),
            (Some("RESTORE"), true) => Ok(EditOperation::RestoreVisit { visit_id: self.named_visit()? }),
            _ => wrong("op", "must be ADD, UPDATE, DELETE or RESTORE"),
        }
    }

    /// Whether the change is about a whole visit. No other member may stand beside it: a typing error must not delete a visit
    /// instead of a field.
    fn is_about_a_visit(&self) -> Result<bool, WrongMember> {
        let has = |name: &str| self.0.contains_key(name);
        let is_visit = has("visit") || (has("visit_id") && !has("field_id") && !has("key"));
        let stranger = self.0.keys().find(|name| !["op", "visit_id", "visit"].contains(&name.as_str()));
        match stranger {
            Some(_) if is_visit => wrong("visit_id", "names a visit; only `visit` may stand beside it"),
            _ => Ok(is_visit),
        }
    }

    /// Refuses unknown members. A client may send a field back as it received it, so the other members of a field are ignored.
    fn only_known(&self, is_visit: bool) -> Result<(), WrongMember> {
        let known: &[&str] = match (self.0.get("op").and_then(Json::as_str), is_visit) {
            (Some("ADD"), false) => &["op", "key", "value", "value_type", "text", "keep", "visit_id"],
            (Some("UPDATE"), false) => &["op", "field_id", "value", "value_type", "text", "keep", "visit_id"],
            (Some("DELETE" | "RESTORE"), false) => &["op", "field_id"],
            (Some("ADD" | "UPDATE"), true) => &["op", "visit_id", "visit"],
            (Some("DELETE" | "RESTORE"), true) => &["op", "visit_id"],
            // The `op` is wrong, and reported elsewhere.
            _ => return Ok(()),
        };
        let is_ignored = |part: &str| !is_visit && FIELD_MEMBERS.contains(&part);
        match self.0.keys().find(|part| !known.contains(&part.as_str()) && !is_ignored(part)) {
            Some(part) => {
                let part: String = part.chars().take(MAX_NAME).collect();
                wrong("unknown_member", &format!("{part} is unknown; known members are {}", known.join(", ")))
            }
            None => Ok(()),
        }
    }

    fn key(&self) -> Result<String, WrongMember> {
        let key = self.0.get("key").and_then(Json::as_str).map(str::to_owned);
        key.map_or_else(|| wrong("key", "must be the name of a key, such as pet_name"), Ok)
    }

    fn field_id(&self) -> Result<FieldId, WrongMember> {
        let id = self.0.get("field_id").and_then(Json::as_str);
        let id = id.and_then(|text| Uuid::parse_str(text).ok().filter(|id| id.to_string() == text));
        id.map_or_else(|| wrong("field_id", "must be the field_id of a field"), |id| Ok(FieldId(id)))
    }

    fn value(&self) -> Result<Option<Value>, WrongMember> {
        let value = self.0.get("value").map(|value| value_of(value, "value"));
        value.transpose()
    }

    fn value_type(&self) -> Result<Option<ValueType>, WrongMember> {
        let Some(given) = self.0.get("value_type").filter(|given| !given.is_null()) else { return Ok(None) };
        let known = given.as_str().and_then(ValueType::parse);
        known.map_or_else(|| wrong("value_type", &must_be_a_type()), |known| Ok(Some(known)))
    }

    /// The visit, if it is given; null is no visit.
    fn assignment(&self) -> Result<Option<VisitAssignment>, WrongMember> {
        match self.0.get("visit_id") {
            None => Ok(None),
            Some(Json::Null) => Ok(Some(VisitAssignment::None)),
            Some(Json::String(id)) => Ok(Some(VisitAssignment::To(id.clone()))),
            Some(_) => wrong("visit_id", "must be the visit_id of a visit, or null"),
        }
    }

    /// The visit that is named, if any.
    fn visit_id(&self) -> Result<Option<String>, WrongMember> {
        Ok(self.assignment()?.and_then(|assignment| match assignment {
            VisitAssignment::To(id) => Some(id),
            VisitAssignment::None => None,
        }))
    }

    fn named_visit(&self) -> Result<String, WrongMember> {
        self.visit_id()?.map_or_else(|| wrong("visit_id", "must be the visit_id of a visit"), Ok)
    }

    fn visit(&self) -> Result<Vec<(String, Value)>, WrongMember> {
        let Some(Json::Object(members)) = self.0.get("visit") else {
            return wrong("visit", "must be an object, such as {\"visit_date\": \"2024-02-01\"}");
        };
        members.iter().map(|(key, value)| Ok((key.clone(), value_of(value, "visit")?))).collect()
    }
}

fn must_be_a_type() -> String {
    let names = ValueType::ALL.map(ValueType::as_str);
    format!("must be one of {}", names.join(", "))
}

fn value_of(value: &Json, member: &'static str) -> Result<Value, WrongMember> {
    serde_json::from_value(value.clone())
        .map_err(|error| WrongMember(member, format!("is not valid: {error}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Proves R122 for the form of a change.
    #[test]
    fn each_wrong_member_is_named() {
        let id = FieldId::new().to_string();
        for (change, member) in [
            (json!(7), "op"),
            (json!({}), "op"),
            (json!({ "op": "add", "key": "notes", "value": "x" }), "op"),
            (json!({ "op": "ADD", "value": "x" }), "key"),
            (json!({ "op": "ADD", "key": 7, "value": "x" }), "key"),
            (json!({ "op": "ADD", "key": "notes" }), "value"),
            (json!({ "op": "ADD", "key": "notes", "value": {} }), "value"),
            (json!({ "op": "ADD", "key": "notes", "value": [7] }), "value"),
            (json!({ "op": "ADD", "key": "notes", "value": "x", "value_type": "text" }), "value_type"),
            (json!({ "op": "ADD", "key": "notes", "value": "x", "visit_id": 7 }), "visit_id"),
            (json!({ "op": "UPDATE", "value": "x" }), "field_id"),
            (json!({ "op": "UPDATE", "field_id": id.to_uppercase(), "value": "x" }), "field_id"),
            (json!({ "op": "UPDATE", "field_id": id }), "value"),
            (json!({ "op": "ADD", "key": "notes", "text": 7 }), "text"),
            (json!({ "op": "ADD", "key": "notes", "text": "x", "value": "x" }), "text"),
            (json!({ "op": "ADD", "key": "notes", "text": "x", "keep": 1 }), "keep"),
            (json!({ "op": "ADD", "key": "notes", "value": "x", "keep": true }), "keep"),
            (json!({ "op": "UPDATE", "text": "x" }), "field_id"),
            (json!({ "op": "DELETE", "field_id": id, "text": "x" }), "unknown_member"),
            (json!({ "op": "DELETE" }), "field_id"),
            (json!({ "op": "RESTORE" }), "field_id"),
            (json!({ "op": "RESTORE", "visit_id": 7 }), "visit_id"),
            (json!({ "op": "RESTORE", "field_id": id, "reason": "x" }), "unknown_member"),
            (json!({ "op": "DELETE", "visit_id": null }), "visit_id"),
            (json!({ "op": "DELETE", "visit_id": "visit-1", "fieldId": id }), "visit_id"),
            (json!({ "op": "DELETE", "visit_id": "visit-1", "visit": {}, "field_id": id }), "visit_id"),
            (json!({ "op": "ADD", "visit": 7 }), "visit"),
            (json!({ "op": "UPDATE", "visit": {} }), "visit_id"),
            (json!({ "op": "UPDATE", "field_id": id, "visit_id": null, "value_type": "date" }), "value"),
            (json!({ "op": "UPDATE", "field_id": id, "valeu": "x" }), "unknown_member"),
            (json!({ "op": "DELETE", "visit_id": "visit-1", "visit": {} }), "unknown_member"),
            (json!({ "op": "DELETE", "field_id": id, "reason": "x" }), "unknown_member"),
        ] {
            let refused = parse(4, change.clone()).unwrap_err();
            assert_eq!((refused.index, refused.member), (4, member), "{change}");
        }
        for good in [
            json!({ "op": "ADD", "key": "notes", "value": null }),
            json!({ "op": "UPDATE", "field_id": id, "visit_id": null }),
            json!({ "op": "DELETE", "visit_id": "visit-1" }),
            json!({ "op": "UPDATE", "field_id": id, "key": "notes", "value": "x", "origin": "human", "is_critical": true }),
            json!({ "op": "ADD", "visit": { "visit_date": "2024-02-01" } }),
            json!({ "op": "ADD", "key": "notes", "text": "" }),
            json!({ "op": "UPDATE", "field_id": id, "text": "1.234", "keep": true, "visit_id": null }),
        ] {
            assert!(parse(0, good.clone()).is_ok(), "{good}");
        }
    }

    #[test]
    fn the_refusal_of_a_type_lists_every_type_that_is_accepted() {
        let change =
            |value_type| json!({ "op": "ADD", "key": "notes", "value": "x", "value_type": value_type });
        let refused = parse(0, change("text")).unwrap_err();
        assert_eq!(refused.message, "must be one of string, date, number, boolean, table, unknown");
        for kind in ValueType::ALL {
            assert!(parse(0, change(kind.as_str())).is_ok(), "{kind:?}");
        }
    }

    #[test]
    fn a_written_change_is_read_back() {
        let field = FieldId::new();
        let text = || Value::Text("x".to_owned());
        let visit = || "visit-1".to_owned();
        let update =
            |value, value_type, visit_id| EditOperation::Update { field, value, value_type, visit_id };
        for edit in [
            EditOperation::Add { key: "notes".to_owned(), value: text(), value_type: None, visit_id: None },
            EditOperation::Add {
                key: "notes".to_owned(),
                value: Value::Null,
                value_type: Some(ValueType::Date),
                visit_id: Some(visit()),
            },
            update(Some(Value::Number(4.5)), Some(ValueType::Number), None),
            update(Some(Value::Null), None, Some(VisitAssignment::None)),
            update(None, None, Some(VisitAssignment::To(visit()))),
            EditOperation::Delete { field },
            EditOperation::Restore { field },
            EditOperation::RestoreVisit { visit_id: visit() },
            EditOperation::AddVisit { visit_id: None, metadata: vec![("visit_date".to_owned(), text())] },
            EditOperation::AddVisit { visit_id: Some(visit()), metadata: Vec::new() },
            EditOperation::UpdateVisit {
                visit_id: visit(),
                metadata: vec![("visit_date".to_owned(), Value::Null)],
            },
            EditOperation::DeleteVisit { visit_id: visit() },
        ] {
            assert_eq!(parse(0, to_json(&edit)), Ok(RequestedEdit::Value(edit)));
        }
    }

    proptest! {
        #[test]
        fn any_input_is_parsed_or_refused(
            op in prop::sample::select(vec!["ADD", "UPDATE", "DELETE", "RESTORE", "x"]),
            part in prop::sample::select(vec!["key", "value", "value_type", "field_id", "visit_id", "visit"]),
            text in any::<String>(),
            number in any::<f64>(),
        ) {
            let _ = parse(0, json!({ "op": op, part: text }));
            let _ = parse(0, json!({ "op": op, part: number, "visit": { "visit_date": number } }));
        }
    }
}
