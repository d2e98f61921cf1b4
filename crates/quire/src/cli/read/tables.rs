//! Prints the tables of documents.

use quire_domain::reading::Table;
use serde_json::{Value, json};

/// The format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TableFormat {
    /// The rows of each table, with an empty line between two tables
    Csv,
    /// A line per table with its cells
    Json,
}

/// The tables as text.
pub(super) fn written(file: &str, tables: &[Table], format: TableFormat) -> String {
    match format {
        TableFormat::Csv => tables.iter().map(csv).collect::<Vec<_>>().join("\n"),
        TableFormat::Json => {
            let lines = tables.iter().zip(1..).map(|(table, number)| line(file, table, number).to_string());
            lines.flat_map(|line| [line, "\n".to_owned()]).collect()
        }
    }
}

/// A table as JSON: its rows as texts, and its cells with their places.
pub(super) fn line(file: &str, table: &Table, number: usize) -> Value {
    json!({ "file": file, "table": number, "head_rows": table.head_rows, "rows": table.grid(), "cells": table.cells })
}

fn csv(table: &Table) -> String {
    let row = |row: &Vec<&str>| row.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(",") + "\n";
    table.grid().iter().map(row).collect()
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
