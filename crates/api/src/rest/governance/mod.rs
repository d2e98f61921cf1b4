//! How the schema changes, over HTTP, for those who govern it.

pub(crate) mod audit_trail;
pub(crate) mod decision;
pub(crate) mod schema;
mod schema_definition;
pub(crate) mod structural_changes;

pub(crate) use audit_trail::audit_trail;
pub(crate) use decision::decide;
pub(crate) use schema::current;
pub(crate) use structural_changes::structural_changes;

/// Items of a list, unless others are asked for, and at most.
const USUAL: u32 = 50;
const MOST: u32 = 200;
