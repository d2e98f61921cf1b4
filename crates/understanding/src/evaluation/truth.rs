//! The right values of a document, as people write them into a file.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::Value;

/// The right values of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// The values of each key. A key without values must have none.
    pub keys: BTreeMap<String, TrueKey>,
    /// The visits; none if the file says nothing about visits. The fields of visits then count for the document.
    pub visits: Option<Vec<TrueVisit>>,
    /// Items of visits that may be found or not.
    pub optional_items: Vec<OptionalItem>,
}

/// An item of visits that counts as neither right nor wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionalItem {
    /// Its key; none if it may be the value of any key.
    pub key: Option<String>,
    /// The item.
    pub value: Value,
}

/// The right values of one key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrueKey {
    /// The values. A key that is not repeatable has one.
    pub values: Vec<Value>,
    /// Other spellings that are right too.
    pub accepted: Vec<Value>,
    /// The pages that show the value, from 1. Empty if the file does not say.
    pub pages: Vec<u32>,
}

/// A visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrueVisit {
    /// The date, as `YYYY-MM-DD`.
    pub date: String,
    /// The values of each key.
    pub items: BTreeMap<String, Vec<Value>>,
}

impl Truth {
    /// Reads a truth file: an object with a value or a list of values for each key, or an object with the members `fields`,
    /// `accept`, `evidence_page`, `evidence_pages`, `visits` and `optional_items`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))?;
        let Json::Object(members) = &json else { return Err("must be an object".to_owned()) };
        let nested = members.get("fields").and_then(Json::as_object);
        let mut keys = BTreeMap::new();
        for (key, value) in nested.unwrap_or(members) {
            let values = values(value).ok_or_else(|| format!("{key} must be a value or a list of values"))?;
            keys.insert(key.clone(), TrueKey { values, ..TrueKey::default() });
        }
        let mut truth = Self { keys, ..Self::default() };
        if nested.is_some() {
            truth.add_members(members)?;
        }
        Ok(truth)
    }

    fn add_members(&mut self, members: &serde_json::Map<String, Json>) -> Result<(), String> {
        let member = |name: &str| members.get(name).and_then(Json::as_object).into_iter().flatten();
        for (key, accepted) in member("accept") {
            let accepted =
                values(accepted).ok_or_else(|| format!("accept.{key} must be a list of values"))?;
            self.keys.entry(key.clone()).or_default().accepted = accepted;
        }
        for (key, pages) in member("evidence_page").chain(member("evidence_pages")) {
            let pages = match pages {
                Json::Array(pages) => pages.iter().filter_map(Json::as_u64).collect(),
                page => page.as_u64().into_iter().collect::<Vec<u64>>(),
            };
            if let Some(known) = self.keys.get_mut(key) {
                known.pages.extend(pages.into_iter().filter_map(|page| u32::try_from(page).ok()));
            }
        }
        if let Some(visits) = members.get("visits") {
            let visits = visits.as_array().ok_or("visits must be a list")?;
            self.visits = Some(visits.iter().map(visit).collect::<Result<_, _>>()?);
        }
        if let Some(items) = members.get("optional_items") {
            self.optional_items = optional_items(items)?;
        }
        Ok(())
    }
}

/// Optional items: a list for each key, or one list for any key.
fn optional_items(json: &Json) -> Result<Vec<OptionalItem>, String> {
    let Json::Object(keys) = json else { return items_of_key(None, json) };
    let items: Vec<Vec<OptionalItem>> =
        keys.iter().map(|(key, json)| items_of_key(Some(key), json)).collect::<Result<_, String>>()?;
    Ok(items.concat())
}

fn items_of_key(key: Option<&String>, json: &Json) -> Result<Vec<OptionalItem>, String> {
    let values = values(json).ok_or("optional_items must be a list of values, or one for each key")?;
    Ok(values.into_iter().map(|value| OptionalItem { key: key.cloned(), value }).collect())
}

fn visit(json: &Json) -> Result<TrueVisit, String> {
    let date = json.get("visit_date").and_then(Json::as_str).ok_or("a visit has no visit_date")?;
    let mut items = BTreeMap::new();
    for (key, value) in json.get("fields").and_then(Json::as_object).into_iter().flatten() {
        let values =
            values(value).ok_or_else(|| format!("{key} of the visit {date} must be a list of values"))?;
        items.insert(key.clone(), values);
    }
    Ok(TrueVisit { date: date.to_owned(), items })
}

/// A value as a list of one, a list as it is, null as none.
fn values(json: &Json) -> Option<Vec<Value>> {
    match json {
        // A list of objects is a table.
        Json::Array(list) if !list.is_empty() && list.iter().all(Json::is_object) => {
            serde_json::from_value(json.clone()).ok().map(|table| vec![table])
        }
        Json::Array(list) => list.iter().map(value).collect::<Option<Vec<_>>>(),
        json => Some(vec![value(json)?]),
    }
    .map(|values| values.into_iter().filter(|value| !value.is_empty()).collect())
}

fn value(json: &Json) -> Option<Value> {
    match json {
        Json::Null => Some(Value::Null),
        Json::Bool(flag) => Some(Value::Bool(*flag)),
        Json::Number(number) => number.as_f64().map(Value::Number),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Array(_) | Json::Object(_) => None,
    }
}
