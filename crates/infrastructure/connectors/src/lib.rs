//! Things outside that Quire talks to, one module each.

pub mod blob;
