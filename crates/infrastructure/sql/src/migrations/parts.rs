//! The parts of a migration file.
//!
//! A file without a directive is one transaction. A line with a directive begins a part:
//!
//! ```sql
//! -- transaction
//! -- no-transaction
//! -- in batches of documents.id
//! -- fields in batches of documents.id
//! ```
//!
//! Parts run one after the other, and each is recorded when it is done. So a migration that was interrupted continues where
//! it was. A large table is changed in batches, with short transactions: nobody waits long for a row, and every other
//! process goes on. The statement of a batch changes the rows whose key is above the first parameter and not above the
//! second. What is added meanwhile must be right from the beginning, by a default or a trigger of an earlier part.
//!
//! A part with fields has two statements. The first returns the `version_number` and `data` of interpretations, by the same
//! two parameters. The second gets the rows of their fields ([`quire_understanding::field_rows`]) as its only parameter, a
//! JSON array. Both stand in the file, so that they match the tables as the migration knows them.

/// One part of a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationPart {
    /// How it runs.
    pub kind: PartKind,
    /// Its SQL.
    pub sql: String,
}

impl MigrationPart {
    /// The first statement of a part that runs in batches, without comments.
    pub fn statement(&self) -> String {
        statements(&self.sql).into_iter().next().unwrap_or_default()
    }

    /// The second statement of a part with fields, without comments.
    pub fn insert_statement(&self) -> String {
        statements(&self.sql).into_iter().nth(1).unwrap_or_default()
    }
}

/// How a part runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// All its statements run in one transaction.
    Transaction,
    /// Its statements run one by one, without a transaction. Each can be run again.
    Statements,
    /// Its statement runs once for each batch of rows of a table, in a transaction of its own.
    Batches {
        /// The table.
        table: String,
        /// The column by which the table is walked: a primary key of type uuid.
        key: String,
        /// Whether its statements read interpretations and write the rows of their fields.
        fields: bool,
    },
}

impl PartKind {
    /// The kind that a line begins.
    fn of(line: &str) -> Option<Self> {
        match line.trim_end() {
            "-- transaction" => Some(Self::Transaction),
            "-- no-transaction" => Some(Self::Statements),
            line => {
                let (fields, line) = match line.strip_prefix("-- fields in batches of ") {
                    Some(rest) => (true, rest),
                    None => (false, line.strip_prefix("-- in batches of ")?),
                };
                let (table, key) = line.split_once('.')?;
                Some(Self::Batches { table: table.to_owned(), key: key.to_owned(), fields })
            }
        }
    }
}

/// The parts of a file, in order.
pub fn parts(file: &str) -> Vec<MigrationPart> {
    let mut parts = vec![MigrationPart { kind: PartKind::Transaction, sql: String::new() }];
    for line in file.lines() {
        match (PartKind::of(line), parts.last_mut()) {
            (Some(kind), _) => parts.push(MigrationPart { kind, sql: String::new() }),
            (None, Some(part)) => {
                part.sql.push_str(line);
                part.sql.push('\n');
            }
            (None, None) => {}
        }
    }
    // What stands before the first directive is often only a comment.
    let is_empty = |part: &MigrationPart| statements(&part.sql).is_empty();
    if !parts.iter().all(is_empty) {
        parts.retain(|part| !is_empty(part));
    }
    parts
}

/// The statements of a part that runs them one by one. Such parts contain no quoted semicolons.
pub fn statements(sql: &str) -> Vec<String> {
    let code: Vec<&str> = sql.lines().filter(|line| !line.starts_with("--")).collect();
    let code = code.join("\n");
    code.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
