//! Styles, scripts and images of the pages, built into the program.
//!
//! They are served below one folder that is named by a hash of their content. A change gives them a new address, so browsers may
//! cache them for ever, and scripts import each other by plain names.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use crate::{ApiError, Code};

/// A file and its name below the folder.
struct Asset {
    name: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        &[$(Asset { name: $name, bytes: include_bytes!(concat!("../../assets/", $name)) }),*]
    };
}

const ASSETS: &[Asset] = assets![
    "pictures/icon.svg",
    "samples/historia-luna.pdf",
    "scripts/event_stream.js",
    "scripts/events.js",
    "scripts/frame.js",
    "scripts/governance.js",
    "scripts/http.js",
    "scripts/inbox.js",
    "scripts/inbox/dropped_files.js",
    "scripts/inbox/list.js",
    "scripts/inbox/reprocess.js",
    "scripts/inbox/restore.js",
    "scripts/inbox/selection.js",
    "scripts/inbox/shortcuts.js",
    "scripts/inbox/upload.js",
    "scripts/inbox/upload_request.js",
    "scripts/link.js",
    "scripts/links.js",
    "scripts/login.js",
    "scripts/operations.js",
    "scripts/page.js",
    "scripts/proposal.js",
    "scripts/proposals.js",
    "scripts/refresh.js",
    "scripts/review.js",
    "scripts/review/actions.js",
    "scripts/review/add.js",
    "scripts/review/change.js",
    "scripts/review/conflict.js",
    "scripts/review/dialogs.js",
    "scripts/review/editor.js",
    "scripts/review/filter.js",
    "scripts/review/find.js",
    "scripts/review/form.js",
    "scripts/review/hide.js",
    "scripts/review/history.js",
    "scripts/review/hits.js",
    "scripts/review/input.js",
    "scripts/review/pages.js",
    "scripts/review/save.js",
    "scripts/review/shortcuts.js",
    "scripts/review/splitter.js",
    "scripts/review/status.js",
    "scripts/review/text_layer.js",
    "scripts/review/unclear.js",
    "scripts/runs.js",
    "scripts/search.js",
    "scripts/search/ask.js",
    "scripts/search/saved.js",
    "scripts/session.js",
    "scripts/times.js",
    "scripts/toast.js",
    "styles/base.css",
    "styles/governance.css",
    "styles/inbox.css",
    "styles/links.css",
    "styles/login.css",
    "styles/operations.css",
    "styles/proposals.css",
    "styles/review.css",
    "styles/runs.css",
    "styles/search.css",
];

/// The folder: `/assets/` and a short hash of all files.
pub(crate) static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for asset in ASSETS {
        hash.update(asset.name);
        hash.update(asset.bytes);
    }
    let hash = hash.finalize();
    format!(
        "/assets/{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}",
        hash[0], hash[1], hash[2], hash[3], hash[4], hash[5]
    )
});

/// Serves one file. Any folder name finds it, so that a page from before an update still works; only the current one may be
/// cached.
pub(crate) async fn show(Path((folder, name)): Path<(String, String)>) -> Result<Response, ApiError> {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    let asset =
        asset.ok_or_else(|| ApiError::new(Code::NotFound, "there is no such file; reload the page"))?;
    let is_this = FOLDER.strip_prefix("/assets/") == Some(&folder);
    let kept = if is_this { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(asset.name))),
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
    ];
    Ok((headers, asset.bytes).into_response())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("pdf") => "application/pdf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path as Folder;

    use super::*;

    fn names(folder: &Folder, prefix: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries
            .flat_map(|entry| {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    names(&entry.path(), &format!("{name}/"))
                } else {
                    BTreeSet::from([name])
                }
            })
            .collect()
    }

    #[test]
    fn every_file_of_the_folder_is_built_in() {
        let there = names(&Folder::new(env!("CARGO_MANIFEST_DIR")).join("assets"), "");
        let built_in: BTreeSet<_> = ASSETS.iter().map(|asset| asset.name.to_owned()).collect();
        assert_eq!(there, built_in);
    }

    #[test]
    fn every_file_has_a_content_type() {
        for asset in ASSETS {
            assert_ne!(kind(asset.name), "application/octet-stream", "{}", asset.name);
        }
    }

    #[test]
    fn the_sample_matches_its_generator() {
        let sample = ASSETS.iter().find(|asset| asset.name == "samples/historia-luna.pdf").unwrap();
        assert_eq!(sample.bytes, quire_testkit::documents::sample_record());
    }

    #[tokio::test]
    async fn only_files_of_the_current_folder_may_be_cached() {
        let ask = async |folder: &str, name: &str| show(Path((folder.to_owned(), name.to_owned()))).await;
        let own = FOLDER.strip_prefix("/assets/").unwrap();
        let kept = ask(own, "styles/base.css").await.unwrap();
        assert!(kept.headers()[header::CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        let other = ask("0123456789ab", "styles/base.css").await.unwrap();
        assert_eq!(other.headers()[header::CACHE_CONTROL], "no-cache");
        for missing in ["", "styles", "styles/../styles/base.css", "/etc/passwd"] {
            assert_eq!(ask(own, missing).await.unwrap_err().code, Code::NotFound, "{missing}");
        }
    }
}
