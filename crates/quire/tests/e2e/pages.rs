//! Tests of the pages in a real browser. They run on SQLite only: the HTTP tests cover both stores.

mod accessibility;
mod frame;
mod governance;
mod inbox;
mod links;
mod login;
mod proposals;
mod review;
mod runs;
mod search;
mod walkthrough;
