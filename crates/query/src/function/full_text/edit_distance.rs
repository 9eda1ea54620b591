//! Edit distance (Levenshtein).
//!
//! Counts insertions, deletions and replacements of characters.

/// Whether at most `changes_max` changes turn one word into the other.
pub(super) fn is_within(left: &str, right: &str, changes_max: usize) -> bool {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    // Each change alters the length by one at most. This decides most pairs without the table.
    if left.len().abs_diff(right.len()) > changes_max {
        return false;
    }
    // The dynamic programming table, one row at a time: entry n is the distance to the first n characters of the right
    // word.
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, left_character) in left.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        let mut before = index + 1;
        next.push(before);
        for ((right_character, diagonal), above) in right.iter().zip(&row).zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(left_character != right_character);
            before = replaced.min(above + 1).min(before + 1);
            next.push(before);
        }
        row = next;
    }
    row.last().is_some_and(|changes| *changes <= changes_max)
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn changes_are_counted() {
        for (left, right, changes) in [
            ("", "", 0),
            ("a", "", 1),
            ("kitten", "kitten", 0),
            ("kitten", "sitten", 1),
            ("kitten", "sittin", 2),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
            ("été", "ete", 2),
        ] {
            assert!(is_within(left, right, changes), "{left} {right}");
            assert!(changes == 0 || !is_within(left, right, changes - 1), "{left} {right}");
            assert!(is_within(right, left, changes), "{left} {right}");
        }
    }
}
