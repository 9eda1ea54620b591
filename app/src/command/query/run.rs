//! The flags of the command, and the steps from them to the last row.
//!
//! Owns what is asked of the engine and the exit code. Standard output belongs to the rows; everything else that is
//! said goes to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;
use engine::operation::PageOptions;
use engine::query::QueryItems;
use engine::{Engine, ErrorKind};
use model::Json;

use super::arguments::{self, Parameter};
use super::pages::{self, Paging};
use super::rows::{Format, Rows};
use super::{explain, place};
use crate::command::export::Names;
use crate::failure::Failure;
use crate::open::{self, ExistingStore};

/// Exit code of a run that was stopped with ctrl-c, as shells have it.
const STOPPED: u8 = 130;

/// Run a query on a container: a table on a terminal, JSON lines elsewhere.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere query --data DIR --database shop --container orders \"SELECT * FROM c\"
  planisphere query --data DIR --database shop --container orders \\
      --partition-key '\"t1\"' \"SELECT c.id, c.total FROM c ORDER BY c.total DESC\"
  planisphere query --data DIR --database shop --container orders \\
      --param 'least=100' \"SELECT VALUE COUNT(1) FROM c WHERE c.total > @least\"
  planisphere query --data DIR --database shop --container orders --explain \"SELECT ...\"
      how the index serves it, and what was read
  planisphere query --data DIR --database shop --container orders --format json \"SELECT ...\" > rows.json
  planisphere query --data DIR --database shop --container orders < query.sql

Values are JSON, so a shell needs two pairs of quotes around text: --param 'status=\"open\"'.
A hierarchical partition key is given part by part, or as an array: --partition-key '[\"t1\",\"u7\"]'.

Exit codes: 0 all is well, 2 the query could not be run, 130 stopped with ctrl-c.")]
pub(crate) struct Query {
    #[command(flatten)]
    store: ExistingStore,

    #[command(flatten)]
    names: Names,

    /// The query text. Read from standard input when absent
    text: Option<String>,

    /// Value of a parameter; repeat it for more
    #[arg(long = "param", value_name = "NAME=JSON", value_parser = arguments::parameter)]
    parameters: Vec<Parameter>,

    /// Partition key, so that only this logical partition is read; repeat it for the parts of a hierarchical one
    #[arg(long, value_name = "JSON", value_parser = arguments::partition_key_part)]
    partition_key: Vec<Json>,

    /// How rows are printed; a table on a terminal and JSON lines elsewhere when absent
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Columns of the table; those of the terminal when absent
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(10..))]
    width: Option<u16>,

    /// Rows of a page at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page_items: Option<u32>,

    /// Stop after so many pages and print the token to go on with
    #[arg(long, value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    limit_pages: Option<u64>,

    /// Read all pages; this is what happens anyway
    #[arg(long)]
    all: bool,

    /// Go on where an earlier run of the same query stopped
    #[arg(long, value_name = "TOKEN")]
    continuation: Option<String>,

    /// Say how the query is run, what it has read, and what its charge is made of
    #[arg(long)]
    explain: bool,

    /// Say what the query has read, cost and taken
    #[arg(long)]
    metrics: bool,
}

impl Query {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let query = self.query()?;
        let is_whole = open::run(self.answer(query))?;
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(STOPPED) })
    }

    /// What the flags ask for.
    fn query(&self) -> Result<QueryItems, Failure> {
        let mut query = QueryItems::new(self.names.link()?, self.text()?);
        query.parameters = arguments::parameters(&self.parameters);
        query.feed_range = arguments::feed_range(&self.partition_key)?;
        query.page = PageOptions {
            items_max: self.page_items.map(|items| usize::try_from(items).unwrap_or(usize::MAX)),
            continuation: self.continuation.clone(),
        };
        query.options.explain_charge = self.explain;
        Ok(query)
    }

    fn text(&self) -> Result<String, Failure> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let refused = |why: String| {
            let way_out = "give it as the last word, in double quotes, or on standard input";
            Failure::new("reading the query text", why).way_out(way_out)
        };
        if io::stdin().is_terminal() {
            return Err(refused("there is none".to_owned()));
        }
        let text = io::read_to_string(io::stdin()).map_err(|error| refused(error.to_string()))?;
        Ok(text.trim_end().to_owned())
    }

    /// Opens the store, prints every page, and closes it. Whether all pages were printed that were asked for.
    async fn answer(&self, query: QueryItems) -> Result<bool, Failure> {
        let engine = self.store.open().await?;
        let answered = self.print(&engine, query).await;
        // Nothing was written to the store, so a close that fails changes nothing about the rows.
        let _ = engine.close().await;
        answered
    }

    async fn print(&self, engine: &Engine, query: QueryItems) -> Result<bool, Failure> {
        let text = query.text.clone();
        let refused = |error: engine::Error| refusal(&text, &error);
        if self.explain {
            let explained = engine.explain_query(query.clone()).await.map_err(refused)?;
            tell(&explain::plan(&explained.value));
        }
        let format = self.format.unwrap_or_else(Format::by_reader);
        let width = self.width.map(usize::from);
        let mut rows = Rows::new(format, width, BufWriter::new(io::stdout()));
        let paging = Paging { pages_max: self.limit_pages };
        let read = pages::read(engine, query, &paging, &mut rows).await;
        // Also after an error: what was printed before it stays readable.
        let finished = rows.finish().map_err(|error| Failure::of_output(&error));
        let read = read.map_err(|stop| match stop {
            pages::Stop::Refused(error) => refused(error),
            pages::Stop::Output(error) => Failure::of_output(&error),
        })?;
        finished?;
        if self.explain || self.metrics {
            tell(&explain::counts(&read));
        } else if format == Format::Table {
            tell(&explain::summary(&read));
        }
        if let Some(notes) = explain::left_out(rows.left_out()) {
            tell(&notes);
        }
        if let Some(token) = &read.continuation {
            tell(&format!("There is more: go on with --continuation '{token}'"));
        }
        Ok(!read.is_stopped)
    }
}

/// The reason why the engine does not run a query; errors of the text point at their places.
fn refusal(text: &str, error: &engine::Error) -> Failure {
    let errors = error.query_errors();
    if errors.is_empty() {
        return Failure::of("running the query", error).or_way_out(way_out(error.kind()));
    }
    let count = match errors {
        [_] => "it has an error".to_owned(),
        errors => format!("it has {} errors", errors.len()),
    };
    Failure::new("running the query", count)
        .way_out("correct the text; `planisphere help query` has examples")
        .detail(place::pointed(text, errors))
}

/// What to do about an error that does not say so itself.
fn way_out(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound | ErrorKind::OwnerNotFound => {
            "correct --database or --container; `planisphere verify` names those that exist"
        }
        ErrorKind::ContinuationRefused => "leave --continuation out to start from the first row",
        ErrorKind::PartitionKeyMismatch => {
            "give --partition-key once for each path of the container's partition key"
        }
        ErrorKind::TooLarge => "select fewer properties, or add a filter",
        _ => "`planisphere help query` has examples",
    }
}

/// Says something beside the rows. When nobody can hear it, the rows are still right.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
