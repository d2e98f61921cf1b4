//! The pictures of the documentation are taken while the story is told in English, when somebody wants them renewed
//! (`cargo xtask pictures`).

use std::path::Path;

use super::{Day, Language};

const RENEW: &str = "QUIRE_RENEW_PICTURES";
/// What a picture may weigh in the repository.
const MOST_BYTES: u64 = 200 * 1024;

impl Day {
    /// Keeps what is seen now as docs/pictures/NAME.png, if that is wanted.
    pub(super) fn keeps_a_picture(&mut self, name: &str) {
        if self.language != Language::English || std::env::var_os(RENEW).is_none() {
            return;
        }
        self.tab.until("document.getAnimations().length === 0");
        self.tab.until("[...document.images].every((image) => image.loading === 'lazy' || image.complete)");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/pictures/{name}.png"));
        self.tab.screenshot(&file);
        let size = std::fs::metadata(&file).unwrap().len();
        assert!(size < MOST_BYTES, "{name}.png has {size} bytes");
    }
}
