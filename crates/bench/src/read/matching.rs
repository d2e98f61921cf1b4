//! Matches the words of two readings: finds the longest common subsequence.

/// Larger tables would need too much memory. On such a page, only the common start and end are matched.
const MAX_TABLE: usize = 16_000_000;

/// Pairs of indexes with the same word, ascending on both sides.
pub fn match_words(first: &[u32], second: &[u32]) -> Vec<(usize, usize)> {
    let start = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    let (rest_of_first, rest_of_second) = (&first[start..], &second[start..]);
    let ends = rest_of_first.iter().rev().zip(rest_of_second.iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    let middle = longest_common(
        &rest_of_first[..rest_of_first.len() - end],
        &rest_of_second[..rest_of_second.len() - end],
    );

    let mut pairs: Vec<_> = (0..start).map(|index| (index, index)).collect();
    pairs.extend(middle.into_iter().map(|(a, b)| (start + a, start + b)));
    pairs.extend((1..=end).rev().map(|back| (first.len() - back, second.len() - back)));
    pairs
}

fn longest_common(first: &[u32], second: &[u32]) -> Vec<(usize, usize)> {
    let width = second.len() + 1;
    if first.is_empty() || second.is_empty() || (first.len() + 1) * width > MAX_TABLE {
        return Vec::new();
    }
    // The number of common words from these two indexes on.
    let mut common = vec![0u32; (first.len() + 1) * width];
    for a in (0..first.len()).rev() {
        for b in (0..second.len()).rev() {
            common[a * width + b] = if first[a] == second[b] {
                common[(a + 1) * width + b + 1] + 1
            } else {
                common[(a + 1) * width + b].max(common[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < first.len() && b < second.len() {
        if first[a] == second[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if common[(a + 1) * width + b] >= common[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::match_words;

    #[test]
    fn equal_pages_match_word_by_word() {
        assert_eq!(match_words(&[7, 8, 7], &[7, 8, 7]), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(match_words(&[], &[1]), []);
    }

    #[test]
    fn a_word_that_one_side_lacks_or_splits_does_not_shift_the_others() {
        assert_eq!(match_words(&[1, 2, 3, 4], &[1, 3, 4]), [(0, 0), (2, 1), (3, 2)]);
        assert_eq!(match_words(&[1, 20, 3, 4], &[1, 8, 9, 3, 5, 4]), [(0, 0), (2, 3), (3, 5)]);
    }

    #[test]
    fn a_moved_line_is_not_matched_out_of_order() {
        let pairs = match_words(&[1, 2, 3, 4, 5, 6], &[4, 5, 6, 1, 2, 3, 9]);
        assert_eq!(pairs.len(), 3);
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{pairs:?}");
    }

    #[test]
    fn start_and_end_never_match_the_same_word_twice() {
        assert_eq!(match_words(&[1, 1], &[1, 1, 1]), [(0, 0), (1, 1)]);
        assert_eq!(match_words(&[1, 2, 1], &[1, 2, 1, 2, 1]).len(), 3);
    }
}
