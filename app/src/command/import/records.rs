//! Records: what every format is read as, each with its line number.
//!
//! Also chooses the format of a file and skips a byte order mark.

use std::io::{self, BufRead};
use std::path::Path;

use clap::ValueEnum;
use model::Json;

use super::array::ArrayReader;
use super::csv_table::{CsvTable, TableOptions};
use super::lines::LineReader;

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ImportFormat {
    /// One item per line, as `planisphere export` writes it
    Jsonl,
    /// One array of items
    Json,
    /// A table: a header row, then one item per row
    Csv,
}

/// One record: an item, or the reason why it is not one.
#[derive(Debug, PartialEq)]
pub(super) struct ImportRecord {
    /// The line where it starts.
    pub(super) line: u64,
    pub(super) content: Result<Json, String>,
}

/// Reads records. After an error nothing more can be read.
pub(super) trait RecordReader: Send {
    fn next(&mut self) -> Result<Option<ImportRecord>, String>;
}

impl ImportFormat {
    /// The format by file extension; JSON lines if that does not decide it.
    pub(super) fn by_extension(file: Option<&Path>) -> Self {
        let ending = file.and_then(Path::extension).map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("json") => Self::Json,
            Some("csv") => Self::Csv,
            _ => Self::Jsonl,
        }
    }

    /// Opens the records of an input; returns also the container description of an export, if there is one.
    pub(super) fn records(
        self,
        mut input: Box<dyn BufRead + Send>,
        table: &TableOptions,
    ) -> Result<(Box<dyn RecordReader>, Option<Json>), String> {
        skip_byte_order_mark(&mut input).map_err(|error| error.to_string())?;
        Ok(match self {
            Self::Json => (Box::new(ArrayReader::new(input)), None),
            Self::Csv => (Box::new(CsvTable::new(input, table)?), None),
            Self::Jsonl => {
                let (lines, header) = LineReader::new(input)?;
                (Box::new(lines), header)
            }
        })
    }
}

/// Skips the byte order mark of UTF-8.
pub(super) fn skip_byte_order_mark(input: &mut dyn BufRead) -> io::Result<()> {
    if input.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
        input.consume(3);
    }
    Ok(())
}

/// Parses the text of a record.
pub(super) fn item(text: &[u8]) -> Result<Json, String> {
    match Json::parse(text) {
        Ok(item @ Json::Object(_)) => Ok(item),
        Ok(other) => Err(format!("is not an item but {}", other.type_name())),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}
