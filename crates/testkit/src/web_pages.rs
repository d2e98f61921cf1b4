//! Web pages with known content: articles inside the furniture of real sites, in several layouts and languages.

// Pages are small and made for tests.
#![allow(clippy::format_collect)]

mod bodies;

use std::collections::HashMap;
use std::fmt::Write as _;

use self::bodies::{BODIES, Body, MakeBody};

/// A page and what a reader should find in it.
#[derive(Clone, Debug)]
pub struct WebPageSample {
    /// The layout and the language.
    pub name: String,
    /// The page.
    pub html: String,
    /// Its title.
    pub title: String,
    /// Its author.
    pub byline: String,
    /// Its language as ISO 639-1.
    pub language: &'static str,
    /// The words of its article, without the title.
    pub text: String,
}

/// Words of a language, from which sentences are made.
const VOCABULARIES: [(&str, &str); 4] = [
    (
        "en",
        "the council approved a new bridge over river after long debate because old crossing was closed by flood and \
        engineers expect that building takes two years while region pays half of costs for people who live near water",
    ),
    (
        "es",
        "el ayuntamiento aprobó un puente nuevo sobre río después de largo debate porque paso antiguo quedó cerrado por \
        la inundación y los ingenieros esperan que obra dure dos años mientras región paga mitad del coste para gente",
    ),
    (
        "ru",
        "городской совет одобрил новый мост через реку после долгих споров потому что старая переправа закрыта из-за \
        наводнения и инженеры ожидают что строительство займёт два года пока область платит половину стоимости для жителей",
    ),
    (
        "de",
        "der stadtrat genehmigte eine neue brücke über den fluss nach langer debatte weil die alte querung durch das \
        hochwasser gesperrt war und die ingenieure erwarten dass der bau zwei jahre dauert während die region zahlt",
    ),
];

/// Puts an article into the furniture of a site.
type Layout = fn(&Article) -> String;

/// A page of every layout in every language.
pub fn samples() -> Vec<WebPageSample> {
    let layouts: [(&str, Layout); 8] = [
        ("blog", blog),
        ("news", news),
        ("tables", tables),
        ("plain", plain),
        ("documentation", documentation),
        ("wall", wall),
        ("sections", sections),
        ("comments", comments),
    ];
    let mut samples = Vec::new();
    for (number, (name, layout)) in layouts.into_iter().enumerate() {
        for (language, vocabulary) in VOCABULARIES {
            let article = Article::new(language, vocabulary, number as u64 * 31 + 7);
            samples.push(article.sample(format!("{name} {language}"), layout(&article)));
        }
    }
    samples
}

/// A page of every kind of body in every language, on a page with elements that say what they are, and on one without.
pub fn body_samples() -> Vec<WebPageSample> {
    let layouts: [(&str, Layout); 2] = [("blog", blog), ("news", news)];
    let mut samples = Vec::new();
    for (number, (kind, body)) in BODIES.into_iter().enumerate() {
        for ((language, vocabulary), (name, layout)) in
            VOCABULARIES.into_iter().flat_map(|language| layouts.map(|layout| (language, layout)))
        {
            let article = Article::new(language, vocabulary, number as u64 * 17 + 5).with_body(body);
            samples.push(article.sample(format!("{kind} on {name} {language}"), layout(&article)));
        }
    }
    samples
}

/// How well words were found: the harmonic mean of precision and recall, over words with their number.
#[allow(clippy::cast_precision_loss)] // Pages have few words.
pub fn words_f1(found: &str, expected: &str) -> f64 {
    let words = |text: &str| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        counts
    };
    let (found, expected) = (words(found), words(expected));
    let shared: usize = found.iter().map(|(word, count)| count.min(expected.get(word).unwrap_or(&0))).sum();
    let all = found.values().sum::<usize>() + expected.values().sum::<usize>();
    if all == 0 { 1.0 } else { 2.0 * shared as f64 / all as f64 }
}

/// An article: paragraphs under headings, with a list.
struct Article {
    language: &'static str,
    title: String,
    byline: String,
    lead: String,
    sections: Vec<(String, Vec<String>)>,
    list: Vec<String>,
    /// Sentences of other pages.
    teasers: Vec<String>,
    /// What the layout shows.
    body: Body,
}

impl Article {
    fn new(language: &'static str, vocabulary: &str, seed: u64) -> Self {
        let words: Vec<&str> = vocabulary.split_whitespace().collect();
        let mut state = seed;
        let mut number = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % below as u64).unwrap()
        };
        let mut sentence = |length: usize| {
            let picked: Vec<&str> = (0..length).map(|_| words[number(words.len())]).collect();
            let text = picked.join(" ");
            let mut chars = text.chars();
            chars
                .next()
                .map(|first| first.to_uppercase().chain(chars).collect::<String>())
                .unwrap_or_default()
        };
        let mut paragraph = |sentences: usize| {
            (0..sentences)
                .map(|number| format!("{}, {}.", sentence(6 + number), sentence(7)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let lead = paragraph(2);
        let sections: Vec<_> =
            (0..3).map(|_| (paragraph(1), (0..3).map(|_| paragraph(4)).collect())).collect();
        let sections = sections.into_iter().map(|(heading, paragraphs): (String, Vec<String>)| {
            (heading.split(',').next().unwrap_or_default().to_owned(), paragraphs)
        });
        let sections = sections.collect();
        let list = (0..4).map(|_| paragraph(1)).collect();
        let teasers = (0..8).map(|_| paragraph(1)).collect();
        let title = paragraph(1).split(',').next().unwrap_or_default().to_owned();
        let body = Body { html: String::new(), text: String::new() };
        let article =
            Self { language, title, byline: "Ana Pérez".to_owned(), lead, sections, list, teasers, body };
        let body = article.plain_body();
        Self { body, ..article }
    }

    /// The same with another body.
    fn with_body(self, body: MakeBody) -> Self {
        Self { body: body(&self), ..self }
    }

    fn sample(&self, name: String, html: String) -> WebPageSample {
        WebPageSample {
            name,
            html,
            title: self.title.clone(),
            byline: self.byline.clone(),
            language: self.language,
            text: self.body.text.clone(),
        }
    }

    /// The words that a reader should find in paragraphs and a list.
    fn text(&self) -> String {
        let sections =
            self.sections.iter().map(|(heading, paragraphs)| format!("{heading}\n{}", paragraphs.join("\n")));
        format!("{}\n{}\n{}", self.lead, sections.collect::<Vec<_>>().join("\n"), self.list.join("\n"))
    }

    /// The article as HTML. Some words are links or emphasised.
    fn plain_body(&self) -> Body {
        let mut html = format!("<p>{}</p>\n", linked(&self.lead));
        for (heading, paragraphs) in &self.sections {
            let _ = writeln!(html, "<h2>{heading}</h2>");
            for paragraph in paragraphs {
                let _ = writeln!(html, "<p>{}</p>", linked(paragraph));
            }
        }
        let items: String = self.list.iter().map(|item| format!("<li>{item}</li>")).collect();
        Body { html: html + &format!("<ul>{items}</ul>\n"), text: self.text() }
    }

    fn head(&self) -> String {
        format!(
            "<head><meta charset=\"utf-8\"><title>{title} | Example Site</title><meta property=\"og:title\" content=\"{title}\">\
             <meta name=\"author\" content=\"{byline}\"><meta property=\"article:published_time\" content=\"2026-03-01T10:00:00Z\">\
             <meta property=\"og:site_name\" content=\"Example Site\"><link rel=\"canonical\" href=\"https://example.com/article\">\
             <style>.a{{color:red}}</style><script>var ad = '<p>not text</p>';</script></head>",
            title = self.title,
            byline = self.byline,
        )
    }

    /// A whole page with this body.
    fn page(&self, body: &str) -> String {
        format!("<!DOCTYPE html>\n<html lang=\"{}\">{}<body>{body}</body></html>", self.language, self.head())
    }

    fn navigation(&self) -> String {
        let links = self.teasers.iter().map(|teaser| {
            let words: String = teaser.split(' ').take(2).collect::<Vec<_>>().join(" ");
            format!("<li><a href=\"/x\">{words}</a></li>")
        });
        format!("<nav class=\"menu\"><ul>{}</ul></nav>", links.collect::<String>())
    }

    fn teasers(&self) -> String {
        let links = self.teasers.iter().map(|teaser| format!("<li><a href=\"/y\">{teaser}</a></li>"));
        format!("<div class=\"related\"><h3>More</h3><ul>{}</ul></div>", links.collect::<String>())
    }
}

fn linked(paragraph: &str) -> String {
    let mut words: Vec<String> = paragraph.split(' ').map(str::to_owned).collect();
    if words.len() > 9 {
        words[3] = format!("<a href=\"https://example.com/{}\">{}</a>", words.len(), words[3]);
        words[6] = format!("<strong>{}</strong>", words[6]);
        words[8] = format!("<em>{}</em>", words[8]);
    }
    words.join(" ")
}

fn blog(article: &Article) -> String {
    article.page(&format!(
        "<header id=\"masthead\"><a href=\"/\">Example Site</a>{}</header><main><article class=\"post\"><h1>{}</h1>\
         <p class=\"byline\">By <a rel=\"author\" href=\"/ana\">{}</a></p><div class=\"entry-content\">{}</div></article></main>\
         <aside class=\"sidebar\">{}</aside><footer>© 2026 Example Site. All rights reserved.</footer>",
        article.navigation(), article.title, article.byline, article.body.html, article.teasers()
    ))
}

fn news(article: &Article) -> String {
    article.page(&format!(
        "<div id=\"page\"><div class=\"header\">{nav}</div><div class=\"ad-banner\">Advertisement</div><div class=\"content\" \
         id=\"story\"><h1>{title}</h1><div class=\"share\"><a href=\"#\">Share</a> <a href=\"#\">Tweet</a></div>{body}</div>\
         <div class=\"sidebar\">{teasers}</div><div class=\"footer\">{nav}</div></div>",
        nav = article.navigation(), title = article.title, body = article.body.html, teasers = article.teasers()
    ))
}

fn tables(article: &Article) -> String {
    article.page(&format!(
        "<table width=\"100%\"><tr><td width=\"20%\">{}</td><td><h1>{}</h1><font size=\"2\">{}</font></td><td>{}</td></tr></table>",
        article.navigation(), article.title, article.body.html, article.teasers()
    ))
}

fn plain(article: &Article) -> String {
    article.page(&format!("<h1>{}</h1>{}", article.title, article.body.html))
}

fn documentation(article: &Article) -> String {
    article.page(&format!(
        "<div class=\"wrapper\"><div class=\"toc sidebar\">{}</div><div role=\"main\" class=\"document\"><h1>{}</h1>{}</div></div>\
         <div class=\"footer\">Built with a generator</div>",
        article.navigation(), article.title, article.body.html
    ))
}

fn wall(article: &Article) -> String {
    article.page(&format!(
        "<div class=\"cookie-banner modal\" role=\"dialog\"><p>We use cookies to improve your experience. Accept all cookies or \
         manage your preferences.</p><button>Accept</button></div><section class=\"article-body\"><h1>{}</h1>{}</section>\
         <div class=\"newsletter-popup\"><p>Subscribe to our newsletter and never miss a story.</p></div>",
        article.title, article.body.html
    ))
}

fn sections(article: &Article) -> String {
    let sections = article.sections.iter().map(|(heading, paragraphs)| {
        let paragraphs: String =
            paragraphs.iter().map(|paragraph| format!("<div><p>{}</p></div>", linked(paragraph))).collect();
        format!("<section><h2>{heading}</h2>{paragraphs}</section>")
    });
    let items: String = article.list.iter().map(|item| format!("<li>{item}</li>")).collect();
    article.page(&format!(
        "{}<main><article><header><h1>{}</h1></header><section><p>{}</p></section>{}<section><ol>{items}</ol></section></article>\
         </main>{}",
        article.navigation(), article.title, linked(&article.lead), sections.collect::<String>(), article.teasers()
    ))
}

fn comments(article: &Article) -> String {
    let comments = article
        .teasers
        .iter()
        .map(|teaser| format!("<div class=\"comment\"><b>user</b><p>{teaser}</p></div>"));
    article.page(&format!(
        "<div class=\"post-body\"><h1>{}</h1>{}</div><div id=\"comments\" class=\"comments\">{}</div>",
        article.title,
        article.body.html,
        comments.collect::<String>()
    ))
}
