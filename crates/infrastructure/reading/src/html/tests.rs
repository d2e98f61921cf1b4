use proptest::prelude::*;
use quire_testkit::web_pages::{body_samples, samples, words_f1};

use super::*;

fn options() -> PageOptions {
    PageOptions { is_html: true, charset: None, url: "https://example.com/article".to_owned() }
}

fn read_html(html: &str) -> Article {
    read(html.as_bytes(), &options())
}

/// The least F1 of the words of a page.
const MIN_F1: f64 = 0.97;

#[test]
fn the_main_text_of_every_layout_is_found_in_every_language() {
    let mut worst: Vec<(f64, String)> = Vec::new();
    for sample in samples() {
        let article = read_html(&sample.html);
        worst.push((words_f1(&article.text, &sample.text), sample.name.clone()));
        assert_eq!(article.title.as_deref(), Some(sample.title.as_str()), "{}", sample.name);
        assert_eq!(article.byline.as_deref(), Some(sample.byline.as_str()), "{}", sample.name);
        assert_eq!(article.language.as_deref(), Some(sample.language), "{}", sample.name);
        assert_eq!(article.published.as_deref(), Some("2026-03-01T10:00:00Z"), "{}", sample.name);
        assert_eq!(article.site_name.as_deref(), Some("Example Site"), "{}", sample.name);
        assert_eq!(article.canonical_url.as_deref(), Some("https://example.com/article"), "{}", sample.name);
    }
    worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(worst[0].0 >= MIN_F1, "{:?}", &worst[..5]);
}

#[test]
fn the_words_of_tables_code_notes_captions_and_lists_are_found_and_those_of_readers_are_not() {
    let mut found: Vec<(f64, String)> = Vec::new();
    for sample in body_samples() {
        found.push((words_f1(&read_html(&sample.html).text, &sample.text), sample.name));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let failed: Vec<_> = found.iter().filter(|(f1, _)| *f1 < MIN_F1).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_text_is_markdown_without_addresses_and_pictures() {
    let paragraph = "The council approved a new bridge over the river after a long debate. ".repeat(8);
    let html = format!(
        "<html><head><title>A bridge</title></head><body><article><h1>A bridge</h1><h2>First part</h2><p>{paragraph}</p>\
         <p>A <a href=\"/page\">link</a> and <strong>bold</strong> words<img src=\"x.png\" alt=\"picture\"> in a text.</p>\
         <ul><li>one thing</li><li>another thing</li></ul><blockquote><p>A quote.</p></blockquote>\
         <script>alert('no text')</script></article></body></html>"
    );
    let text = read_html(&html).text;
    assert!(text.contains("## First part"), "{text}");
    assert!(text.contains("A link and **bold** words"), "{text}");
    assert!(text.contains("- one thing") || text.contains("* one thing"), "{text}");
    assert!(text.contains("> A quote."), "{text}");
    for absent in ["http", "/page", "x.png", "picture", "alert"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn pages_without_an_article_have_the_text_of_their_body() {
    assert_eq!(read_html("<p>Short words.</p>").text, "Short words.");
    assert_eq!(read_html("").text, "");
    assert_eq!(read_html("<html><body><div id=app></div><script>start()</script></body></html>").text, "");
}

/// The address may be relative, and it may be hostile. An article is not needed for it.
#[test]
fn the_canonical_address_is_absolute_and_of_the_web() {
    let long = "The council approved a new bridge over the river after a long debate. ".repeat(20);
    for body in [format!("<article><p>{long}</p></article>"), "<div></div>".to_owned()] {
        for (address, expected) in [
            ("https://example.org/a", Some("https://example.org/a")),
            ("/b?c=1", Some("https://example.com/b?c=1")),
            ("d", Some("https://example.com/d")),
            ("//other.example/e", Some("https://other.example/e")),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("http://", None),
        ] {
            let html = format!(
                "<html><head><title>A bridge</title><link rel=\"canonical\" href=\"{address}\"></head><body>{body}</body>"
            );
            assert_eq!(read_html(&html).canonical_url.as_deref(), expected, "{address}");
        }
    }
}

#[test]
fn plain_text_is_text() {
    let options = PageOptions { is_html: false, ..options() };
    let article = read(b" <b>words</b> & more\n", &options);
    assert_eq!((article.text.as_str(), article.title), ("<b>words</b> & more", None));
}

#[test]
fn hostile_pages_end() {
    let deep = format!("{}x{}", "<div>".repeat(1000), "</div>".repeat(1000));
    let links = format!("<p>{}</p>", "<a href=\"/a\">b</a>".repeat(2000));
    let attributes = format!("<p {}>words</p>", "a=\"b\" ".repeat(2000));
    let unclosed = "<table><tr><td>".repeat(1000);
    // As much room as a parser has.
    let parser = std::thread::Builder::new().stack_size(32 << 20).spawn(move || {
        for html in [deep, links, attributes, unclosed] {
            let _ = read_html(&html);
        }
    });
    parser.unwrap().join().unwrap();
}

proptest! {
    // Parsers are slow without optimisation.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_a_page(file in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&file, &options());
    }

    #[test]
    fn any_tags_are_a_page(
        parts in prop::collection::vec("(</?(p|div|a|table|td|svg|math|template|b|i|article|title|br|!--|html)( [a-z]{1,4}=['\"]?)?>|[a-z ]{0,9}|&[a-z#0-9]{0,5};?)", 0..60),
    ) {
        let _ = read_html(&parts.concat());
    }
}
