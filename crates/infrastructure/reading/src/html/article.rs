//! The main text of an HTML page.

use dom_smoothie::{Config, Readability};
use url::Url;

use super::tidy::{tidy, tidy_lines};

use super::Article;

/// Elements that are no text.
const NO_TEXT: [&str; 16] = [
    "script", "style", "meta", "head", "template", "noscript", "img", "picture", "svg", "video", "audio",
    "canvas", "iframe", "object", "embed", "button",
];

/// Where the article is after `parse`.
const CONTENT: &str = "#readability-page-1";

/// Finds the main text. A page without one has the text of its body.
pub(super) fn read(html: &str, url: &str) -> Article {
    // An address that is not absolute is no base for links.
    // The names of its elements tell what the site has put into the article.
    let config = || Config { keep_classes: true, ..Config::default() };
    let page = Readability::new(html, Some(url), Some(config()));
    let page = page.or_else(|_| Readability::new(html, None, Some(config())));
    let Ok(mut page) = page else { return Article::default() };
    let canonical = page.doc.select("link[rel~=canonical]").attr("href");
    let canonical = canonical.and_then(|address| web_address(url, &address));
    let language = page.doc.select("html").attr("lang").map(|tag| tag.to_string());
    let Ok(found) = page.parse() else {
        return Article {
            canonical_url: canonical,
            language: language.and_then(|tag| iso_639(&tag)),
            ..body(html)
        };
    };
    let content = page.doc.select(CONTENT);
    if let Some(article) = content.nodes().first() {
        tidy(article);
    }
    // Readers want to know what links say, not where they lead.
    content.strip_elements(&["a"]);
    let text = content.nodes().first().map(|node| node.md(Some(&NO_TEXT))).unwrap_or_default();
    let language = found.lang.or(language).and_then(|tag| iso_639(&tag));
    Article {
        title: Some(found.title),
        byline: found.byline,
        site_name: found.site_name,
        published: found.published_time,
        language,
        canonical_url: canonical.or_else(|| web_address(url, &found.url?)),
        text: tidy_lines(&text),
    }
}

/// The whole text of a page in which no article was found.
fn body(html: &str) -> Article {
    let page = Readability::from(html);
    let title = page.doc.select("title").text().to_string();
    let body = page.doc.select("body");
    let text = body.nodes().first().map(|node| node.md(Some(&NO_TEXT))).unwrap_or_default();
    Article { title: Some(title), text: text.trim().to_owned(), ..Article::default() }
}

/// An address that a page names, which may be relative to its own. Only one of the web is kept.
fn web_address(page: &str, address: &str) -> Option<String> {
    let address = match Url::parse(page) {
        Ok(page) => page.join(address.trim()),
        Err(_) => Url::parse(address.trim()),
    };
    let address = address.ok().filter(|address| matches!(address.scheme(), "http" | "https"))?;
    Some(address.into())
}

/// The language of a tag such as `en-GB`.
fn iso_639(tag: &str) -> Option<String> {
    let language = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    (language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(language)
}
