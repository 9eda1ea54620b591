//! The flags of the command, and the steps from them to the last row.
//!
//! Standard output contains only rows; everything else goes to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use engine::operation::PageOptions;
use engine::query::QueryItems;
use engine::{Engine, ErrorKind};
use model::Json;

use super::arguments::{self, Parameter};
use super::pages::{self, Paging};
use super::rows::{RowFormat, RowPrinter};
use super::{error_position, explain};
use crate::account_location::{AccountFlags, AccountLocation};
use crate::command::export::ContainerNames;
use crate::error::CommandError;
use crate::open::{self, StoreFlags};

/// Exit code after ctrl-c, as in shells.
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
      how the indexes are used, and what was read
  planisphere query --data DIR --database shop --container orders --format json \"SELECT ...\" > rows.json
  planisphere query --data DIR --database shop --container orders < query.sql
  planisphere query --endpoint https://localhost:8081/ --database shop --container orders \"SELECT ...\"
      a running server; for a certificate of its own: SSL_CERT_FILE=DIR/certificate.pem

Values are JSON, so a shell needs two pairs of quotes around text: --param 'status=\"open\"'.
Give a hierarchical partition key component by component, or as an array: --partition-key '[\"t1\",\"u7\"]'.

Exit codes: 0 success, 2 the query failed, 130 stopped with ctrl-c.")]
pub(crate) struct QueryCommand {
    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    flags: StoreFlags,

    #[command(flatten)]
    names: ContainerNames,

    /// The query text; by default read from standard input
    text: Option<String>,

    /// Value of a parameter; may be repeated
    #[arg(long = "param", value_name = "NAME=JSON", value_parser = arguments::parameter)]
    parameters: Vec<Parameter>,

    /// Read only this logical partition; repeat it for the components of a hierarchical partition key
    #[arg(long, value_name = "JSON", value_parser = arguments::partition_key_part)]
    partition_key: Vec<Json>,

    /// Output format; by default a table on a terminal and JSON lines elsewhere
    #[arg(long, value_name = "FORMAT")]
    format: Option<RowFormat>,

    /// Width of the table in columns; by default that of the terminal
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(10..))]
    width: Option<u16>,

    /// Maximum number of rows per page
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page_items: Option<u32>,

    /// Stop after this many pages and print the continuation token
    #[arg(long, value_name = "N", conflicts_with = "all",
          value_parser = clap::value_parser!(u64).range(1..))]
    limit_pages: Option<u64>,

    /// Read all pages; this is the default
    #[arg(long)]
    all: bool,

    /// Continuation token of an earlier run of the same query
    #[arg(long, value_name = "TOKEN")]
    continuation: Option<String>,

    /// Print the plan, what was read, and the terms of the charge
    #[arg(long)]
    explain: bool,

    /// Print what was read, what it cost and how long it took
    #[arg(long)]
    metrics: bool,
}

impl QueryCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let query = self.query()?;
        let is_complete = match self.location.location()? {
            AccountLocation::Folder(folder) => open::block_on(self.run_query(&folder, query))?,
            location @ AccountLocation::Endpoint { .. } => {
                self.run_connected(&location, query)?;
                true
            }
        };
        Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(STOPPED) })
    }

    /// The query that the flags describe.
    fn query(&self) -> Result<QueryItems, CommandError> {
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

    fn text(&self) -> Result<String, CommandError> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let refused = |why: String| {
            let hint = "give it as the last argument, in double quotes, or on standard input";
            CommandError::new("reading the query text", why).hint(hint)
        };
        // Otherwise the command would wait for input that the user does not expect to give.
        if io::stdin().is_terminal() {
            return Err(refused("it is missing".to_owned()));
        }
        let text = io::read_to_string(io::stdin()).map_err(|error| refused(error.to_string()))?;
        Ok(text.trim_end().to_owned())
    }

    /// Opens the store, prints every page and closes it. Returns whether all requested pages were printed.
    async fn run_query(&self, folder: &Path, query: QueryItems) -> Result<bool, CommandError> {
        let engine = self.flags.open_existing(folder, engine::EngineSettings::default()).await?;
        let result = self.print(&engine, query).await;
        // Nothing was written to the store, so a failed close does not affect the rows.
        let _ = engine.close().await;
        result
    }

    /// Runs the query on a server.
    #[cfg(feature = "connect")]
    fn run_connected(
        &self,
        location: &AccountLocation,
        query: QueryItems,
    ) -> Result<(), CommandError> {
        use super::connected::{self, ConnectedQuery};
        use super::merged::MergingServer;
        use crate::account_location::MissingStore;

        if self.explain || self.metrics {
            let reason = "plans and metrics are printed for a folder only";
            return Err(CommandError::new("reading the flags", reason)
                .hint("give --data, or omit --explain and --metrics"));
        }
        let format = self.format.unwrap_or_else(RowFormat::for_stdout);
        let width = self.width.map(usize::from);
        let mut rows = RowPrinter::new(format, width, BufWriter::new(io::stdout()));
        let totals = open::block_on(async {
            let account = location.open(&self.flags, MissingStore::Refuse).await?;
            let container = self.names.container(&account)?;
            let page = client::QueryPageOptions {
                rows_max: query.page.items_max,
                continuation: query.page.continuation,
                session_token: None,
            };
            let connected = ConnectedQuery {
                text: query.text,
                parameters: &self.parameters,
                feed_range: query.feed_range,
                page,
                pages_max: self.limit_pages,
                server: MergingServer::new(location, &self.names.link()?),
            };
            let totals = connected.run(&container, &mut rows).await;
            connected::close(&account).await;
            totals
        });
        // Also after an error: what was printed before remains readable.
        rows.finish().map_err(|error| CommandError::output(&error))?;
        let totals = totals?;
        if format == RowFormat::Table {
            let (rows, pages) = (totals.rows, totals.pages);
            print_note(&format!("{rows} rows in {pages} pages, {:.2} RU", totals.charge));
        }
        if let Some(token) = &totals.continuation {
            print_note(&format!("There is more: continue with --continuation '{token}'"));
        }
        Ok(())
    }

    #[cfg(not(feature = "connect"))]
    fn run_connected(&self, location: &AccountLocation, _: QueryItems) -> Result<(), CommandError> {
        let reason = "this binary was built without the feature 'connect'";
        Err(CommandError::new(format!("connecting to {location}"), reason)
            .hint("Build it in: cargo run --release --features connect -- query"))
    }

    async fn print(&self, engine: &Engine, query: QueryItems) -> Result<bool, CommandError> {
        let text = query.text.clone();
        let refused = |error: engine::Error| query_error(&text, &error);
        if self.explain {
            let explained = engine.explain_query(query.clone()).await.map_err(refused)?;
            print_note(&explain::plan(&explained.value));
        }
        let format = self.format.unwrap_or_else(RowFormat::for_stdout);
        let width = self.width.map(usize::from);
        let mut rows = RowPrinter::new(format, width, BufWriter::new(io::stdout()));
        let paging = Paging { pages_max: self.limit_pages };
        let read = pages::read(engine, query, &paging, &mut rows).await;
        // Also after an error: what was printed before remains readable.
        let finished = rows.finish().map_err(|error| CommandError::output(&error));
        let read = read.map_err(|stop| match stop {
            pages::QueryStopped::Refused(error) => refused(error),
            pages::QueryStopped::Output(error) => CommandError::output(&error),
        })?;
        finished?;
        if self.explain || self.metrics {
            print_note(&explain::counts(&read));
        } else if format == RowFormat::Table {
            print_note(&explain::summary(&read));
        }
        if let Some(notes) = explain::omitted(rows.omitted()) {
            print_note(&notes);
        }
        if let Some(token) = &read.continuation {
            print_note(&format!("There is more: continue with --continuation '{token}'"));
        }
        Ok(!read.is_stopped)
    }
}

/// Why the engine rejected a query; errors in the text are shown with their positions.
fn query_error(text: &str, error: &engine::Error) -> CommandError {
    let errors = error.query_errors();
    if errors.is_empty() {
        return CommandError::from_error("running the query", error).or_hint(hint(error.kind()));
    }
    let count = match errors {
        [_] => "it has an error".to_owned(),
        errors => format!("it has {} errors", errors.len()),
    };
    CommandError::new("running the query", count)
        .hint("correct the text; `planisphere help query` has examples")
        .detail(error_position::mark_errors(text, errors))
}

/// A hint for an error without one.
fn hint(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound | ErrorKind::OwnerNotFound => {
            "correct --database or --container; `planisphere verify` lists the existing ones"
        }
        ErrorKind::ContinuationRefused => "omit --continuation to start from the first row",
        ErrorKind::PartitionKeyMismatch => {
            "give --partition-key once for each path of the container's partition key"
        }
        ErrorKind::TooLarge => "select fewer properties, or add a filter",
        _ => "`planisphere help query` has examples",
    }
}

/// Prints something besides the rows, on standard error. Errors are ignored: the rows are still correct.
fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
