//! Tables with aligned columns.

/// Formats rows under a header; the columns listed in `numbers` are right-aligned.
pub(crate) fn table(head: &[&str], numbers: &[usize], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(rows).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = all.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &&Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if numbers.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn numbers_are_right_aligned() {
        let rows = [vec!["a".to_owned(), "7.00".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["what", "RU", "why"], &[1], &rows), "what    RU  why\na     7.00  x");
    }
}
