//! The pages that one step has read and a later step of the same claim needs too, so that they are not read and parsed again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::reading::Reading;
use quire_domain::{Fence, Run, RunId};

/// The most words of all kept pages together. With its place a word takes about 100 bytes.
const MAX_WORDS: usize = 200_000;

/// Pages of runs between two steps. What does not fit is forgotten, and the step that needs it reads it again.
#[derive(Default)]
pub struct KeptPages(Mutex<VecDeque<Kept>>);

struct Kept {
    claim: (RunId, Fence),
    words: usize,
    pages: LoadedPages,
}

/// What is kept of a run.
pub(super) struct LoadedPages {
    pub(super) reading: Arc<Reading>,
    pub(super) language: Option<String>,
}

impl KeptPages {
    /// Keeps the pages of a run for a step that follows in the same claim.
    pub(super) fn keep(&self, run: &Run, pages: LoadedPages) {
        let lines = pages.reading.pages.iter().flat_map(|page| &page.lines);
        // Pages without words count too, because a run that is lost never takes its pages.
        let words = 1 + lines.map(|line| line.words.len()).sum::<usize>();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(Kept { claim: (run.id, run.fence), words, pages });
        while kept.iter().map(|kept| kept.words).sum::<usize>() > MAX_WORDS {
            kept.pop_front();
        }
    }

    /// The pages of a run, if they were kept in this claim. They are no longer kept then.
    pub(super) fn take(&self, run: &Run) -> Option<LoadedPages> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|kept| kept.claim == (run.id, run.fence))?;
        kept.remove(place).map(|kept| kept.pages)
    }
}

#[cfg(test)]
mod tests {
    use quire_domain::SubjectId;
    use quire_domain::reading::{Line, Page, Rect, Word};
    use quire_domain::run::create;
    use quire_testkit::fixture::{at, document_run};

    use super::*;

    fn a_run() -> Run {
        create(&document_run(SubjectId::new()), at(0)).0
    }

    fn pages(words: usize) -> LoadedPages {
        let line = Line {
            words: vec![Word::new("otitis", Rect { x0: 0.0, y0: 0.0, x1: 9.0, y1: 9.0 }); words],
            opens_paragraph: true,
        };
        let page = Page { lines: vec![line], ..Page::default() };
        LoadedPages { reading: Arc::new(Reading { pages: vec![page] }), language: Some("es".to_owned()) }
    }

    #[test]
    fn pages_are_taken_once_and_in_the_claim_that_kept_them() {
        let (kept, run) = (KeptPages::default(), a_run());
        kept.keep(&run, pages(3));
        let later = Run { fence: Fence(run.fence.0 + 1), ..run.clone() };
        assert!(kept.take(&later).is_none());
        assert_eq!(kept.take(&run).unwrap().language.as_deref(), Some("es"));
        assert!(kept.take(&run).is_none());
    }

    #[test]
    fn what_does_not_fit_is_forgotten() {
        let (kept, first, second) = (KeptPages::default(), a_run(), a_run());
        kept.keep(&first, pages(MAX_WORDS / 2 + 1));
        kept.keep(&second, pages(MAX_WORDS / 2 + 1));
        assert!(kept.take(&first).is_none() && kept.take(&second).is_some());
        kept.keep(&first, pages(MAX_WORDS + 1));
        assert!(kept.take(&first).is_none());
    }
}
