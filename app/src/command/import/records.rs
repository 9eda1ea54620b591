//! What every format is read as: one record after the other, each with the line it begins in.
//!
//! Owns which format a file has, and the byte order mark that some programs put before a text.

use std::io::{self, BufRead};
use std::path::Path;

use clap::ValueEnum;
use model::Json;

use super::array::Elements;
use super::lines::Lines;
use super::table::{Table, TableOptions};

/// The form of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One item per line, as `planisphere export` writes it
    Jsonl,
    /// One array of items
    Json,
    /// A table: a header row, then one item per row
    Csv,
}

/// One record: an item, or why it is none.
#[derive(Debug, PartialEq)]
pub(super) struct Record {
    /// The line it begins in.
    pub(super) line: u64,
    pub(super) content: Result<Json, String>,
}

/// A reader of records. A failure means that nothing behind it can be read.
pub(super) trait Records: Send {
    fn next(&mut self) -> Result<Option<Record>, String>;
}

impl Format {
    /// By the ending of the name; JSON lines when it says nothing.
    pub(super) fn of(file: Option<&Path>) -> Self {
        let ending = file.and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("csv") => Self::Csv,
            _ => Self::Jsonl,
        }
    }

    /// The records of an input, and the first line of an export if there is one.
    pub(super) fn records(
        self,
        mut input: Box<dyn BufRead + Send>,
        table: &TableOptions,
    ) -> Result<(Box<dyn Records>, Option<Json>), String> {
        skip_mark(&mut input).map_err(|error| error.to_string())?;
        Ok(match self {
            Self::Json => (Box::new(Elements::new(input)), None),
            Self::Csv => (Box::new(Table::new(input, table)?), None),
            Self::Jsonl => {
                let (lines, header) = Lines::new(input)?;
                (Box::new(lines), header)
            }
        })
    }
}

/// Steps over the byte order mark of UTF-8.
pub(super) fn skip_mark(input: &mut dyn BufRead) -> io::Result<()> {
    if input.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
        input.consume(3);
    }
    Ok(())
}

/// The text of a record as an item.
pub(super) fn item(text: &[u8]) -> Result<Json, String> {
    match Json::parse(text) {
        Ok(item @ Json::Object(_)) => Ok(item),
        Ok(other) => Err(format!("is no item but {}", other.type_name())),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}
