//! Things outside that Quire talks to, one module each.

pub mod blob;
pub mod http;
pub mod model;
