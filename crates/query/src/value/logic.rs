//! Three-valued logic: `None` is undefined.
//!
//! Owns AND, OR and NOT. Does not own which values count as Booleans: see `Value::as_bool`.

/// `left AND right`: false wins over undefined, because no value of the undefined side could make the result true.
#[must_use]
pub fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// `left OR right`: true wins over undefined, because no value of the undefined side could make the result false.
#[must_use]
pub fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// `NOT operand`.
#[must_use]
pub fn not(operand: Option<bool>) -> Option<bool> {
    operand.map(|value| !value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Option<bool> = Some(true);
    const F: Option<bool> = Some(false);
    const U: Option<bool> = None;

    #[test]
    fn the_tables_are_those_of_the_language() {
        let operands = [T, F, U];
        let conjunctions = [[T, F, U], [F, F, F], [U, F, U]];
        let disjunctions = [[T, T, T], [T, F, U], [T, U, U]];
        for (row, left) in operands.into_iter().enumerate() {
            for (column, right) in operands.into_iter().enumerate() {
                assert_eq!(and(left, right), conjunctions[row][column]);
                assert_eq!(or(left, right), disjunctions[row][column]);
            }
        }
        assert_eq!([not(T), not(F), not(U)], [F, T, U]);
    }
}
