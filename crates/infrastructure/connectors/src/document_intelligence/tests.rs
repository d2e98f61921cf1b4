use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::{AnalysedDocument, FileKind};
use quire_ports::{AnalysisError, AnalysisErrorKind, AnalysisRequest, DocumentAnalyser as _, OperationState};
use quire_testkit::DocumentIntelligenceServer;
use quire_testkit::document_intelligence_server::{
    AnalysisFault, LayoutLine, LayoutPage, analyze_result, filled_form,
};
use serde_json::{Value, json};

use super::{DocumentIntelligence, DocumentIntelligenceSettings, DocumentIntelligenceSettingsError};
use crate::http::{HttpClient, HttpOptions};

const KEY: &str = "di-test";
const TIME: Duration = Duration::from_secs(20);

fn settings(url: &str, key: &str) -> DocumentIntelligenceSettings {
    DocumentIntelligenceSettings {
        url: url.to_owned(),
        allow_http: false,
        api_key: key.to_owned(),
        model: "prebuilt-layout".to_owned(),
        key_value_pairs: true,
        timeout: Duration::from_secs(2),
        poll_interval: Duration::from_millis(700),
        max_response_bytes: 1 << 20,
    }
}

fn client(url: &str, key: &str) -> DocumentIntelligence {
    let http = HttpClient::new(&HttpOptions::default()).unwrap();
    DocumentIntelligence::new(http, settings(url, key)).unwrap()
}

fn line(x: f64, y: f64, size: f64, text: &str) -> LayoutLine {
    LayoutLine { x, y, size, text: text.to_owned() }
}

fn page(unit: &'static str, (width, height): (f64, f64), lines: Vec<LayoutLine>) -> LayoutPage {
    LayoutPage { width, height, unit, angle: 0.0, lines }
}

fn result() -> Value {
    let pages = [
        page(
            "inch",
            (8.5, 11.0),
            vec![line(1.0, 2.0, 0.1, "Paciente: Luna"), line(1.0, 2.5, 0.1, "A\u{f1}o 2024 \u{1f43e}")],
        ),
        page("pixel", (1000.0, 2000.0), vec![line(100.0, 200.0, 10.0, "Total 12,50")]),
    ];
    analyze_result(&pages, &[("Paciente:", "Luna", 0.93), ("Chip:", "", 0.4)])
}

fn request() -> AnalysisRequest {
    AnalysisRequest { file: Arc::from(&b"%PDF-1.7 a file"[..]), kind: FileKind::Pdf, time: TIME }
}

async fn analyse(client: &DocumentIntelligence) -> Result<AnalysedDocument, AnalysisError> {
    let operation = client.submit(request()).await?.address;
    loop {
        if let OperationState::Succeeded(document) = client.poll(&operation, TIME).await? {
            return Ok(*document);
        }
    }
}

/// Proves R202 for the contract: what is sent, and what becomes of the result.
#[tokio::test]
async fn a_document_is_submitted_polled_and_mapped_to_words_and_boxes() {
    let server = DocumentIntelligenceServer::start(KEY, result());
    server.run_for(2, Some(1));
    let client = client(&format!("{}/", server.url), KEY);
    let accepted = client.submit(request()).await.unwrap();
    assert_eq!(accepted.wait, Duration::from_secs(1));
    let running = client.poll(&accepted.address, TIME).await.unwrap();
    assert_eq!(running, OperationState::Running { wait: Duration::from_secs(1) });
    let document = analyse(&client).await.unwrap();
    assert_eq!(server.submitted(), [b"%PDF-1.7 a file".to_vec(), b"%PDF-1.7 a file".to_vec()]);

    assert_eq!(
        document.reading.plain_text().text,
        "Paciente: Luna\n\nA\u{f1}o 2024 \u{1f43e}\nTotal 12,50\n"
    );
    let [first, second] = document.reading.pages.as_slice() else { panic!("two pages") };
    assert!(
        (first.width - 612.0).abs() < 0.01 && (first.height - 792.0).abs() < 0.01,
        "inches become points"
    );
    let word = &first.lines[0].words[0];
    assert_eq!(word.text, "Paciente:");
    for (found, expected) in [(word.rect.x0, 72.0), (word.rect.y0, 144.0), (word.rect.y1, 158.4)] {
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
    assert!(
        (second.height - 842.0).abs() < 0.01 && (second.width - 421.0).abs() < 0.01,
        "a picture fills a page"
    );
    let word = &second.lines[0].words[0].rect;
    assert!((word.x0 - 42.1).abs() < 0.01 && (word.y0 - 84.2).abs() < 0.01, "{word:?}");
    let analysis = &document.analysis;
    assert_eq!(analysis.word_confidence.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2]);
    let pair = &analysis.pairs[0];
    assert_eq!((pair.key.text.as_str(), pair.value.as_ref().unwrap().text.as_str()), ("Paciente:", "Luna"));
    assert!((pair.confidence - 0.93).abs() < 1e-6 && pair.key.boxes.len() == 1);
    assert_eq!(analysis.pairs[1].value, None);
}

/// A page whose text is turned has the boxes of the page as it is shown; tables and missing pages are kept.
#[tokio::test]
async fn turned_pages_tables_and_missing_pages_are_mapped() {
    let mut result = result();
    result["pages"][0]["angle"] = json!(90.0);
    // The corners of turned text begin at another corner.
    result["pages"][0]["words"][0]["polygon"] = json!([2.0, 1.0, 2.0, 1.9, 1.8, 1.9, 1.8, 1.0]);
    result["pages"][1]["pageNumber"] = json!(3);
    result["warnings"] = json!([{ "code": "PageRangeTruncated", "message": "x" }]);
    let region = json!([{ "pageNumber": 1, "polygon": [1.0, 1.0, 2.0, 1.0, 2.0, 2.0, 1.0, 2.0] }]);
    result["tables"] = json!([{ "rowCount": 1, "columnCount": 2, "cells": [
        { "kind": "columnHeader", "rowIndex": 0, "columnIndex": 0, "content": "Concepto", "boundingRegions": region },
        { "rowIndex": 0, "columnIndex": 1, "columnSpan": 2, "content": "12,50" } ] }]);
    let server = DocumentIntelligenceServer::start(KEY, result);
    let document = analyse(&client(&server.url, KEY)).await.unwrap();
    let rect = document.reading.pages[0].lines[0].words[0].rect;
    assert!((rect.x0 - 129.6).abs() < 0.01 && (rect.y1 - 136.8).abs() < 0.01, "{rect:?}");
    assert!(rect.x0 < rect.x1 && rect.y0 < rect.y1);
    let missing = document.reading.pages[1].unread.as_ref().unwrap();
    assert_eq!(missing.error_code, AnalysisErrorKind::PageMissing.as_str());
    assert_eq!(document.reading.pages[2].lines.len(), 1);
    assert_eq!(document.analysis.warnings, ["PageRangeTruncated"]);
    let table = &document.analysis.tables[0];
    assert_eq!(
        (table.rows, table.columns, table.cells[0].is_heading, table.cells[1].column_span),
        (1, 2, true, 2)
    );
    assert!((table.cells[0].content.boxes[0].x1 - 144.0).abs() < 0.01);
}

/// Proves R202 for rate limits: one that names its time says so, another one is an error like others, on both calls.
#[tokio::test]
async fn a_rate_limit_with_a_time_is_told_from_one_without() {
    let server = DocumentIntelligenceServer::start(KEY, result());
    let client = client(&server.url, KEY);
    let (limited, unavailable) = (AnalysisErrorKind::RateLimited, AnalysisErrorKind::Unavailable);
    let address = client.submit(request()).await.unwrap().address;
    for (wait, kind) in [(Some(7), limited), (None, unavailable), (Some(4000), unavailable)] {
        let seconds = wait.filter(|_| kind == limited).map(|wait| Duration::from_secs(u64::from(wait)));
        server.fault_submit(AnalysisFault::Status(429, wait));
        let error = client.submit(request()).await.unwrap_err();
        assert_eq!((error.kind, error.retry_after, error.is_retryable), (kind, seconds, true));
        server.fault_poll(AnalysisFault::Status(429, wait));
        let error = client.poll(&address, TIME).await.unwrap_err();
        assert_eq!((error.kind, error.retry_after, error.is_retryable), (kind, seconds, true));
    }
    assert_eq!(server.submitted().len(), 1);
}

#[tokio::test]
async fn each_failure_is_told_apart_and_says_whether_it_may_pass() {
    let server = DocumentIntelligenceServer::start(KEY, result());
    let good = client(&server.url, KEY);
    let unavailable = (AnalysisErrorKind::Unavailable, true);
    for (fault, expected, may_have_arrived) in [
        (AnalysisFault::Status(500, None), unavailable, false),
        (AnalysisFault::Closed, unavailable, true),
        (AnalysisFault::Silent, unavailable, true),
        (AnalysisFault::Garbage, unavailable, true),
        (AnalysisFault::Status(408, None), unavailable, true),
        (AnalysisFault::Status(502, None), unavailable, true),
        (AnalysisFault::Status(503, None), unavailable, false),
        (AnalysisFault::Status(504, None), unavailable, true),
        (AnalysisFault::Elsewhere, (AnalysisErrorKind::AnswerInvalid, false), true),
        (AnalysisFault::Status(413, None), (AnalysisErrorKind::Refused, false), false),
        (AnalysisFault::Status(400, None), (AnalysisErrorKind::Refused, false), false),
    ] {
        server.fault_submit(fault.clone());
        let error = good.submit(request()).await.unwrap_err();
        assert_eq!((error.kind, error.is_retryable), expected, "{fault:?}");
        assert_eq!(error.may_have_arrived, may_have_arrived, "{fault:?}");
    }
    let address = good.submit(request()).await.unwrap().address;
    for fault in [
        AnalysisFault::Status(503, None),
        AnalysisFault::Closed,
        AnalysisFault::Silent,
        AnalysisFault::Garbage,
        AnalysisFault::Truncated,
    ] {
        server.fault_poll(fault.clone());
        let error = good.poll(&address, TIME).await.unwrap_err();
        assert_eq!((error.kind, error.is_retryable), unavailable, "{fault:?}");
    }
    server.forget_operations();
    let error = good.poll(&address, TIME).await.unwrap_err();
    assert!(error.is_vanished && error.is_retryable, "{error:?}");
    for (code, is_retryable) in [("InvalidRequest", false), ("InternalServerError", true)] {
        server.fail_operation(code);
        let error = analyse(&good).await.unwrap_err();
        assert_eq!((error.kind, error.is_retryable), (AnalysisErrorKind::Failed, is_retryable));
        assert!(error.message.contains(code) && !error.message.contains("secret"), "{error}");
    }
    let error = analyse(&client(&server.url, "wrong")).await.unwrap_err();
    assert_eq!((error.kind, error.is_retryable), (AnalysisErrorKind::Refused, false));
    let small = |max_response_bytes| {
        let settings = DocumentIntelligenceSettings { max_response_bytes, ..settings(&server.url, KEY) };
        DocumentIntelligence::new(HttpClient::new(&HttpOptions::default()).unwrap(), settings).unwrap()
    };
    let error = analyse(&small(100)).await.unwrap_err();
    assert_eq!((error.kind, error.is_retryable), (AnalysisErrorKind::AnswerInvalid, false), "too large");
    server.fault_submit(AnalysisFault::Garbage);
    let error = small(3).submit(request()).await.unwrap_err();
    assert_eq!((error.kind, error.may_have_arrived), (AnalysisErrorKind::AnswerInvalid, true), "too large");
}

/// Proves R202 with a result of the real shape: a form that was filled in by hand, with offsets that count characters as people
/// see them, keys of two lines, values of two columns, marks, cells over several columns and rows, styles, sections and figures.
#[tokio::test]
async fn a_form_in_the_shape_of_the_service_is_mapped_whole() {
    let server = DocumentIntelligenceServer::start(KEY, filled_form());
    let document = analyse(&client(&server.url, KEY)).await.unwrap();
    let [page] = document.reading.pages.as_slice() else { panic!("one page") };
    let lines: Vec<String> = page
        .lines
        .iter()
        .map(|line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    let expected: Vec<String> = filled_form()["pages"][0]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(lines, expected, "each word is in its line, also behind characters of several code points");
    assert_eq!((page.word_count(), document.analysis.word_confidence[0].len()), (178, 178));
    assert!(page.lines.iter().all(|line| line.opens_paragraph));

    let analysis = &document.analysis;
    assert_eq!((analysis.tables.len(), analysis.pairs.len()), (5, 29));
    assert_eq!(analysis.pairs.iter().filter(|pair| pair.value.is_none()).count(), 3);
    let value = |key: &str| {
        let pair = analysis.pairs.iter().find(|pair| pair.key.text == key).unwrap();
        pair.value.as_ref().unwrap().text.as_str()
    };
    assert_eq!(value("N\u{fa}mero de expediente"), "2026/0417");
    assert_eq!(value("Sueldo neto"), "1.603,29 \u{20ac}\n1.172,33 \u{20ac}");
    assert_eq!(value("S\u{ed}"), ":selected:");
    let cells = |table: usize| &analysis.tables[table].cells;
    assert!(cells(0).iter().any(|cell| cell.column_span == 3 && cell.is_heading));
    assert!(cells(2).iter().any(|cell| cell.row_span == 2 && cell.is_heading));
    let places = analysis.pairs.iter().flat_map(|pair| &pair.key.boxes);
    assert!(
        places.clone().count() == 29
            && places.into_iter().all(|rect| rect.x1 <= page.width && rect.y1 <= page.height)
    );
}

#[test]
fn the_port_of_the_scheme_may_be_named_or_left_out() {
    let path = "documentintelligence/documentModels/prebuilt-layout/analyzeResults/x";
    let own = ["https://name.azure.com", "https://name.azure.com:443", "https://Name.azure.com"];
    for (configured, named) in own.iter().flat_map(|one| own.iter().map(move |other| (one, other))) {
        assert!(client(configured, KEY).operation_address(&format!("{named}/{path}")).is_ok(), "{named}");
    }
    for other in ["https://name.azure.com:444", "http://name.azure.com", "https://name.azure.com.example"] {
        assert!(client(own[0], KEY).operation_address(&format!("{other}/{path}")).is_err(), "{other}");
    }
}

/// The key goes to no other host, and a result that cannot be placed is refused.
#[tokio::test]
async fn an_operation_elsewhere_and_an_unusable_result_are_refused() {
    let server = DocumentIntelligenceServer::start(KEY, result());
    let client = client(&server.url, KEY);
    let elsewhere = "http://127.0.0.2:1/documentintelligence/documentModels/prebuilt-layout/analyzeResults/x";
    let error = client.poll(elsewhere, TIME).await.unwrap_err();
    assert_eq!(error.kind, AnalysisErrorKind::AnswerInvalid);
    assert_eq!(server.polls(), 0);
    for (path, value) in [
        ("/pages/0/unit", json!("furlong")),
        ("/pages/0/width", json!(null)),
        ("/pages/0/pageNumber", json!(0)),
    ] {
        let mut broken = result();
        *broken.pointer_mut(path).unwrap() = value;
        server.set_result(broken);
        let error = analyse(&client).await.unwrap_err();
        assert_eq!((error.kind, error.is_retryable), (AnalysisErrorKind::AnswerInvalid, false), "{path}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    use DocumentIntelligenceSettingsError as Error;
    let error = |change: fn(&mut DocumentIntelligenceSettings)| {
        let mut changed = settings("https://name.cognitiveservices.azure.com/", KEY);
        change(&mut changed);
        changed.check().err()
    };
    assert_eq!(error(|_| {}), None);
    assert_eq!(error(|settings| settings.url = "name.azure.com".to_owned()), Some(Error::Url));
    assert_eq!(error(|settings| settings.url = "http://10.0.0.1".to_owned()), Some(Error::PlainHttp));
    assert_eq!(error(|settings| settings.api_key = "a b".to_owned()), Some(Error::ApiKey));
    assert_eq!(error(|settings| settings.model = "a/b".to_owned()), Some(Error::Model));
}
