//! Measures whether Quire reads the same words as `PyMuPDF`, in the same order and with the same boxes.
//!
//! Where `PyMuPDF` and pdftotext disagree, it is unclear which one is right. So only files on which they agree count.

use std::path::Path;
use std::process::Command;

use quire_domain::reading::Rect;

use super::boxes;
use super::corpus::Corpus;
use super::matching::match_words;
use super::reader_process::{PlacedWord, ReaderProcess, Task, rect, xtask_variable};
use super::tokens::{Overlap, TokenIds, bigrams};
use crate::report::{Measurement, Table};

/// The target of Quire for the F1 of tokens. `PyMuPDF` and pdftotext agree on a file from the same value on: Quire need not
/// be better than they are.
const TARGET_TOKENS: f64 = 0.95;
/// The same for bigrams.
const TARGET_BIGRAMS: f64 = 0.94;
/// The target for the share of matched words with the same box, in percent.
const TARGET_BOXES: f64 = 98.0;
/// Files with fewer words do not count.
const MIN_WORDS: usize = 20;

/// The environment variable with the path of pdftotext, set by `cargo xtask bench read`.
const PDFTOTEXT: &str = "QUIRE_BENCH_PDFTOTEXT";

/// The words of each page: token id and box.
type Pages = Vec<Vec<(u32, Rect)>>;

/// The comparison of one file.
struct Comparison {
    name: String,
    pages: usize,
    /// `PyMuPDF` compared with pdftotext.
    references: Similarity,
    /// Quire compared with `PyMuPDF`.
    similarity: Similarity,
    boxes: BoxMatches,
}

/// How similar two readings of a file are.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Similarity {
    tokens: Overlap,
    bigrams: Overlap,
}

impl Similarity {
    fn of(first: &[u32], second: &[u32]) -> Self {
        Self { tokens: Overlap::of(first, second), bigrams: Overlap::of(&bigrams(first), &bigrams(second)) }
    }

    fn is_agreement(self) -> bool {
        self.tokens.f1() >= TARGET_TOKENS && self.bigrams.f1() >= TARGET_BIGRAMS
    }
}

/// The words of `PyMuPDF`, those that Quire has too in the same order, and those of them with the same box.
#[derive(Clone, Copy, Default)]
struct BoxMatches {
    words: usize,
    matched: usize,
    same_box: usize,
}

/// Measures the whole corpus.
pub fn measure(corpus: &Corpus) -> Table {
    let (mut pymupdf, mut quire) = (ReaderProcess::pymupdf(), ReaderProcess::quire_on_one_core());
    let all: Vec<Comparison> = corpus
        .files
        .iter()
        .map(|file| {
            let theirs = pymupdf.send(Task::Words, &[&file.path]).pages;
            let ours = quire.send(Task::Words, &[&file.path]).pages;
            compare(&file.name, &ours, &theirs, &pdftotext(&file.path))
        })
        .collect();
    let agreed: Vec<&Comparison> =
        all.iter().filter(|file| file.boxes.words >= MIN_WORDS && file.references.is_agreement()).collect();
    table(&agreed, &all)
}

fn compare(name: &str, ours: &[Vec<PlacedWord>], theirs: &[Vec<PlacedWord>], reference: &str) -> Comparison {
    let mut ids = TokenIds::default();
    let (ours, theirs) = (numbered(ours, &mut ids), numbered(theirs, &mut ids));
    let reference = ids.ids(reference.split_whitespace());
    Comparison {
        name: name.to_owned(),
        pages: theirs.len(),
        references: Similarity::of(&tokens(&theirs), &reference),
        similarity: Similarity::of(&tokens(&ours), &tokens(&theirs)),
        boxes: match_boxes(&ours, &theirs),
    }
}

fn numbered(pages: &[Vec<PlacedWord>], ids: &mut TokenIds) -> Pages {
    let mut page = |words: &Vec<PlacedWord>| {
        words.iter().filter_map(|word| Some((ids.id(&word.4)?, rect(word)))).collect()
    };
    pages.iter().map(&mut page).collect()
}

fn tokens(pages: &Pages) -> Vec<u32> {
    pages.iter().flatten().map(|(token, _)| *token).collect()
}

fn match_boxes(ours: &Pages, theirs: &Pages) -> BoxMatches {
    let mut matches = BoxMatches::default();
    for (ours, theirs) in ours.iter().zip(theirs) {
        let tokens = |page: &[(u32, Rect)]| page.iter().map(|(token, _)| *token).collect::<Vec<_>>();
        let pairs = match_words(&tokens(ours), &tokens(theirs));
        matches.words += theirs.len();
        matches.matched += pairs.len();
        matches.same_box += pairs.iter().filter(|(a, b)| boxes::agree(ours[*a].1, theirs[*b].1)).count();
    }
    matches
}

fn pdftotext(path: &Path) -> String {
    let output =
        Command::new(xtask_variable(PDFTOTEXT)).args(["-enc", "UTF-8"]).arg(path).arg("-").output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn table(agreed: &[&Comparison], all: &[Comparison]) -> Table {
    let mean = |of: fn(&Comparison) -> Overlap| {
        agreed.iter().map(|file| of(file).f1()).sum::<f64>() / agreed.len() as f64
    };
    let pooled = |of: fn(&Comparison) -> Overlap| {
        let mut sum = Overlap::default();
        for file in agreed {
            sum += of(file);
        }
        sum.f1()
    };
    let sum = |of: fn(&BoxMatches) -> usize| agreed.iter().map(|file| of(&file.boxes)).sum::<usize>() as f64;
    let (words, matched, same_box) =
        (sum(|boxes| boxes.words), sum(|boxes| boxes.matched), sum(|boxes| boxes.same_box));
    Table {
        measurements: vec![
            f1("token F1, mean of the files", mean(|file| file.similarity.tokens), TARGET_TOKENS),
            f1("token F1, all words", pooled(|file| file.similarity.tokens), TARGET_TOKENS),
            f1("bigram F1, mean of the files", mean(|file| file.similarity.bigrams), TARGET_BIGRAMS),
            f1("bigram F1, all words", pooled(|file| file.similarity.bigrams), TARGET_BIGRAMS),
            Measurement::at_least(
                "matched words with the same box as PyMuPDF",
                same_box / matched * 100.0,
                TARGET_BOXES,
                " %",
            ),
        ],
        notes: vec![
            format!(
                "PyMuPDF and pdftotext agree on {} of {} files with {} pages and {words} words",
                agreed.len(),
                all.len(),
                agreed.iter().map(|file| file.pages).sum::<usize>()
            ),
            format!("{:.1} % of the words are matched", matched / words * 100.0),
            lowest("token F1", agreed, |file| file.similarity.tokens.f1()),
            lowest("bigram F1", agreed, |file| file.similarity.bigrams.f1()),
            lowest("boxes", agreed, |file| file.boxes.share()),
        ],
    }
}

impl BoxMatches {
    fn share(&self) -> f64 {
        self.same_box as f64 / self.matched.max(1) as f64
    }
}

/// A measurement with three digits, because the relevant values are between 0.9 and 1.
fn f1(name: &str, value: f64, target: f64) -> Measurement {
    Measurement { value: format!("{value:.3}"), ..Measurement::at_least(name, value, target, "") }
}

/// The three files with the lowest values.
fn lowest(name: &str, files: &[&Comparison], value: fn(&Comparison) -> f64) -> String {
    let mut values: Vec<(f64, &str)> = files.iter().map(|file| (value(file), file.name.as_str())).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lowest = values.iter().take(3).map(|(value, name)| format!("{name} {value:.3}"));
    format!("lowest {name}: {}", lowest.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[(&str, f32)]) -> Vec<PlacedWord> {
        words.iter().map(|(text, x)| (*x, 0.0, x + 20.0, 10.0, (*text).to_owned())).collect()
    }

    #[test]
    fn words_are_matched_page_by_page_and_their_boxes_compared() {
        let theirs = [page(&[("uno", 0.0), ("dos", 30.0), ("tres", 60.0)]), page(&[("uno", 0.0)])];
        let ours = [page(&[("uno", 0.5), ("tres", 65.0)]), page(&[("uno", 0.0), ("\u{ad}", 9.0)])];
        let compared = compare("two pages", &ours, &theirs, "uno dos\ntres\u{c}uno");
        let boxes = compared.boxes;
        assert_eq!((boxes.words, boxes.matched, boxes.same_box), (4, 3, 2));
        assert_eq!(compared.similarity, Similarity::of(&[0, 2, 0], &[0, 1, 2, 0]));
        assert!(compared.references.is_agreement() && !compared.similarity.is_agreement());
    }
}
