//! Screenshots for the documentation, taken during the English walkthrough by `cargo xtask pictures`.

use std::path::Path;

use super::{Language, Walkthrough};

const RENEW: &str = "QUIRE_RENEW_PICTURES";
/// The largest screenshot that the repository takes.
const MOST_BYTES: u64 = 200 * 1024;

impl Walkthrough {
    /// Saves the page as docs/pictures/NAME.png if `QUIRE_RENEW_PICTURES` is set.
    pub(super) fn take_screenshot(&mut self, name: &str) {
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
