//! Changes of schemas, one file per operation.

pub(crate) mod audit_trail;
pub(crate) mod decision;
pub(crate) mod schema;
mod schema_definition;
pub(crate) mod structural_changes;

pub(crate) use audit_trail::audit_trail;
pub(crate) use decision::decide;
pub(crate) use schema::current;
pub(crate) use structural_changes::structural_changes;

/// The default and the largest number of items.
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;
