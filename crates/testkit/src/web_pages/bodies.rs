//! Bodies of articles beside plain paragraphs: tables, code, footnotes, figures and others, each with the words that a reader
//! should find.

use std::fmt::Write as _;

use super::{Article, linked};

/// The content of an article.
pub(super) struct Body {
    pub(super) html: String,
    /// The words that a reader should find.
    pub(super) text: String,
}

/// Makes a body of an article.
pub(super) type MakeBody = fn(&Article) -> Body;

/// Every kind of body with its name.
pub(super) const BODIES: [(&str, MakeBody); 14] = [
    ("data table", data_table),
    ("code", code),
    ("footnotes", footnotes),
    ("figures", figures),
    ("short", short),
    ("nested divs", nested_divs),
    ("line breaks", line_breaks),
    ("long comments", long_comments),
    ("list article", list_article),
    ("short list items", short_list_items),
    ("definitions", definitions),
    ("blocks", blocks),
    ("questions", questions),
    ("furniture", furniture),
];

/// Collects elements and their words.
#[derive(Default)]
struct Writer {
    html: String,
    text: String,
}

impl Writer {
    /// Text in an element, which a reader should find.
    fn element(&mut self, tag: &str, text: &str) -> &mut Self {
        let _ = writeln!(self.html, "<{tag}>{}</{tag}>", linked(text));
        self.words(text)
    }

    /// HTML whose words are given apart.
    fn html(&mut self, html: &str) -> &mut Self {
        self.html.push_str(html);
        self
    }

    fn words(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.text, "{text}");
        self
    }

    fn paragraphs(&mut self, paragraphs: &[String]) -> &mut Self {
        for paragraph in paragraphs {
            self.element("p", paragraph);
        }
        self
    }

    fn finish(&mut self) -> Body {
        Body { html: std::mem::take(&mut self.html), text: std::mem::take(&mut self.text) }
    }
}

fn data_table(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        body.element("h2", heading).paragraphs(paragraphs);
        if number != 1 {
            continue;
        }
        let cells: Vec<&str> = article.list.iter().flat_map(|item| item.split(' ')).collect();
        let row = |tag: &str, cells: &[&str], amount: usize| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
            format!("<tr>{cells}<{tag}>{amount}</{tag}></tr>")
        };
        body.html("<table class=\"data\"><caption>").html(&article.list[0]).html("</caption><thead>");
        body.words(&article.list[0]);
        for (number, cells) in cells.chunks(3).take(7).enumerate() {
            let tag = if number == 0 { "th" } else { "td" };
            body.html(&row(tag, cells, 1000 + number)).words(&format!(
                "{} {}",
                cells.join(" "),
                1000 + number
            ));
            if number == 0 {
                body.html("</thead><tbody>");
            }
        }
        body.html("</tbody></table>\n");
    }
    body.finish()
}

fn code(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        body.element("h2", heading).paragraphs(&paragraphs[..2]);
        let listing = format!(
            "fn crossing_{number}(flood: u32) -&gt; bool {{\n    // closed\n    let bridge = flood &lt; {number};\n    bridge\n}}"
        );
        let _ = writeln!(
            body.html,
            "<div class=\"highlight\"><pre><code class=\"language-rust\"><span class=\"k\">{}</code></pre></div>",
            listing.replacen(' ', "</span> ", 1)
        );
        body.words(&listing.replace("&gt;", ">").replace("&lt;", "<"));
        let _ = writeln!(body.html, "<p>{} <code>crossing_{number}</code>.</p>", paragraphs[2]);
        body.words(&paragraphs[2]).words(&format!("crossing_{number}"));
    }
    body.finish()
}

fn footnotes(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    let mut number = 0;
    for (heading, paragraphs) in &article.sections {
        body.element("h2", heading);
        for paragraph in paragraphs {
            number += 1;
            let _ = writeln!(
                body.html,
                "<p>{}<sup id=\"ref{number}\"><a class=\"footnote-ref\" href=\"#fn{number}\">[{number}]</a></sup></p>",
                linked(paragraph)
            );
            body.words(paragraph).words(&number.to_string());
        }
    }
    body.html("<section class=\"footnotes\" role=\"doc-endnotes\"><hr><ol>");
    for (number, note) in article.list.iter().enumerate() {
        let _ = writeln!(
            body.html,
            "<li id=\"fn{0}\"><p>{note} <a href=\"#ref{0}\" class=\"footnote-back\">↩</a></p></li>",
            number + 1
        );
        // A list may show its numbers.
        body.words(note).words(&(number + 1).to_string());
    }
    body.html("</ol></section>\n");
    body.finish()
}

/// A caption is about a picture, which is not in the text.
fn figures(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        let _ = writeln!(
            body.html,
            "<figure class=\"wp-caption\"><picture><source srcset=\"/{number}.webp\"><img src=\"/{number}.jpg\" \
             alt=\"not text\" width=\"800\"></picture><figcaption>{}</figcaption></figure>",
            article.list[number]
        );
        body.element("h2", heading).paragraphs(paragraphs);
    }
    body.finish()
}

/// Three sentences, fewer than the teasers beside them have.
fn short(article: &Article) -> Body {
    let mut body = Writer::default();
    let second = article.sections[0].1[0].split(". ").next().unwrap_or_default();
    body.element("p", &article.lead).element("p", &format!("{second}."));
    body.finish()
}

fn nested_divs(article: &Article) -> Body {
    let mut body = Writer::default();
    let div = |body: &mut Writer, text: &str| {
        let _ = writeln!(body.html, "<div class=\"r\"><div><span>{}</span></div></div>", linked(text));
        body.words(text);
    };
    div(&mut body, &article.lead);
    for (heading, paragraphs) in &article.sections {
        let _ = writeln!(body.html, "<div class=\"t\"><div><b>{heading}</b></div></div>");
        body.words(heading);
        for paragraph in paragraphs {
            div(&mut body, paragraph);
        }
    }
    Body { html: format!("<div class=\"w\"><div class=\"c\">{}</div></div>", body.html), text: body.text }
}

fn line_breaks(article: &Article) -> Body {
    let mut body = Writer::default();
    body.html(&linked(&article.lead)).words(&article.lead);
    for (heading, paragraphs) in &article.sections {
        let _ = write!(body.html, "<br><br><b>{heading}</b>");
        body.words(heading);
        for paragraph in paragraphs {
            let _ = write!(body.html, "<br>\n<br>\n{}", linked(paragraph));
            body.words(paragraph);
        }
    }
    Body { html: format!("<div>{}</div>", body.html), text: body.text }
}

/// Readers write more than the author.
fn long_comments(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead).paragraphs(&article.sections[0].1).paragraphs(&article.sections[1].1);
    body.html("<section class=\"discussion\" id=\"disqus_thread\"><h3>8 comments</h3>");
    for (number, teaser) in article.teasers.iter().enumerate() {
        let comment = format!("{teaser} {}", article.sections[2].1[number % 3]);
        let _ = writeln!(
            body.html,
            "<article class=\"comment depth-{number}\"><header><b>reader{number}</b> <time>2 hours ago</time></header>\
             <p>{comment}</p><a href=\"#\">Reply</a></article>"
        );
    }
    body.html("</section>\n");
    body.finish()
}

fn list_article(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead).html("<ol class=\"listicle\">");
    let paragraphs = article.sections.iter().flat_map(|(_, paragraphs)| paragraphs);
    for (number, paragraph) in paragraphs.enumerate() {
        let title = &article.teasers[number % article.teasers.len()];
        let title = title.split(',').next().unwrap_or_default();
        let _ = writeln!(
            body.html,
            "<li class=\"item\"><h2>{title}</h2><img src=\"/{number}.jpg\"><p>{}</p></li>",
            linked(paragraph)
        );
        body.words(title).words(paragraph).words(&(number + 1).to_string());
    }
    body.html("</ol>\n");
    body.finish()
}

/// A recipe, a packing list: more items than sentences.
fn short_list_items(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        body.element("h2", heading).html("<ul>");
        for item in paragraphs[0].split([',', '.']).map(str::trim).filter(|item| !item.is_empty()) {
            let _ = write!(body.html, "<li>{item}</li>");
            body.words(item);
        }
        body.html("</ul>\n").element("p", &paragraphs[1]);
        if number == 2 {
            body.element("p", &paragraphs[2]);
        }
    }
    body.finish()
}

fn definitions(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (heading, paragraphs) in &article.sections {
        body.element("h2", heading).element("p", &paragraphs[0]).html("<dl>");
        for paragraph in &paragraphs[1..] {
            let (term, definition) = paragraph.split_once(',').unwrap_or((paragraph, ""));
            body.element("dt", term).element("dd", definition);
        }
        body.html("</dl>\n");
    }
    body.html("<blockquote><p>").html(&article.list[0]).html("</p><cite>Ana</cite></blockquote>");
    body.words(&article.list[0]).words("Ana");
    body.finish()
}

/// Blocks of a content management system, with what the site puts between them.
fn blocks(article: &Article) -> Body {
    let mut body = Writer::default();
    let _ = write!(body.html, "<div class=\"c-block c-block--text\"><p>{}</p></div>", linked(&article.lead));
    body.words(&article.lead);
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        let _ = write!(body.html, "<div class=\"c-block c-block--heading\"><h2>{heading}</h2></div>");
        body.words(heading);
        for paragraph in paragraphs {
            let _ = write!(
                body.html,
                "<div class=\"c-block c-block--text\"><div class=\"inner\"><p>{}</p></div></div>",
                linked(paragraph)
            );
            body.words(paragraph);
        }
        let teasers: String = article.teasers[..2]
            .iter()
            .map(|teaser| format!("<li><a href=\"/z\">{teaser}</a></li>"))
            .collect();
        let _ = write!(
            body.html,
            "<div class=\"c-block ad-slot\"><span>Advertisement</span></div><aside class=\"related-inline\" \
             data-n=\"{number}\"><h4>Read more</h4><ul>{teasers}</ul></aside>"
        );
    }
    body.finish()
}

fn questions(article: &Article) -> Body {
    let mut body = Writer::default();
    body.element("p", &article.lead);
    for (heading, paragraphs) in &article.sections {
        for paragraph in paragraphs {
            let (question, answer) = paragraph.split_once(". ").unwrap_or((heading, paragraph));
            let _ = writeln!(
                body.html,
                "<details open><summary>{question}?</summary><div class=\"answer\"><p>{}</p></div></details>",
                linked(answer)
            );
            body.words(question).words(answer);
        }
    }
    body.finish()
}

/// What a site puts between the paragraphs: dates, credits, links to other pages, invitations.
fn furniture(article: &Article) -> Body {
    let mut body = Writer::default();
    body.html("<p>Updated 3:27 am, Wednesday, November 20, 2019</p><ul class=\"breadcrumbs\"><li>News</li><li>City</li></ul>");
    body.element("p", &article.lead);
    let links = |range: std::ops::Range<usize>| -> String {
        article.teasers[range].iter().map(|teaser| format!("<li><a href=\"/z\">{teaser}</a></li>")).collect()
    };
    for (number, (heading, paragraphs)) in article.sections.iter().enumerate() {
        body.element("h2", heading).paragraphs(paragraphs);
        let _ = match number {
            0 => write!(
                body.html,
                "<div class=\"media\"><img src=\"/a.jpg\"><p class=\"media-caption\">{}</p><p>Photo: Ana Pérez, AP</p></div>\
                 <p><a href=\"/z\"><strong>{}</strong></a></p>",
                article.list[0], article.teasers[0]
            ),
            1 => write!(body.html, "<h4>Read this too</h4><ul>{}</ul>", links(1..4)),
            _ => write!(
                body.html,
                "<div class=\"newsletter-box\"><h3>Stay in touch</h3><p>{}</p></div><div class=\"recommended\"><ul>{}</ul></div>",
                article.list[1],
                links(4..6)
            ),
        };
    }
    body.finish()
}
