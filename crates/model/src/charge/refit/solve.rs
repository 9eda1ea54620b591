//! Least squares by normal equations.
//!
//! Owns a small dense solver. Unknowns that the rows do not determine are not changed and are reported as such.

/// If a pivot is below this fraction of its original diagonal, the unknown is a combination of others.
const PIVOT_MIN: f64 = 1e-9;

/// The corrections that minimize the squared distance of rows times corrections to the targets; `None` for an unknown
/// that the rows do not determine.
pub(super) fn least_squares(rows: &[Vec<f64>], targets: &[f64]) -> Vec<Option<f64>> {
    let unknowns = rows.first().map_or(0, Vec::len);
    let mut system = normal_equations(rows, targets, unknowns);
    let diagonal: Vec<f64> = (0..unknowns).map(|place| at(&system, place, place)).collect();
    let mut solved: Vec<usize> = Vec::new();
    loop {
        let open = (0..unknowns).filter(|place| !solved.contains(place));
        let share = |place: &usize| {
            let whole = diagonal.get(*place).copied().unwrap_or_default();
            if whole > 0.0 { at(&system, *place, *place) / whole } else { 0.0 }
        };
        // The pivot that lost least of its diagonal, for numerical stability. The share makes constants of different
        // magnitude comparable.
        let best = open.max_by(|left, right| share(left).total_cmp(&share(right)));
        let Some(pivot) = best.filter(|place| share(place) > PIVOT_MIN) else { break };
        eliminate(&mut system, pivot);
        solved.push(pivot);
    }
    (0..unknowns)
        .map(|place| solved.contains(&place).then(|| at(&system, place, unknowns)))
        .collect()
}

/// The rows of the symmetric system, each followed by its right-hand side.
fn normal_equations(rows: &[Vec<f64>], targets: &[f64], unknowns: usize) -> Vec<Vec<f64>> {
    let mut system = vec![vec![0.0; unknowns + 1]; unknowns];
    for (row, target) in rows.iter().zip(targets) {
        for (equation, left) in system.iter_mut().zip(row) {
            for (sum, right) in equation.iter_mut().zip(row.iter().chain([target])) {
                *sum += left * right;
            }
        }
    }
    system
}

/// Turns the column of a pivot into a unit column.
fn eliminate(system: &mut [Vec<f64>], pivot: usize) {
    let value = at(system, pivot, pivot);
    let Some(row) = system.get_mut(pivot) else { return };
    row.iter_mut().for_each(|entry| *entry /= value);
    // Copied, because the other rows of the same system are changed.
    let row = row.clone();
    for (place, other) in system.iter_mut().enumerate().filter(|(place, _)| *place != pivot) {
        debug_assert_ne!(place, pivot);
        let factor = other.get(pivot).copied().unwrap_or_default();
        for (entry, above) in other.iter_mut().zip(&row) {
            *entry -= factor * above;
        }
    }
}

fn at(system: &[Vec<f64>], row: usize, column: usize) -> f64 {
    system.get(row).and_then(|row| row.get(column)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::least_squares;

    fn check(rows: &[[f64; 2]], targets: &[f64], expected: [Option<f64>; 2]) {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        let found = least_squares(&rows, targets);
        for (found, expected) in found.iter().zip(expected) {
            match (found, expected) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-9),
                (found, expected) => assert_eq!(*found, expected),
            }
        }
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_line_through_points_is_found() {
        check(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], &[1.0, 3.0, 5.0], [Some(1.0), Some(2.0)]);
        // The best line where there is none through all.
        check(&[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], &[0.0, 2.0, 1.0], [Some(0.5), Some(0.5)]);
    }

    #[test]
    fn what_rows_do_not_determine_is_said_to_be_so() {
        check(&[[2.0, 0.0], [4.0, 0.0]], &[1.0, 2.0], [Some(0.5), None]);
        let together = least_squares(&[vec![1.0, 1.0], vec![2.0, 2.0]], &[1.0, 2.0]);
        assert_eq!(together.iter().flatten().count(), 1);
        assert_eq!(least_squares(&[], &[]), Vec::<Option<f64>>::new());
    }
}
