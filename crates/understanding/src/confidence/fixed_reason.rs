//! Reasons of values that no model weighs: tables, data inside a file, values that follow from others.

use super::Reason;

/// Why such a value has its confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedReason {
    /// The head of a table names its columns.
    TableHead,
    /// Every cell is a value of its column.
    CellsFit,
    /// Some cells are no values of their columns.
    CellsUnread,
    /// The table lacks some of the columns.
    FewColumns,
    /// The file states it as data.
    InData,
    /// A page shows the same.
    SameOnPage,
    /// No page shows it.
    NotOnPage,
    /// A page shows something else.
    OtherOnPage,
    /// Other data of the file contradicts it.
    Contradicted,
    /// It follows from another value.
    Follows,
}

impl FixedReason {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::TableHead,
        Self::CellsFit,
        Self::CellsUnread,
        Self::FewColumns,
        Self::InData,
        Self::SameOnPage,
        Self::NotOnPage,
        Self::OtherOnPage,
        Self::Contradicted,
        Self::Follows,
    ];

    /// The name in stored reasons and in the texts of the pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TableHead => "table_head",
            Self::CellsFit => "cells_fit",
            Self::CellsUnread => "cells_unread",
            Self::FewColumns => "few_columns",
            Self::InData => "in_data",
            Self::SameOnPage => "same_on_page",
            Self::NotOnPage => "not_on_page",
            Self::OtherOnPage => "other_on_page",
            Self::Contradicted => "contradicted",
            Self::Follows => "follows",
        }
    }

    /// The reason as it is stored.
    pub(crate) fn stated(self) -> Reason {
        let is_for = matches!(
            self,
            Self::TableHead | Self::CellsFit | Self::InData | Self::SameOnPage | Self::Follows
        );
        Reason { feature: self.as_str().to_owned(), is_for }
    }
}
