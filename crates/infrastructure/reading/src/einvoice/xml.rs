//! Parses XML of a known vocabulary into a small tree.
//!
//! Document types, entities and external references are refused, and size, depth and number of elements are limited, so that
//! no file takes more memory than a few times its size.

use encoding_rs::Encoding;
use quick_xml::NsReader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quire_domain::reading::DATA_NAMESPACES;

/// The largest file, in bytes.
pub(crate) const MAX_BYTES: usize = 20 << 20;
const MAX_DEPTH: usize = 64;
const MAX_ELEMENTS: usize = 200_000;
/// The attributes that are kept.
const ATTRIBUTES: [&str; 4] = ["schemeID", "currencyID", "unitCode", "format"];

/// Why a file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The messages are the documentation.
pub enum XmlError {
    #[error("its encoding is wrong")]
    Encoding,
    #[error("it is not well-formed XML")]
    NotWellFormed,
    #[error("it has a document type or an entity of its own, which are refused")]
    Entities,
    #[error("it is larger than the limit of {} MB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("it has more than {MAX_ELEMENTS} elements, or more than {MAX_DEPTH} inside each other")]
    TooManyElements,
    #[error("its root element is of an unknown namespace")]
    Namespace,
}

/// An element, without its prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) text: String,
    attributes: Vec<(&'static str, String)>,
    pub(crate) children: Vec<Element>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

/// Parses a file.
pub(crate) fn parse(content: &[u8]) -> Result<Element, XmlError> {
    if content.len() > MAX_BYTES {
        return Err(XmlError::TooLarge);
    }
    let text = decode(content)?;
    let mut reader = NsReader::from_str(&text);
    let mut tree = Tree::default();
    loop {
        let (namespace, event) = reader.read_resolved_event().map_err(|_| XmlError::NotWellFormed)?;
        match event {
            Event::Start(element) => tree.open(&element, is_known(&namespace))?,
            Event::Empty(element) => {
                tree.open(&element, is_known(&namespace))?;
                tree.close()?;
            }
            Event::End(_) => tree.close()?,
            Event::Text(text) => tree.text(&text)?,
            Event::CData(text) => tree.text(&text.into_inner())?,
            Event::GeneralRef(reference) => {
                tree.text(resolve_entity(&reference)?.encode_utf8(&mut [0; 4]))?;
            }
            Event::DocType(_) => return Err(XmlError::Entities),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    tree.finish()
}

/// Decodes by the byte order mark, else by the declaration, else as UTF-8. A declaration of UTF-16 in bytes that are not
/// UTF-16 is ignored.
fn decode(content: &[u8]) -> Result<String, XmlError> {
    let encoding = match content {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => encoding_rs::UTF_16LE,
        [0xfe, 0xff, ..] | [0, b'<', ..] => encoding_rs::UTF_16BE,
        _ => declared(content)
            .filter(|encoding| *encoding != encoding_rs::UTF_16LE && *encoding != encoding_rs::UTF_16BE)
            .unwrap_or(encoding_rs::UTF_8),
    };
    let (text, _, has_errors) = encoding.decode(content);
    if has_errors { Err(XmlError::Encoding) } else { Ok(text.into_owned()) }
}

fn declared(content: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&content[..content.len().min(200)]).into_owned();
    let declaration =
        head.trim_start_matches('\u{FEFF}').strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
}

/// Elements of other vocabularies are skipped.
fn is_known(namespace: &ResolveResult<'_>) -> bool {
    let ResolveResult::Bound(Namespace(name)) = namespace else { return false };
    DATA_NAMESPACES.iter().any(|known| name.starts_with(known))
}

/// Resolves the five predefined entities of XML and numeric references.
fn resolve_entity(reference: &BytesRef<'_>) -> Result<char, XmlError> {
    match &**reference {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "apos" => Ok('\''),
        "quot" => Ok('"'),
        _ => reference.resolve_char_ref().ok().flatten().ok_or(XmlError::Entities),
    }
}

/// The open elements, from the root on, and the root once it is closed.
#[derive(Default)]
struct Tree {
    /// `None` for an element that is skipped.
    open: Vec<Option<Element>>,
    root: Option<Element>,
    elements: usize,
}

impl Tree {
    fn open(&mut self, element: &BytesStart<'_>, is_known: bool) -> Result<(), XmlError> {
        self.elements += 1;
        if self.open.len() == MAX_DEPTH || self.elements > MAX_ELEMENTS {
            return Err(XmlError::TooManyElements);
        }
        let is_root = self.open.is_empty();
        if is_root && self.root.is_some() {
            return Err(XmlError::NotWellFormed);
        }
        if is_root && !is_known {
            return Err(XmlError::Namespace);
        }
        let attributes = attributes(element)?;
        let is_skipped = !is_known || matches!(self.open.last(), Some(None));
        self.open.push((!is_skipped).then(|| Element {
            name: element.local_name().as_ref().to_owned(),
            attributes,
            ..Element::default()
        }));
        Ok(())
    }

    fn close(&mut self) -> Result<(), XmlError> {
        let closed = self.open.pop().ok_or(XmlError::NotWellFormed)?;
        match (self.open.last_mut(), closed) {
            (Some(Some(parent)), Some(child)) => parent.children.push(child),
            (None, Some(root)) => self.root = Some(root),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), XmlError> {
        match self.open.last_mut() {
            Some(Some(element)) => element.text.push_str(text),
            Some(None) => {}
            None if text.trim().is_empty() => {}
            None => return Err(XmlError::NotWellFormed),
        }
        Ok(())
    }

    fn finish(self) -> Result<Element, XmlError> {
        // The XML reader accepts a file that is cut off between two elements.
        if self.open.is_empty() {
            self.root.ok_or(XmlError::NotWellFormed)
        } else {
            Err(XmlError::NotWellFormed)
        }
    }
}

/// The attributes that are kept. Entities in them are refused by the XML reader, except the predefined ones.
fn attributes(element: &BytesStart<'_>) -> Result<Vec<(&'static str, String)>, XmlError> {
    let mut kept = Vec::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|_| XmlError::NotWellFormed)?;
        let name = attribute.key.local_name();
        if let Some(known) = ATTRIBUTES.iter().find(|known| **known == name.as_ref()) {
            let value = attribute
                .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                .map_err(|_| XmlError::Entities)?;
            kept.push((*known, value.trim().to_owned()));
        }
    }
    Ok(kept)
}
