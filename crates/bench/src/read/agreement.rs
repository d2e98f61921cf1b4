//! Whether Quire reads the words that `PyMuPDF` reads, in its order and at its places.
//!
//! Where `PyMuPDF` and pdftotext disagree there is no telling who is right, so only files on which they agree count.

use std::path::Path;
use std::process::Command;

use quire_domain::reading::Rect;

use super::boxes;
use super::contender::{Contender, PlacedWord, Task, from_xtask, rect};
use super::corpus::Corpus;
use super::matching::matched;
use super::tokens::{Numbering, Overlap, bigrams};
use crate::report::{Line, Table};

/// What is wanted of Quire, and from where on `PyMuPDF` and pdftotext are said to agree on a file: Quire is not asked
/// for more than they achieve between them.
const TOKENS: f64 = 0.95;
const BIGRAMS: f64 = 0.94;
/// The share of the matched words at `PyMuPDF`'s place, in per cent.
const PLACES: f64 = 98.0;
/// A file with fewer words says little.
const ENOUGH_WORDS: usize = 20;

/// Where `cargo xtask bench read` tells which pdftotext to run.
const PDFTOTEXT: &str = "QUIRE_BENCH_PDFTOTEXT";

/// Words as numbers, with their places, page by page.
type Pages = Vec<Vec<(u32, Rect)>>;

/// How one file was read.
struct Comparison {
    name: String,
    pages: usize,
    /// `PyMuPDF` and pdftotext.
    referees: Likeness,
    /// Quire and `PyMuPDF`.
    likeness: Likeness,
    places: Places,
}

/// How much two readings of a file have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Likeness {
    tokens: Overlap,
    bigrams: Overlap,
}

impl Likeness {
    fn of(first: &[u32], second: &[u32]) -> Self {
        Self { tokens: Overlap::of(first, second), bigrams: Overlap::of(&bigrams(first), &bigrams(second)) }
    }

    fn is_agreement(self) -> bool {
        self.tokens.f1() >= TOKENS && self.bigrams.f1() >= BIGRAMS
    }
}

/// Words of `PyMuPDF`'s, those that Quire has too in the same order, and those of them at the same place.
#[derive(Clone, Copy, Default)]
struct Places {
    words: usize,
    matched: usize,
    agreed: usize,
}

/// The table.
pub fn measure(corpus: &Corpus) -> Table {
    let (mut pymupdf, mut quire) = (Contender::pymupdf(), Contender::quire_on_one_core());
    let all: Vec<Comparison> = corpus
        .specimens
        .iter()
        .map(|specimen| {
            let theirs = pymupdf.ask(Task::Words, &[&specimen.path]).pages;
            let ours = quire.ask(Task::Words, &[&specimen.path]).pages;
            compare(&specimen.name, &ours, &theirs, &pdftotext(&specimen.path))
        })
        .collect();
    let settled: Vec<&Comparison> =
        all.iter().filter(|file| file.places.words >= ENOUGH_WORDS && file.referees.is_agreement()).collect();
    table(&settled, &all)
}

fn compare(name: &str, ours: &[Vec<PlacedWord>], theirs: &[Vec<PlacedWord>], second: &str) -> Comparison {
    let mut numbering = Numbering::default();
    let (ours, theirs) = (numbered(ours, &mut numbering), numbered(theirs, &mut numbering));
    let second = numbering.numbers(second.split_whitespace());
    Comparison {
        name: name.to_owned(),
        pages: theirs.len(),
        referees: Likeness::of(&tokens(&theirs), &second),
        likeness: Likeness::of(&tokens(&ours), &tokens(&theirs)),
        places: places(&ours, &theirs),
    }
}

fn numbered(pages: &[Vec<PlacedWord>], numbering: &mut Numbering) -> Pages {
    let mut page = |words: &Vec<PlacedWord>| {
        words.iter().filter_map(|word| Some((numbering.number(&word.4)?, rect(word)))).collect()
    };
    pages.iter().map(&mut page).collect()
}

fn tokens(pages: &Pages) -> Vec<u32> {
    pages.iter().flatten().map(|(token, _)| *token).collect()
}

fn places(ours: &Pages, theirs: &Pages) -> Places {
    let mut places = Places::default();
    for (ours, theirs) in ours.iter().zip(theirs) {
        let tokens = |page: &[(u32, Rect)]| page.iter().map(|(token, _)| *token).collect::<Vec<_>>();
        let pairs = matched(&tokens(ours), &tokens(theirs));
        places.words += theirs.len();
        places.matched += pairs.len();
        places.agreed += pairs.iter().filter(|(a, b)| boxes::agree(ours[*a].1, theirs[*b].1)).count();
    }
    places
}

fn pdftotext(path: &Path) -> String {
    let output =
        Command::new(from_xtask(PDFTOTEXT)).args(["-enc", "UTF-8"]).arg(path).arg("-").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn table(settled: &[&Comparison], all: &[Comparison]) -> Table {
    let mean = |of: fn(&Comparison) -> Overlap| {
        settled.iter().map(|file| of(file).f1()).sum::<f64>() / settled.len() as f64
    };
    let pooled = |of: fn(&Comparison) -> Overlap| {
        let mut sum = Overlap::default();
        for file in settled {
            sum += of(file);
        }
        sum.f1()
    };
    let sum = |of: fn(&Places) -> usize| settled.iter().map(|file| of(&file.places)).sum::<usize>() as f64;
    let (words, matched, agreed) =
        (sum(|places| places.words), sum(|places| places.matched), sum(|places| places.agreed));
    Table {
        lines: vec![
            f1("token F1, mean of the files", mean(|file| file.likeness.tokens), TOKENS),
            f1("token F1, all words", pooled(|file| file.likeness.tokens), TOKENS),
            f1("bigram F1, mean of the files", mean(|file| file.likeness.bigrams), BIGRAMS),
            f1("bigram F1, all words", pooled(|file| file.likeness.bigrams), BIGRAMS),
            Line::at_least("matched words at PyMuPDF's place", agreed / matched * 100.0, PLACES, " %"),
        ],
        notes: vec![
            format!(
                "PyMuPDF and pdftotext agree that much on {} of {} files, which have {} pages and {words} words",
                settled.len(),
                all.len(),
                settled.iter().map(|file| file.pages).sum::<usize>()
            ),
            format!("{:.1} % of the words are matched", matched / words * 100.0),
            lowest("token F1", settled, |file| file.likeness.tokens.f1()),
            lowest("bigram F1", settled, |file| file.likeness.bigrams.f1()),
            lowest("places", settled, |file| file.places.share()),
        ],
    }
}

impl Places {
    fn share(&self) -> f64 {
        self.agreed as f64 / self.matched.max(1) as f64
    }
}

/// A line with one more digit than usual: all that matters here lies between 0.9 and 1.
fn f1(what: &str, value: f64, wanted: f64) -> Line {
    Line { figure: format!("{value:.3}"), ..Line::at_least(what, value, wanted, "") }
}

/// The files that fared worst, by name.
fn lowest(what: &str, files: &[&Comparison], figure: fn(&Comparison) -> f64) -> String {
    let mut figures: Vec<(f64, &str)> = files.iter().map(|file| (figure(file), file.name.as_str())).collect();
    figures.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named = figures.iter().take(3).map(|(figure, name)| format!("{name} {figure:.3}"));
    format!("lowest {what}: {}", named.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[(&str, f32)]) -> Vec<PlacedWord> {
        words.iter().map(|(text, x)| (*x, 0.0, x + 20.0, 10.0, (*text).to_owned())).collect()
    }

    #[test]
    fn words_are_matched_page_by_page_and_their_places_compared() {
        let theirs = [page(&[("uno", 0.0), ("dos", 30.0), ("tres", 60.0)]), page(&[("uno", 0.0)])];
        let ours = [page(&[("uno", 0.5), ("tres", 65.0)]), page(&[("uno", 0.0), ("\u{ad}", 9.0)])];
        let compared = compare("two pages", &ours, &theirs, "uno dos\ntres\u{c}uno");
        let places = compared.places;
        assert_eq!((places.words, places.matched, places.agreed), (4, 3, 2));
        assert_eq!(compared.likeness, Likeness::of(&[0, 2, 0], &[0, 1, 2, 0]));
        assert!(compared.referees.is_agreement() && !compared.likeness.is_agreement());
    }
}
