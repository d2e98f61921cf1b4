//! The priority of a run. It is sorted by rank and never by name, because `high` sorts before `normal` as text.

use crate::pipeline::UnknownName;

/// The priority of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Priority {
    /// The default.
    #[default]
    Normal,
    /// Before all runs of normal priority.
    High,
}

impl Priority {
    /// Both priorities, lowest first.
    pub const ALL: [Self; 2] = [Self::Normal, Self::High];

    /// The rank that databases sort by. A higher rank goes first.
    pub fn rank(self) -> i16 {
        match self {
            Self::Normal => 0,
            Self::High => 1,
        }
    }

    /// The priority of that rank.
    pub fn from_rank(rank: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.rank() == rank)
    }

    /// The name that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::High => "high",
        }
    }

    /// The priority of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|priority| priority.as_str() == name).ok_or_else(|| UnknownName {
            what: "priority",
            name: name.to_owned(),
            known: "normal, high".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R199.
    #[test]
    fn high_outranks_normal_although_its_name_sorts_first() {
        assert!(Priority::High.rank() > Priority::Normal.rank());
        assert!(Priority::High.as_str() < Priority::Normal.as_str());
        for priority in Priority::ALL {
            assert_eq!(Priority::from_rank(priority.rank()), Some(priority));
            assert_eq!(Priority::parse(priority.as_str()), Ok(priority));
        }
        assert!(Priority::parse("urgent").is_err());
    }
}
