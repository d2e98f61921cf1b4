//! Reads web pages: decodes them, finds the main text with the Readability algorithm, and writes it as Markdown.
//!
//! This runs in a parser process.

mod article;
mod charset;
mod tidy;

use serde::{Deserialize, Serialize};

use crate::language::detect;

/// The longest text of a page, in characters. More is no article.
pub(crate) const MAX_TEXT_CHARS: usize = 2_000_000;
/// The longest title, author and so on, in characters.
pub(crate) const MAX_METADATA_CHARS: usize = 2000;

/// How to read a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOptions {
    /// Whether it is HTML. Otherwise it is plain text.
    pub is_html: bool,
    /// The character encoding that the server named.
    pub charset: Option<String>,
    /// The address of the page.
    pub url: String,
}

/// The main content of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are the documentation.
pub struct Article {
    pub title: Option<String>,
    pub byline: Option<String>,
    pub site_name: Option<String>,
    pub published: Option<String>,
    /// As ISO 639-1: detected in the text, else as the page says it.
    pub language: Option<String>,
    pub canonical_url: Option<String>,
    /// The text as Markdown.
    pub text: String,
}

/// Reads a page. Any bytes are a page, if only an empty one.
pub fn read(file: &[u8], options: &PageOptions) -> Article {
    let text = charset::decode(file, options.charset.as_deref(), options.is_html);
    let mut article = if options.is_html {
        article::read(&text, &options.url)
    } else {
        Article { text: text.trim().to_owned(), ..Article::default() }
    };
    truncate(&mut article.text, MAX_TEXT_CHARS);
    article.language = detect(&article.text).map(str::to_owned).or(article.language);
    for metadata in [
        &mut article.title,
        &mut article.byline,
        &mut article.site_name,
        &mut article.published,
        &mut article.language,
        &mut article.canonical_url,
    ] {
        *metadata = metadata.take().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        *metadata = metadata.take().filter(|text| !text.is_empty());
        if let Some(text) = metadata {
            truncate(text, MAX_METADATA_CHARS);
        }
    }
    article
}

fn truncate(text: &mut String, chars: usize) {
    if let Some((end, _)) = text.char_indices().nth(chars) {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests;
