//! The flags of the command, and the steps from them to the last item.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use client::PartitionKeyDefinition;

use super::loading::{Loaded, Loading, OnBad};
use super::position::{Position, PositionFile};
use super::records::Format;
use super::table::{self, ColumnType, TableOptions};
use super::target::Target;
use crate::command::export::Names;
use crate::failure::Failure;
use crate::open::{self, StoreFlags};
use crate::output::{line, thousands};
use crate::place::{Missing, Place, PlaceFlags};
use crate::progress;
use crate::transform::{self, Assignment, Assignments};

/// Read JSON lines, a JSON array or a CSV table into a container: items with the same id are replaced.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere import --data DIR --database shop --container orders --file orders.jsonl
  planisphere import --data DIR --database shop --container orders --file orders.json --partition-key /customer
  planisphere import --endpoint http://localhost:8081/ --database shop --container orders --file orders.csv \\
      --types zip=text --transform 'id=CONCAT(c.customer, \"-\", c.number)' --resume
  gunzip -c orders.jsonl.gz | planisphere import --data DIR --database shop --container orders

A file of `planisphere export` starts with the properties of its container, and creates the store, the database and the
container where they are missing. Others create them with --partition-key. An import that stops half way can be run
again; with --resume it goes on where it was.

CSV: the first row has the names of the properties, `address.city` lies deeper. Text stands in quotes where it holds a
delimiter. An empty cell is no property. A column of a file is numbers or booleans if all its cells are, else text, and
`id` is always text; from standard input every column is text. --types decides otherwise.

Exit codes: 0 all is imported, 1 bad lines were left out, 2 the import could not be carried out.")]
pub(crate) struct Import {
    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    names: Names,

    /// File to read. Standard input when absent
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Its form; by the ending of its name when absent, and JSON lines when that says nothing
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Type of a CSV column: text, number, boolean or json; repeat it for more
    #[arg(long, value_name = "COLUMN=TYPE", value_parser = table::typed_column)]
    types: Vec<(String, ColumnType)>,

    /// Character between the cells of a CSV row
    #[arg(long, value_name = "CHARACTER", default_value = ",", value_parser = delimiter)]
    delimiter: u8,

    /// Set a property of every item to an expression over it, for example 'id=c.number'; repeat it for more
    #[arg(long, value_name = "PROPERTY=EXPRESSION", value_parser = transform::assignment)]
    transform: Vec<Assignment>,

    /// Make the container with this partition key when it is missing; repeat it for a hierarchical one
    #[arg(long, value_name = "PATH")]
    partition_key: Vec<String>,

    /// Leave out bad lines and count them, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,

    /// Keep the position in FILE.position, and go on there when it exists
    #[arg(long, requires = "file")]
    resume: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

impl Import {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let place = self.place.place()?;
        let path = self.names.path()?;
        let key = self.key()?;
        let transform = Assignments::new(&self.transform).map_err(|why| {
            Failure::new("reading --transform", why)
                .way_out("`planisphere help import` has examples")
        })?;
        // The file first: a mistyped name must not create a store.
        let read = Arc::new(AtomicU64::new(0));
        let (input, bytes) = self.input(&read)?;
        let loaded = open::run(self.import(&place, key, &transform, input, (bytes, read)))?;
        if loaded.resumed_at > 0 {
            line(format_args!(
                "went on behind {} lines of an earlier run",
                thousands(loaded.resumed_at)
            ))?;
        }
        line(format_args!("imported {} items into {path}", thousands(loaded.imported)))?;
        tell_bad(&loaded);
        Ok(if loaded.bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn key(&self) -> Result<Option<PartitionKeyDefinition>, Failure> {
        crate::place::partition_key(&self.partition_key)
    }

    /// The input, and its length if it has one.
    fn input(
        &self,
        read: &Arc<AtomicU64>,
    ) -> Result<(Box<dyn BufRead + Send>, Option<u64>), Failure> {
        let Some(path) = &self.file else {
            return Ok((Box::new(BufReader::new(std::io::stdin())), None));
        };
        let failed = |error: std::io::Error| {
            Failure::new(format!("reading {}", path.display()), error.to_string())
                .way_out("give a file of items with --file")
        };
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let counted = Counted { file, read: Arc::clone(read) };
        Ok((Box::new(BufReader::with_capacity(1 << 16, counted)), Some(bytes)))
    }

    fn table(&self, format: Format) -> Result<TableOptions, Failure> {
        let types = self.types.iter().cloned().collect();
        let mut options = TableOptions { delimiter: self.delimiter, types };
        if format == Format::Csv && self.file.is_some() {
            let (input, _) = self.input(&Arc::default())?;
            let mut input = input;
            super::records::skip_mark(&mut input)
                .map_err(|error| error.to_string())
                .and_then(|()| table::infer(input, &mut options))
                .map_err(unreadable)?;
        }
        Ok(options)
    }

    async fn import(
        &self,
        place: &Place,
        key: Option<PartitionKeyDefinition>,
        transform: &Assignments,
        input: Box<dyn BufRead + Send>,
        (bytes, read): (Option<u64>, Arc<AtomicU64>),
    ) -> Result<Loaded, Failure> {
        let format = self.format.unwrap_or_else(|| Format::of(self.file.as_deref()));
        let table = self.table(format)?;
        let (mut records, described) = format.records(input, &table).map_err(unreadable)?;
        let file = self.file.as_deref().filter(|_| self.resume).map(PositionFile::beside);
        let into = format!("{} in {place}", self.names.path()?);
        let new = Position { into, bytes: bytes.unwrap_or_default(), ..Position::default() };
        let at = match &file {
            Some(file) => file.load(new)?,
            None => new,
        };
        let account = place.open(&self.flags, Missing::Make).await?;
        let bar = match bytes {
            Some(bytes) => progress::bytes(bytes, "importing"),
            None => progress::counter("importing"),
        };
        let loaded = async {
            let target =
                Target::open(self.names.container(&account)?, described.as_ref(), key).await?;
            let on_bad = if self.skip_bad { OnBad::Skip } else { OnBad::Stop };
            let loading = Loading { target: &target, transform, on_bad, file };
            let show = |items: u64| match bytes {
                Some(_) => bar.set_position(read.load(Ordering::Relaxed)),
                None => bar.set_position(items),
            };
            loading.run(records.as_mut(), at, &show).await
        };
        let loaded = loaded.await;
        bar.finish_and_clear();
        let closed = account.close().await;
        let loaded = loaded?;
        closed.map_err(|error| Failure::of("closing the store", &error))?;
        Ok(loaded)
    }
}

/// Names the bad lines on standard error.
fn tell_bad(loaded: &Loaded) {
    if loaded.bad == 0 {
        return;
    }
    let mut told = format!("left out {} bad lines", thousands(loaded.bad));
    for bad in &loaded.first {
        told += &format!("\n  line {} {}", bad.line, bad.why);
    }
    // The exit code says it too.
    let _ = writeln!(std::io::stderr(), "{told}");
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where an error is mapped")]
fn unreadable(why: String) -> Failure {
    let (why, way_out) = why.rsplit_once("; ").unwrap_or((&why, "correct the file"));
    Failure::new("reading the input", why).way_out(way_out)
}

fn delimiter(word: &str) -> Result<u8, String> {
    match word.as_bytes() {
        [byte] => Ok(*byte),
        b"\\t" => Ok(b'\t'),
        _ => Err(format!("'{word}' is not one character; give ',' or ';', or '\\t' for a tab")),
    }
}

/// A file that says how much of it was read.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
