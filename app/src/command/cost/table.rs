//! Tables with aligned columns.

/// Rows under a header. The first column is left-aligned, the others right-aligned, except the last if it is text.
pub(super) struct CostTable {
    rows: Vec<Vec<String>>,
    last_is_text: bool,
}

impl CostTable {
    pub(super) fn new(head: &[&str]) -> Self {
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        Self { rows: vec![head], last_is_text: false }
    }

    pub(super) fn with_text_last(head: &[&str]) -> Self {
        Self { last_is_text: true, ..Self::new(head) }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    pub(super) fn print(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let is_text = column == 0 || (self.last_is_text && column + 1 == columns);
                let gap = if column == 0 { "" } else { "  " };
                line += &match is_text {
                    true => format!("{gap}{cell:<width$}"),
                    false => format!("{gap}{cell:>width$}"),
                };
            }
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::CostTable;

    #[test]
    fn numbers_stand_under_each_other() {
        let mut table = CostTable::with_text_last(&["path", "RU", "why"]);
        table.row(["/a".to_owned(), "10.5".to_owned(), "x".to_owned()]);
        table.row(["/long".to_owned(), "1".to_owned(), String::new()]);
        assert_eq!(table.print(), "path     RU  why\n/a     10.5  x\n/long     1");
    }
}
