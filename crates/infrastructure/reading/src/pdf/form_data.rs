//! Reads the fields of a PDF form (`AcroForm`) as data: the name of each field and its value, whether or not a page shows it.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use quire_domain::reading::{DataValue, EmbeddedData};

use super::form_fields::{PASSWORD, PUSH_BUTTON, decode, text_of};
use crate::einvoice::{MAX_VALUE_CHARS, MAX_VALUES};

/// The most nodes of the tree of fields that are looked at, and how deep it may be.
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 32;
/// The longest name of a field, in characters.
const MAX_NAME: usize = 300;
/// Fields can share a value through their parents, so a small file could produce a huge text.
const MAX_CHARACTERS: usize = 200_000;

/// The named fields of the form with their values, in the order of the file. `None` if no field has a value.
pub(super) fn form_data(pdf: &Pdf) -> Option<EmbeddedData> {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
    let fields = catalog.get::<Dict<'_>>("AcroForm")?.get::<Array<'_>>("Fields")?;
    let mut waiting: Vec<Node<'_>> = Vec::new();
    push_kids(&mut waiting, &fields, &Node::default());
    let (mut values, mut visited, mut characters) = (Vec::new(), 0, 0);
    while let Some(node) = waiting.pop().filter(|_| visited < MAX_NODES && values.len() < MAX_VALUES) {
        visited += 1;
        let kids = node.field.get::<Array<'_>>("Kids").filter(|_| node.depth < MAX_DEPTH);
        // A kid without a name is a place where the field is shown, not a field.
        let has_fields = kids.as_ref().is_some_and(|kids| {
            kids.iter::<Dict<'_>>().take(MAX_NODES - visited).any(|kid| kid.contains_key("T"))
        });
        if let Some(kids) = kids.filter(|_| has_fields) {
            push_kids(&mut waiting, &kids, &node);
        } else if let Some(value) = node.value() {
            characters += value.text.len() + value.term.len();
            if characters > MAX_CHARACTERS {
                break;
            }
            values.push(value);
        }
    }
    let syntax = EmbeddedData::FORM.to_owned();
    (!values.is_empty()).then(|| EmbeddedData { syntax, values, ..EmbeddedData::default() })
}

/// A field, or a group of fields, with what it has from its parents.
#[derive(Clone, Default)]
struct Node<'a> {
    field: Dict<'a>,
    name: String,
    kind: Option<Name<'a>>,
    flags: u32,
    value: Option<Object<'a>>,
    depth: usize,
}

/// Adds the kids of a node, so that the first one is looked at next.
fn push_kids<'a>(waiting: &mut Vec<Node<'a>>, kids: &Array<'a>, parent: &Node<'a>) {
    let kids: Vec<Dict<'a>> = kids.iter::<Dict<'a>>().take(MAX_NODES.saturating_sub(waiting.len())).collect();
    for field in kids.into_iter().rev() {
        let own = field.get::<PdfString<'a>>("T").map(|name| decode(name.as_bytes())).unwrap_or_default();
        let name = match (parent.name.as_str(), own.as_str()) {
            (parent, "") => parent.to_owned(),
            ("", own) => own.to_owned(),
            (parent, own) => format!("{parent}.{own}"),
        };
        waiting.push(Node {
            name: name.chars().take(MAX_NAME).collect(),
            kind: field.get::<Name<'a>>("FT").or_else(|| parent.kind.clone()),
            flags: field.get::<u32>("Ff").unwrap_or(parent.flags),
            value: field.get::<Object<'a>>("V").or_else(|| parent.value.clone()),
            depth: parent.depth + 1,
            field,
        });
    }
}

impl Node<'_> {
    /// The name and value of a field. `None` for a field that has neither, and for buttons, signatures and passwords.
    fn value(&self) -> Option<DataValue> {
        let text = match self.kind.as_ref()?.as_ref() {
            b"Tx" | b"Ch" if self.flags & PASSWORD == 0 => text_of(self.value.clone()?)?,
            b"Btn" if self.flags & PUSH_BUTTON == 0 => self.state()?,
            _ => return None,
        };
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() || self.name.is_empty() {
            return None;
        }
        let label = self.field.get::<PdfString<'_>>("TU").map(|label| decode(label.as_bytes()));
        let label = label.map(|label| label.split_whitespace().collect::<Vec<_>>().join(" "));
        let path = match label.filter(|label| !label.is_empty()) {
            Some(label) => format!("{} ({label})", self.name),
            None => self.name.clone(),
        };
        let limited = |text: String| text.chars().take(MAX_VALUE_CHARS).collect::<String>();
        Some(DataValue { term: self.name.clone(), text: limited(text), path: limited(path), group: 0 })
    }

    /// The state of a checkbox or of a group of radio buttons: `Off`, or what the chosen one stands for.
    fn state(&self) -> Option<String> {
        let chosen = match &self.value {
            Some(Object::Name(name)) => Some(name.clone()),
            Some(_) => None,
            None => self.field.get::<Name<'_>>("AS"),
        };
        chosen.map(|name| decode(name.as_ref()))
    }
}

#[cfg(test)]
#[path = "form_data_tests.rs"]
mod tests;
