//! Takes out of an article what its site has put into it: captions, credits, related links, dates and invitations to
//! subscribe. The algorithm that finds the article leaves them in, because they stand between its paragraphs.

use dom_query::NodeRef;

/// Short notes beside the text. They are taken out up to this many characters.
const MAX_NOTE: usize = 600;
const NOTES: [&str; 14] = [
    "caption",
    "credit",
    "byline",
    "timestamp",
    "datetime",
    "pubdate",
    "publish-date",
    "share",
    "sharing",
    "social",
    "breadcrumb",
    "advert",
    "ad-slot",
    "disclaimer",
];
/// Lists and boxes that lead elsewhere. They are taken out up to this part of the article, in hundredths.
const MAX_BOX_SHARE: usize = 35;
const BOXES: [&str; 16] = [
    "related",
    "newsletter",
    "subscri",
    "signup",
    "sign-up",
    "recommend",
    "recirc",
    "trending",
    "most-read",
    "popular",
    "read-more",
    "readmore",
    "promo",
    "gallery",
    "slideshow",
    "author-bio",
];
/// The part of its characters that a list of links has in links, in hundredths.
const LINKED_SHARE: usize = 85;
/// How many lines of dates and names may stand before the text. More are the text.
const MAX_LABELS: usize = 8;
/// An article that has fewer characters than this afterwards was no article with furniture.
const MIN_LEFT: usize = 140;

/// Takes furniture out of an article.
pub(super) fn tidy(article: &NodeRef<'_>) {
    let whole = article.normalized_char_count();
    let mut taken = 0;
    for element in article.descendants() {
        if !element.is_element() || element.parent().is_none() || is_inside_removed(&element, article) {
            continue;
        }
        let Some(limit) = limit(&element, whole) else { continue };
        let chars = element.normalized_char_count();
        if chars > limit || whole.saturating_sub(taken + chars) < MIN_LEFT {
            continue;
        }
        taken += chars;
        remove(&element);
    }
}

/// Whether the element, or what it stands in, was taken out before.
fn is_inside_removed(element: &NodeRef<'_>, article: &NodeRef<'_>) -> bool {
    !element.ancestors_it(None).any(|ancestor| ancestor.id == article.id)
}

/// How many characters of an element may be taken out. None if it is no furniture.
fn limit(element: &NodeRef<'_>, whole: usize) -> Option<usize> {
    let box_limit = whole * MAX_BOX_SHARE / 100;
    let name = element.node_name()?;
    match &*name {
        "figcaption" => return Some(box_limit.max(MAX_NOTE)),
        "ul" | "ol" if is_linked(element) && element.element_children().len() > 1 => return Some(box_limit),
        "p" if is_linked(element) => return Some(MAX_NOTE),
        "pre" | "code" | "table" | "td" | "th" | "tr" | "body" => return None,
        _ => {}
    }
    let mut names = element.class().map(|class| class.to_ascii_lowercase()).unwrap_or_default();
    if let Some(id) = element.id_attr() {
        names.push(' ');
        names.push_str(&id.to_ascii_lowercase());
    }
    let has = |words: &[&str]| words.iter().any(|word| names.contains(word));
    if names.is_empty() {
        None
    } else if has(&BOXES) {
        Some(box_limit)
    } else if has(&NOTES) {
        Some(MAX_NOTE.min(box_limit))
    } else {
        None
    }
}

/// Whether nearly all of its text leads elsewhere.
fn is_linked(element: &NodeRef<'_>) -> bool {
    let all = element.normalized_char_count();
    let links = element.descendants_it().filter(|node| node.has_name("a") && node.has_attr("href"));
    let linked: usize = links.map(|link| link.normalized_char_count()).sum();
    all > 0 && linked * 100 >= all * LINKED_SHARE
}

/// Removes an element, and the heading that stands right before it and announces nothing else.
fn remove(element: &NodeRef<'_>) {
    let is_list = element.has_name("ul") || element.has_name("ol");
    let heading = element.prev_element_sibling().filter(|before| {
        let name = before.node_name();
        is_list && name.is_some_and(|name| matches!(&*name, "h2" | "h3" | "h4" | "h5" | "h6"))
    });
    if let Some(heading) = heading {
        heading.remove_from_parent();
    }
    element.remove_from_parent();
}

/// Takes the lines of dates, names and sections out that stand before the first paragraph, and credits of pictures anywhere.
pub(super) fn tidy_lines(text: &str) -> String {
    let mut before_text = text.lines().any(is_paragraph);
    let mut is_code = false;
    let mut kept = Vec::new();
    let mut seen = 0;
    for line in text.lines() {
        seen += usize::from(!line.trim().is_empty());
        if line.trim_start().starts_with("```") {
            (is_code, before_text) = (!is_code, false);
        }
        before_text &= !is_paragraph(line) && seen <= MAX_LABELS;
        let is_text = is_code || line.trim_start().starts_with(['|', '#', '>']) || line.trim().is_empty();
        if is_text || !(before_text && is_label(line) || is_credit(line)) {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Whether a line is a paragraph and not a label.
fn is_paragraph(line: &str) -> bool {
    words(line) >= 20 || line.chars().filter(|char| is_unspaced(*char)).count() >= 40
}

fn words(line: &str) -> usize {
    line.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Whether it belongs to a script without spaces between words.
fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}')
}

/// Whether a line is a date, a name or a section of the site: no sentence, or with a time.
fn is_label(line: &str) -> bool {
    let plain = line.trim().trim_end_matches(['*', '_', '|', '\\', ' ']);
    let is_sentence = plain.ends_with(['.', '!', '?', '…', ':', '"', '”', '»', '。', '！', '？', ')']);
    let has_time = plain.split(|char: char| !char.is_ascii_digit() && char != ':').any(|part| {
        let is_year = part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
        let is_clock = part
            .split_once(':')
            .is_some_and(|(hours, minutes)| (1..=2).contains(&hours.len()) && minutes.len() >= 2);
        is_year && part.bytes().all(|byte| byte.is_ascii_digit()) || is_clock
    });
    let count = words(plain);
    (count <= 10 && !is_sentence) || (count <= 16 && has_time)
}

/// Whether a line says who made a picture.
fn is_credit(line: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "photo:",
        "photos:",
        "image:",
        "image copyright",
        "image credit",
        "picture:",
        "credit:",
        "©",
        "foto:",
        "fotos:",
        "bild:",
        "фото:",
    ];
    let plain = line.trim().trim_matches(['*', '_', '(', ')', '[', ']', '\\', ' ']).to_lowercase();
    words(&plain) <= 14 && BEGINNINGS.iter().any(|beginning| plain.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_before_the_text_and_credits_are_left_out() {
        let paragraph = "The council approved a new bridge over the river after a long debate because the old crossing was closed by a flood.";
        let text = format!(
            "Home\n\nUpdated 3:27 am PST, Wednesday, November 20, 2019\n\n## The bridge\n\nIt is new.\n\n{paragraph}\n\n\
             Photo: Ana Pérez, AP\n\nShort line\n\n```\nphoto: code\n```\n\n| photo: | cell |"
        );
        let tidied = tidy_lines(&text);
        for absent in ["Home", "3:27", "Ana"] {
            assert!(!tidied.contains(absent), "{absent}: {tidied}");
        }
        for kept in ["## The bridge", "It is new.", paragraph, "Short line", "photo: code", "| photo: |"] {
            assert!(tidied.contains(kept), "{kept}: {tidied}");
        }
        let scores = "Palm Bay 18 22\n\n".repeat(12) + paragraph;
        assert!(tidy_lines(&scores).contains("Palm Bay"), "more than a few lines are the text");
        assert_eq!(tidy_lines("Home\n\nA poem\nin short lines"), "Home\n\nA poem\nin short lines");
        let chinese = "2024年\n\n这座城市在每个街角出借雨伞这座城市在每个街角出借雨伞这座城市在每个街角出借雨伞这座城市";
        assert!(tidy_lines(chinese).starts_with('这'), "{}", tidy_lines(chinese));
    }
}
