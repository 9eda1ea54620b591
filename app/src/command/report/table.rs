//! Prints tables with aligned columns.

use console::measure_text_width;

use crate::error::CommandError;
use crate::output::line;

/// Wider cells are truncated.
const WIDTH_MAX: usize = 100;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Prints a table with a heading; nothing if it has no rows.
pub(super) fn print_table(
    heading: &str,
    columns: &[(&str, Align)],
    rows: &[Vec<String>],
) -> Result<(), CommandError> {
    if rows.is_empty() {
        return Ok(());
    }
    line("")?;
    line(heading)?;
    let head: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(&head)
        .chain(rows)
        .map(|row| row.iter().map(|cell| cut(cell)).collect())
        .collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|place| {
            let cells = all.iter().filter_map(|row| row.get(place));
            cells.map(|cell| measure_text_width(cell)).max().unwrap_or(0)
        })
        .collect();
    for row in &all {
        line(row_text(row, columns, &widths))?;
    }
    Ok(())
}

fn row_text(row: &[String], columns: &[(&str, Align)], widths: &[usize]) -> String {
    let mut text = String::new();
    for ((cell, (_, align)), width) in row.iter().zip(columns).zip(widths) {
        let fill = " ".repeat(width.saturating_sub(measure_text_width(cell)));
        match align {
            Align::Left => text += &format!("  {cell}{fill}"),
            Align::Right => text += &format!("  {fill}{cell}"),
        }
    }
    text.trim_end().to_owned()
}

fn cut(cell: &str) -> String {
    if measure_text_width(cell) <= WIDTH_MAX {
        return cell.to_owned();
    }
    let kept: String = cell.chars().take(WIDTH_MAX - 3).collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_long_cells_cut() {
        let columns = [("name", Align::Left), ("RU", Align::Right), ("why", Align::Left)];
        let row = ["a".to_owned(), "7".to_owned(), "b".to_owned()];
        assert_eq!(row_text(&row, &columns, &[4, 3, 5]), "  a       7  b");
        assert_eq!(cut(&"x".repeat(200)).len(), WIDTH_MAX);
    }
}
