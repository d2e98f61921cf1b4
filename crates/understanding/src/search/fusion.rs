//! Fuses ranked lists by reciprocal rank: a document counts 1 / (5 + rank) in each list, times the weight of the list.

use std::collections::HashMap;
use std::hash::Hash;

/// The constant of reciprocal rank fusion. The larger it is, the less the first ranks stand out. With the usual 60, a document that is
/// fiftieth in both lists comes before one that is first in a list and not in the other.
const K: f64 = 5.0;

/// A list, best first, and how much it counts.
#[derive(Clone, Debug)]
pub struct RankedList<T> {
    /// The items, best first, each once.
    pub items: Vec<T>,
    /// Its weight.
    pub weight: f64,
}

/// All items of the lists with their fused scores, best first. Of equal scores the greater item, which is the newer document, comes
/// first.
pub fn fuse<T: Copy + Eq + Hash + Ord>(lists: &[RankedList<T>]) -> Vec<(T, f64)> {
    let mut scores: HashMap<T, f64> = HashMap::new();
    for list in lists {
        for (item, rank) in list.items.iter().zip(1u32..) {
            *scores.entry(*item).or_default() += list.weight / (K + f64::from(rank));
        }
    }
    let mut fused: Vec<(T, f64)> = scores.into_iter().filter(|(_, score)| *score > 0.0).collect();
    fused.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_both_lists_comes_before_an_item_of_one() {
        let words = RankedList { items: vec![1, 2, 3], weight: 1.0 };
        let meaning = RankedList { items: vec![4, 3], weight: 1.0 };
        let order: Vec<i32> = fuse(&[words.clone(), meaning]).into_iter().map(|(item, _)| item).collect();
        assert_eq!(order, [3, 4, 1, 2]);
        let ignored = RankedList { items: vec![9], weight: 0.0 };
        assert_eq!(fuse(&[words, ignored]).len(), 3);
    }
}
