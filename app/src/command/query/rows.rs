//! Rows on standard output, in the format that was asked for.
//!
//! Owns the formats and their beginning and end. JSON goes out as the engine made it, byte for byte. Does not own the
//! look of a table.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use model::Json;

use super::table::{LeftOut, Table};

/// Columns of a table that goes elsewhere than to a terminal.
const WIDTH_ELSEWHERE: usize = 120;

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Columns for people; cells that are too wide end with …
    Table,
    /// One row per line, as JSON
    Jsonl,
    /// One JSON array of all rows
    Json,
}

impl Format {
    /// What suits whoever reads standard output.
    pub(super) fn by_reader() -> Self {
        if io::stdout().is_terminal() { Self::Table } else { Self::Jsonl }
    }
}

/// Where rows go.
#[derive(Debug)]
pub(super) struct Rows<W> {
    out: W,
    shape: Shape,
    written: u64,
}

#[derive(Debug)]
enum Shape {
    Table(Table),
    Lines,
    Array,
}

impl<W: Write> Rows<W> {
    /// A width that is not given is that of the terminal.
    pub(super) fn new(format: Format, width: Option<usize>, out: W) -> Self {
        let shape = match format {
            Format::Table => Shape::Table(Table::new(width.unwrap_or_else(terminal_width))),
            Format::Jsonl => Shape::Lines,
            Format::Json => Shape::Array,
        };
        Self { out, shape, written: 0 }
    }

    /// Writes a page and hands it on at once: whoever waits for the next page can read this one.
    pub(super) fn page<R: AsRef<[u8]>>(&mut self, rows: &[R]) -> io::Result<()> {
        if let Shape::Table(table) = &mut self.shape {
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
        if matches!(self.shape, Shape::Array) {
            self.out.write_all(if self.written == 0 { b"[\n" } else { b",\n" })?;
            return self.out.write_all(row);
        }
        self.out.write_all(row)?;
        self.out.write_all(b"\n")
    }

    /// Writes the end; an array is complete even when the pages were not all read.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if matches!(self.shape, Shape::Array) {
            self.out.write_all(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        self.out.flush()
    }

    /// What a table did not show.
    pub(super) fn left_out(&self) -> LeftOut {
        match &self.shape {
            Shape::Table(table) => table.left_out(),
            Shape::Lines | Shape::Array => LeftOut::default(),
        }
    }
}

fn terminal_width() -> usize {
    let size = console::Term::stdout().size_checked();
    size.map_or(WIDTH_ELSEWHERE, |(_, columns)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, pages: &[&[&str]], expected: &str) {
        let mut out = Vec::new();
        let mut rows = Rows::new(format, Some(80), &mut out);
        for page in pages {
            rows.page(page).unwrap();
        }
        rows.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn an_array_is_one_over_all_pages() {
        check(Format::Json, &[&["1", "2"], &["3"]], "[\n1,\n2,\n3\n]\n");
        check(Format::Json, &[&[], &[]], "[]\n");
    }

    #[test]
    fn lines_are_the_bytes_of_the_engine() {
        check(Format::Jsonl, &[&[r#"{"a":1.50}"#], &["2"]], "{\"a\":1.50}\n2\n");
    }

    #[test]
    fn a_table_has_one_header() {
        check(Format::Table, &[&[r#"{"a":1}"#], &[r#"{"a":2}"#]], "a\n─\n1\n2\n");
    }
}
