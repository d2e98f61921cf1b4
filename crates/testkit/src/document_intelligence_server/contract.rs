//! The contract of the service, as far as Quire uses it.

use uuid::Uuid;

/// The only version.
pub(super) const API_VERSION: &str = "2024-11-30";
/// The path of results.
pub(super) const RESULTS: &str = "/documentintelligence/documentModels/prebuilt-layout/analyzeResults";
const ANALYZE: &str = "/documentintelligence/documentModels/prebuilt-layout:analyze";

/// The values that a parameter may have; none if any.
const PARAMETERS: [(&str, &[&str]); 6] = [
    ("api-version", &[API_VERSION]),
    ("stringIndexType", &["textElements", "unicodeCodePoint", "utf16CodeUnit"]),
    ("features", &["ocrHighResolution", "languages", "barcodes", "formulas", "keyValuePairs", "styleFont"]),
    ("outputContentFormat", &["text", "markdown"]),
    ("locale", &[]),
    ("pages", &[]),
];
const CONTENT_TYPES: [&str; 6] = [
    "application/octet-stream",
    "application/pdf",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];

/// A request that keeps the contract.
#[derive(Clone, Copy, Debug)]
pub(super) enum AnalysisCall {
    Submit,
    Poll(Uuid),
}

/// Checks a request, except its key.
pub(super) fn check(head: &str, body: &[u8]) -> Result<AnalysisCall, String> {
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parameters: Vec<(&str, &str)> =
        query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    for (name, value) in &parameters {
        let known = PARAMETERS.iter().find(|(known, _)| known == name);
        let (_, values) = known.ok_or_else(|| format!("unknown parameter {name}"))?;
        let is_known = |one: &str| values.is_empty() || values.contains(&one);
        if !value.split(',').all(is_known) {
            return Err(format!("{name} cannot be {value}"));
        }
    }
    let has = |wanted: (&str, &str)| parameters.contains(&wanted);
    if !has(("api-version", API_VERSION)) {
        return Err("api-version is missing".to_owned());
    }
    let header = |wanted: &str| {
        head.lines().skip(1).find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case(wanted).then(|| value.to_owned())
        })
    };
    if header("ocp-apim-subscription-key").is_none() {
        return Err("the key is missing".to_owned());
    }
    match method {
        "POST" if path == ANALYZE => {
            if !has(("stringIndexType", "unicodeCodePoint")) {
                return Err("offsets must count code points".to_owned());
            }
            let content_type = header("content-type").unwrap_or_default();
            if !CONTENT_TYPES.contains(&content_type.as_str()) || body.is_empty() {
                return Err(format!("no file of type {content_type}"));
            }
            Ok(AnalysisCall::Submit)
        }
        "GET" => {
            let id = path.strip_prefix(RESULTS).and_then(|rest| rest.strip_prefix('/')?.parse().ok());
            id.map(AnalysisCall::Poll).ok_or_else(|| format!("wrong path {path}"))
        }
        _ => Err(format!("wrong method or path: {method} {path}")),
    }
}
