//! A real browser for tests: Chromium, driven by the Chrome `DevTools` protocol.
//!
//! One Chromium serves all tests of a process. Each [`Tab`] has its own browser context with its own cookies. Dropping a tab
//! checks that its pages threw no exception, broke no content policy and sent requests only to their own server.

mod keyboard;
mod process;
mod screenshot;
mod socket;
mod tab;

pub use tab::Tab;
