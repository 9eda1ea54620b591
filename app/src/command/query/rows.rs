//! Prints rows to standard output.
//!
//! JSON is printed as the engine returned it, byte for byte.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use model::Json;

use super::table::{OmittedParts, RowTable};

/// Width of a table that is not printed to a terminal.
const DEFAULT_WIDTH: usize = 120;

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RowFormat {
    /// Columns for people; cells that are too wide are truncated with …
    Table,
    /// One row per line, as JSON
    Jsonl,
    /// One JSON array of all rows
    Json,
}

impl RowFormat {
    /// The default format: a table on a terminal, otherwise JSON lines.
    pub(super) fn for_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Table } else { Self::Jsonl }
    }
}

/// Prints rows.
#[derive(Debug)]
pub(super) struct RowPrinter<W> {
    out: W,
    shape: OutputShape,
    written: u64,
}

#[derive(Debug)]
enum OutputShape {
    Table(RowTable),
    Lines,
    Array,
}

impl<W: Write> RowPrinter<W> {
    /// Without a width, that of the terminal is used.
    pub(super) fn new(format: RowFormat, width: Option<usize>, out: W) -> Self {
        let shape = match format {
            RowFormat::Table => {
                OutputShape::Table(RowTable::new(width.unwrap_or_else(terminal_width)))
            }
            RowFormat::Jsonl => OutputShape::Lines,
            RowFormat::Json => OutputShape::Array,
        };
        Self { out, shape, written: 0 }
    }

    /// Prints a page and flushes it, so that it can be read while the next one is fetched.
    pub(super) fn page<R: AsRef<[u8]>>(&mut self, rows: &[R]) -> io::Result<()> {
        if let OutputShape::Table(table) = &mut self.shape {
            let parsed = rows.iter().map(|row| Json::parse(row.as_ref()).map_err(io::Error::other));
            let parsed = parsed.collect::<io::Result<Vec<Json>>>()?;
            self.out.write_all(table.page(&parsed).as_bytes())?;
        } else {
            for row in rows {
                self.row(row.as_ref())?;
                self.written += 1;
            }
        }
        self.out.flush()
    }

    fn row(&mut self, row: &[u8]) -> io::Result<()> {
        if matches!(self.shape, OutputShape::Array) {
            self.out.write_all(if self.written == 0 { b"[\n" } else { b",\n" })?;
            return self.out.write_all(row);
        }
        self.out.write_all(row)?;
        self.out.write_all(b"\n")
    }

    /// Prints the end. An array is complete even if not all pages were read.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if matches!(self.shape, OutputShape::Array) {
            self.out.write_all(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        self.out.flush()
    }

    /// What a table omitted.
    pub(super) fn omitted(&self) -> OmittedParts {
        match &self.shape {
            OutputShape::Table(table) => table.omitted(),
            OutputShape::Lines | OutputShape::Array => OmittedParts::default(),
        }
    }
}

fn terminal_width() -> usize {
    let size = console::Term::stdout().size_checked();
    size.map_or(DEFAULT_WIDTH, |(_, columns)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: RowFormat, pages: &[&[&str]], expected: &str) {
        let mut out = Vec::new();
        let mut rows = RowPrinter::new(format, Some(80), &mut out);
        for page in pages {
            rows.page(page).unwrap();
        }
        rows.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn an_array_is_one_over_all_pages() {
        check(RowFormat::Json, &[&["1", "2"], &["3"]], "[\n1,\n2,\n3\n]\n");
        check(RowFormat::Json, &[&[], &[]], "[]\n");
    }

    #[test]
    fn lines_are_the_bytes_of_the_engine() {
        check(RowFormat::Jsonl, &[&[r#"{"a":1.50}"#], &["2"]], "{\"a\":1.50}\n2\n");
    }

    #[test]
    fn a_table_has_one_header() {
        check(RowFormat::Table, &[&[r#"{"a":1}"#], &[r#"{"a":2}"#]], "a\n─\n1\n2\n");
    }
}
