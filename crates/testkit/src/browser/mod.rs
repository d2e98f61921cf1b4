//! A real browser, driven as a person would: Debian's Chromium, by its own protocol.
//!
//! One Chromium serves all tests of a process; each [`Tab`] is a browser of its own in it, with its own cookies. A tab that is
//! dropped checks that its pages threw nothing, broke no policy and asked nobody but their own server.

mod keyboard;
mod process;
mod screenshot;
mod socket;
mod tab;

pub use tab::Tab;
