//! Finds the XML of an e-invoice among the embedded files of a PDF.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use quire_domain::reading::EmbeddedData;

use super::form_fields::decode;
use crate::einvoice;

/// The most embedded files that are looked at, and the most nodes of the tree of their names.
const MAX_FILES: usize = 50;
const MAX_NODES: usize = 1_000;
/// The largest embedded file, in bytes, compressed and not.
const MAX_BYTES: u64 = 20 << 20;

/// The data of the first readable e-invoice. If there is none, but a file that says by its name that it is one, what is wrong
/// with that file.
pub(super) fn embedded_data(pdf: &Pdf) -> Option<EmbeddedData> {
    let mut problem = None;
    for specification in file_specifications(pdf) {
        let name = file_name(&specification);
        if !name.to_lowercase().ends_with(".xml") {
            continue;
        }
        let read = content(&specification)
            .ok_or_else(|| "it cannot be unpacked, or is larger than 20 MB".to_owned())
            .and_then(|content| einvoice::read(&name, &content).map_err(|error| error.to_string()));
        match read {
            Ok(data) => return Some(data),
            Err(why) if einvoice::is_invoice_name(&name) && problem.is_none() => {
                problem = Some(EmbeddedData { file: name, problem: Some(why), ..EmbeddedData::default() });
            }
            Err(_) => {}
        }
    }
    problem
}

/// The embedded files of the catalog: the associated ones first, then those of the tree of names.
fn file_specifications(pdf: &Pdf) -> Vec<Dict<'_>> {
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else { return Vec::new() };
    let mut files: Vec<Dict<'_>> = match catalog.get::<Object<'_>>("AF") {
        Some(Object::Array(associated)) => associated.iter::<Dict<'_>>().take(MAX_FILES).collect(),
        Some(Object::Dict(associated)) => vec![associated],
        _ => Vec::new(),
    };
    let names = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles"));
    let mut nodes: Vec<Dict<'_>> = names.into_iter().collect();
    let mut visited = 0;
    while let Some(node) = nodes.pop().filter(|_| visited < MAX_NODES && files.len() < 2 * MAX_FILES) {
        visited += 1;
        if let Some(names) = node.get::<Array<'_>>("Names") {
            let files_of_node = names.iter::<Object<'_>>().take(2 * MAX_FILES).filter_map(Object::into_dict);
            files.extend(files_of_node);
        }
        if let Some(kids) = node.get::<Array<'_>>("Kids") {
            nodes.extend(kids.iter::<Dict<'_>>().take(MAX_NODES - visited));
        }
    }
    files
}

fn file_name(specification: &Dict<'_>) -> String {
    let name = ["UF", "F"].into_iter().find_map(|key| specification.get::<PdfString<'_>>(key));
    let name = name.map(|name| decode(name.as_bytes())).unwrap_or_default();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.chars().filter(|character| !character.is_control()).take(100).collect()
}

/// The content of an embedded file, unpacked up to the limit.
fn content(specification: &Dict<'_>) -> Option<Vec<u8>> {
    let files = specification.get::<Dict<'_>>("EF")?;
    let stream = ["UF", "F"].into_iter().find_map(|key| files.get::<Stream<'_>>(key))?;
    let packed = stream.raw_data();
    if packed.len() as u64 > MAX_BYTES {
        return None;
    }
    let mut content = Vec::new();
    match filters(stream.dict())?.as_slice() {
        [] => content.extend_from_slice(&packed),
        [only] if only == b"FlateDecode" || only == b"Fl" => {
            // Some writers add bytes behind the end, or leave the checksum out: what was unpacked counts.
            let _ = ZlibDecoder::new(&*packed).take(MAX_BYTES + 1).read_to_end(&mut content);
        }
        // Nobody packs XML otherwise, and other filters have no limit.
        _ => return None,
    }
    (content.len() as u64 <= MAX_BYTES).then_some(content)
}

/// The names of the filters of a stream.
fn filters(stream: &Dict<'_>) -> Option<Vec<Vec<u8>>> {
    match stream.get::<Object<'_>>("Filter") {
        None => Some(Vec::new()),
        Some(Object::Name(name)) => Some(vec![name.as_ref().to_vec()]),
        Some(Object::Array(names)) => {
            Some(names.iter::<Name<'_>>().take(4).map(|name| name.as_ref().to_vec()).collect())
        }
        Some(_) => None,
    }
}
