//! Renders the pages as HTML.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pulldown_cmark::{Options, Parser, html};

/// The style sheet that all pages share.
pub(crate) const STYLE: &str = "/errors/style.css";
const NAVIGATION: &str = "<a href=\"/errors\">All errors</a> · <a href=\"/docs\">REST API</a>";

/// The page of one code.
pub(super) fn page(code: &str, text: &str) -> String {
    framed(code, &[STYLE], NAVIGATION, &rendered(text))
}

/// All codes, each with the first sentence of its page.
pub(super) fn list(pages: &BTreeMap<&str, &str>) -> String {
    let mut text = String::from("# Errors\n\n| code | what it means |\n|---|---|\n");
    for (code, page) in pages {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| [{code}](/errors/{code}) | {} |", summary(page));
    }
    framed("Errors", &[STYLE], NAVIGATION, &rendered(&text))
}

/// The first paragraph after the title.
fn summary(page: &str) -> String {
    let lines = page.lines().skip(1).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Markdown as HTML.
pub(crate) fn rendered(text: &str) -> String {
    let mut rendered = String::new();
    html::push_html(&mut rendered, Parser::new_ext(text, Options::ENABLE_TABLES));
    rendered
}

/// A whole page with links to its style sheets.
pub(crate) fn framed(title: &str, styles: &[&str], navigation: &str, content: &str) -> String {
    let styles: Vec<_> =
        styles.iter().map(|style| format!("<link rel=\"stylesheet\" href=\"{style}\">\n")).collect();
    let styles = styles.concat();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Quire</title>\n{styles}</head>\n<body>\n\
         <nav>{navigation}</nav>\n<main>\n{content}</main>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content security policy forbids inline scripts and styles.
    #[test]
    fn a_page_has_no_inline_scripts_or_styles() {
        let shown = page(
            "CONFLICT",
            "# CONFLICT\n\nIt *conflicts*.\n\n## What to do\n\n- Look [here](NOT_FOUND.md).\n",
        );
        assert!(shown.contains("<h1>CONFLICT</h1>") && shown.contains("<em>conflicts</em>"), "{shown}");
        for inline in ["<script", "<style", "style=", "onclick"] {
            assert!(!shown.contains(inline), "{inline}");
        }
    }

    #[test]
    fn the_list_has_each_code_with_the_first_words_of_its_page() {
        let pages = BTreeMap::from([("A", "# A\n\nFirst\nwords.\n\nMore.\n"), ("B", "# B\n\nOthers.\n")]);
        let shown = list(&pages);
        assert!(shown.contains("<a href=\"/errors/A\">A</a></td><td>First words.</td>"), "{shown}");
        assert!(shown.contains("/errors/B") && !shown.contains("More."), "{shown}");
    }
}
