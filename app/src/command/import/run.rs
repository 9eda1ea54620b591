//! The flags of the command, and the steps from them to the last item.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use client::PartitionKeyDefinition;

use super::csv_table::{self, ColumnType, TableOptions};
use super::import_run::{BadLinePolicy, ImportRun, ImportSummary};
use super::position::{ImportPosition, PositionFile};
use super::records::ImportFormat;
use super::target::ImportTarget;
use crate::account_location::{AccountFlags, AccountLocation, MissingStore};
use crate::command::export::ContainerNames;
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::{line, thousands};
use crate::progress;
use crate::transform::{self, PropertyTransform, PropertyTransforms};

/// Read JSON lines, a JSON array or a CSV table into a container. Items with the same id are replaced.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere import --data DIR --database shop --container orders --file orders.jsonl
  planisphere import --data DIR --database shop --container orders --file orders.json --partition-key /customer
  planisphere import --endpoint http://localhost:8081/ --database shop --container orders --file orders.csv \\
      --types zip=text --transform 'id=CONCAT(c.customer, \"-\", c.number)' --resume
  gunzip -c orders.jsonl.gz | planisphere import --data DIR --database shop --container orders

A file written by `planisphere export` starts with the properties of its container; the store, the database and the
container are created from them if they do not exist. For other files they are created with --partition-key. An
interrupted import can be run again; with --resume it continues where it stopped.

CSV: the first row contains property names; `address.city` is a nested property. Text that contains a delimiter is
quoted. An empty cell is omitted. A column of a file is numeric or boolean if all its cells are, otherwise text; `id`
is always text, and from standard input every column is text. --types overrides this.

Exit codes: 0 everything is imported, 1 bad lines were left out, 2 the import failed.")]
pub(crate) struct ImportCommand {
    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    names: ContainerNames,

    /// File to read; by default standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Format of the file; by default according to its extension, otherwise JSON lines
    #[arg(long, value_name = "FORMAT")]
    format: Option<ImportFormat>,

    /// Type of a CSV column: text, number, boolean or json; may be repeated
    #[arg(long, value_name = "COLUMN=TYPE", value_parser = csv_table::typed_column)]
    types: Vec<(String, ColumnType)>,

    /// Delimiter between CSV cells
    #[arg(long, value_name = "CHARACTER", default_value = ",", value_parser = delimiter)]
    delimiter: u8,

    /// Set a property of every item to an expression, for example 'id=c.number'; may be repeated
    #[arg(long, value_name = "PROPERTY=EXPRESSION", value_parser = transform::assignment)]
    transform: Vec<PropertyTransform>,

    /// Create the container with this partition key if it does not exist; repeat it for a hierarchical key
    #[arg(long, value_name = "PATH")]
    partition_key: Vec<String>,

    /// Leave out bad lines and count them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,

    /// Save the position in FILE.position, and continue from it if it exists
    #[arg(long, requires = "file")]
    resume: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

impl ImportCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let location = self.location.location()?;
        let path = self.names.path()?;
        let key = self.key()?;
        let transform = PropertyTransforms::new(&self.transform).map_err(|why| {
            CommandError::new("reading --transform", why)
                .hint("`planisphere help import` has examples")
        })?;
        // Open the file first: a mistyped name must not create a store.
        let read = Arc::new(AtomicU64::new(0));
        let (input, bytes) = self.input(&read)?;
        let summary =
            open::block_on(self.import(&location, key, &transform, input, (bytes, read)))?;
        if summary.resumed_at > 0 {
            line(format_args!(
                "continued after {} lines of an earlier run",
                thousands(summary.resumed_at)
            ))?;
        }
        line(format_args!("imported {} items into {path}", thousands(summary.imported)))?;
        print_bad_lines(&summary);
        Ok(if summary.bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn key(&self) -> Result<Option<PartitionKeyDefinition>, CommandError> {
        crate::account_location::parse_partition_key(&self.partition_key)
    }

    /// Opens the input; returns also its length, if known.
    fn input(
        &self,
        read: &Arc<AtomicU64>,
    ) -> Result<(Box<dyn BufRead + Send>, Option<u64>), CommandError> {
        let Some(path) = &self.file else {
            return Ok((Box::new(BufReader::new(std::io::stdin())), None));
        };
        let failed = |error: std::io::Error| {
            CommandError::new(format!("reading {}", path.display()), error.to_string())
                .hint("give a file of items with --file")
        };
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let counted = CountingReader { file, read: Arc::clone(read) };
        Ok((Box::new(BufReader::with_capacity(1 << 16, counted)), Some(bytes)))
    }

    fn table(&self, format: ImportFormat) -> Result<TableOptions, CommandError> {
        let types = self.types.iter().cloned().collect();
        let mut options = TableOptions { delimiter: self.delimiter, types };
        if format == ImportFormat::Csv && self.file.is_some() {
            // A second reader with its own counter: the first pass must not move the progress bar.
            let (input, _) = self.input(&Arc::default())?;
            let mut input = input;
            super::records::skip_byte_order_mark(&mut input)
                .map_err(|error| error.to_string())
                .and_then(|()| csv_table::infer(input, &mut options))
                .map_err(unreadable)?;
        }
        Ok(options)
    }

    async fn import(
        &self,
        location: &AccountLocation,
        key: Option<PartitionKeyDefinition>,
        transform: &PropertyTransforms,
        input: Box<dyn BufRead + Send>,
        (bytes, read): (Option<u64>, Arc<AtomicU64>),
    ) -> Result<ImportSummary, CommandError> {
        let format =
            self.format.unwrap_or_else(|| ImportFormat::by_extension(self.file.as_deref()));
        let table = self.table(format)?;
        let (mut records, described) = format.records(input, &table).map_err(unreadable)?;
        let file = self.file.as_deref().filter(|_| self.resume).map(PositionFile::next_to);
        let into = format!("{} in {location}", self.names.path()?);
        let new =
            ImportPosition { into, bytes: bytes.unwrap_or_default(), ..ImportPosition::default() };
        let at = match &file {
            Some(file) => file.load(new)?,
            None => new,
        };
        let account = location.open(&self.flags, MissingStore::Create).await?;
        let bar = match bytes {
            Some(bytes) => progress::bytes(bytes, "importing"),
            None => progress::counter("importing"),
        };
        let summary = async {
            let target =
                ImportTarget::open(self.names.container(&account)?, described.as_ref(), key)
                    .await?;
            let bad_lines = if self.skip_bad { BadLinePolicy::Skip } else { BadLinePolicy::Stop };
            let run = ImportRun { target: &target, transform, bad_lines, file };
            let show = |items: u64| match bytes {
                Some(_) => bar.set_position(read.load(Ordering::Relaxed)),
                None => bar.set_position(items),
            };
            run.run(records.as_mut(), at, &show).await
        };
        let summary = summary.await;
        bar.finish_and_clear();
        let closed = account.close().await;
        let summary = summary?;
        closed.map_err(|error| CommandError::from_error("closing the store", &error))?;
        Ok(summary)
    }
}

/// Lists the bad lines on standard error.
fn print_bad_lines(summary: &ImportSummary) {
    if summary.bad == 0 {
        return;
    }
    let mut text = format!("left out {} bad lines", thousands(summary.bad));
    for bad in &summary.first {
        text += &format!("\n  line {} {}", bad.line, bad.why);
    }
    // The exit code reports it too.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn unreadable(why: String) -> CommandError {
    // The readers write what to do after the last semicolon.
    let (why, hint) = why.rsplit_once("; ").unwrap_or((&why, "correct the file"));
    CommandError::new("reading the input", why).hint(hint)
}

fn delimiter(word: &str) -> Result<u8, String> {
    match word.as_bytes() {
        [byte] => Ok(*byte),
        b"\\t" => Ok(b'\t'),
        _ => Err(format!("'{word}' is not one character; give ',' or ';', or '\\t' for a tab")),
    }
}

/// Counts the bytes read from a file.
struct CountingReader {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
