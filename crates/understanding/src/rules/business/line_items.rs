//! Tells which rows are line items. Their sums are no totals.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::BusinessDocument;
use super::phrases::phrase_words;
use super::totals::{NET, ROLES};
use crate::Normaliser;

/// The most words of the label of the items: "Description of Services".
const MAX_LABEL_WORDS: usize = 3;
/// The fewest cells of a head whose last column alone is one of items.
const MIN_CELLS_WITH_SUM: usize = 5;
/// The most cells of such a head.
const MAX_HEAD_CELLS: usize = 16;
/// Heads of columns that a table of items has.
const ITEM_COLUMNS: [&str; 50] = [
    "quantity",
    "qty",
    "units",
    "hours",
    "hrs",
    "rate",
    "price",
    "unit price",
    "amount",
    "line total",
    "cantidad",
    "cant",
    "uds",
    "unidades",
    "horas",
    "precio",
    "precio unitario",
    "importe",
    "menge",
    "anzahl",
    "stunden",
    "std",
    "preis",
    "einzelpreis",
    "e preis",
    "betrag",
    "gesamtpreis",
    "quantite",
    "qte",
    "heures",
    "prix",
    "prix unitaire",
    "pu ht",
    "montant",
    "montant ht",
    "quantita",
    "qta",
    "ore",
    "prezzo",
    "prezzo unitario",
    "importo",
    "aantal",
    "uren",
    "prijs",
    "stuksprijs",
    "bedrag",
    "quantidade",
    "qtd",
    "preco",
    "preco unitario",
];

/// The same in the form in which labels are compared.
static ITEM_COLUMN_FORMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| ITEM_COLUMNS.iter().map(|column| phrase_words(column).join(" ")).collect());

impl BusinessDocument<'_> {
    /// Whether each row is a line item: it stands below a head with the label of a repeatable key, and above the totals.
    pub(super) fn item_rows(&self) -> Vec<bool> {
        let mut page = None;
        let rows = self.layout.rows.iter().enumerate().map(|(row, cells)| {
            let own = self.layout.cells[cells.start].page;
            let is_head = self.is_item_head(row);
            if is_head {
                page = Some(own);
            } else if page.is_some_and(|page| page != own) || self.is_total_row(row) {
                page = None;
            }
            page.is_some() && !is_head
        });
        rows.collect()
    }

    pub(super) fn is_item_head(&self, row: usize) -> bool {
        let cells = self.layout.rows[row].clone();
        let phrase = |cell: usize| self.phrase(cell, &self.layout.cells[cell].token_range(), true);
        let key_of = |words: &[String]| {
            let found = self.phrases.longest(words)?;
            let is_most = found.count == words.len()
                || (words.len() <= MAX_LABEL_WORDS && 2 * found.count >= words.len());
            found.meaning.key.filter(|_| is_most)
        };
        let is_label =
            |cell: usize| key_of(&phrase(cell)).is_some_and(|key| self.schema.keys[key].repeatable);
        let is_head = cells.len() >= 2 && cells.clone().all(|cell| self.mentions.in_cell(cell).is_empty());
        is_head && (cells.clone().any(is_label) || self.has_item_columns(cells))
    }

    /// Whether a row has two heads of columns of items, or one at its end, beside others, and none of a sum of the document.
    fn has_item_columns(&self, cells: std::ops::Range<usize>) -> bool {
        if !(3..=MAX_HEAD_CELLS).contains(&cells.len()) {
            return false;
        }
        let (mut count, mut is_last) = (0, false);
        let all = cells.len();
        for cell in cells {
            is_last = false;
            let words = self.phrase(cell, &self.layout.cells[cell].token_range(), true);
            let known = words.join(" ");
            if ITEM_COLUMN_FORMS.contains(&known) {
                count += 1;
                is_last = true;
                continue;
            }
            let key = self.phrases.longest(&words).and_then(|found| found.meaning.key);
            let is_sum = |key: usize| {
                matches!(self.schema.keys[key].normaliser, Normaliser::NetSum | Normaliser::TaxSum)
            };
            if key.is_some_and(is_sum) {
                return false;
            }
        }
        (count >= 2 || (is_last && all >= MIN_CELLS_WITH_SUM)) && count < all
    }

    /// Whether a row is the head of a table of rates: the net amount beside the tax, or beside the total.
    fn is_head_of_rates(&self, row: usize) -> bool {
        let cells = self.layout.rows[row].clone();
        let roles = |cell: usize| {
            let words = self.phrase(cell, &self.layout.cells[cell].token_range(), true);
            let found = self.phrases.longest(&words).filter(|found| 2 * found.count >= words.len())?;
            let normaliser = self.schema.keys[found.meaning.key?].normaliser;
            ROLES.iter().position(|role| *role == normaliser)
        };
        let is_head = (2..=MAX_HEAD_CELLS).contains(&cells.len())
            && cells.clone().all(|cell| self.mentions.in_cell(cell).is_empty());
        if !is_head {
            return false;
        }
        let found: HashSet<usize> = cells.filter_map(roles).collect();
        found.len() > 1 && found.contains(&NET)
    }

    /// Whether a row starts with the label of a sum, or is a head of totals.
    fn is_total_row(&self, row: usize) -> bool {
        if self.is_head_of_rates(row) {
            return true;
        }
        let mut cells = self.layout.rows[row].clone();
        cells.find(|cell| !self.is_values_only(*cell)).is_some_and(|cell| {
            let words = self.phrase(cell, &self.layout.cells[cell].token_range(), false);
            self.phrases.longest(&words).is_some_and(|found| {
                let is_sum = found.meaning.key.is_some_and(|key| self.schema.keys[key].normaliser.is_sum());
                is_sum && 2 * found.count >= words.len()
            })
        })
    }
}
