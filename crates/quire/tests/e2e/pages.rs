//! The pages, in a real browser, used as a person uses them. Stores do not matter here: what pages ask for is proved on both by
//! the stories over HTTP, so that these are told on SQLite.

mod axe;
mod day;
mod frame;
mod governance;
mod inbox;
mod login;
mod review;
mod runs;
