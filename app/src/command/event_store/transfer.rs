//! Events of a tenant as lines of JSON, out and in.
//!
//! An import keeps ids, contents and order, and makes new positions. A second import of the same lines adds nothing.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use event_store::{AppendRequest, DomainEvent, EventDraft, EventStore, ServiceId};

use super::events::print;
use super::open::{EventStoreFlags, OpenEventStore, ServiceFlag, store_error};
use crate::error::CommandError;
use crate::output::{line, thousands};

const PAGE_EVENTS: usize = 500;

/// Print all events of a tenant as lines of JSON
#[derive(Debug, Args)]
pub(super) struct ExportEventsCommand {
    #[command(flatten)]
    service: ServiceFlag,

    #[command(flatten)]
    store: EventStoreFlags,
}

/// Append events from lines of JSON; events that exist are left out
#[derive(Debug, Args)]
pub(super) struct ImportEventsCommand {
    /// A file that `export` wrote
    #[arg(value_name = "FILE")]
    events_file: PathBuf,

    #[command(flatten)]
    service: ServiceFlag,

    #[command(flatten)]
    store: EventStoreFlags,
}

impl ExportEventsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let service = self.service.parse()?;
        let open = self.store.open().await?;
        let done = export(&open, &service).await;
        open.close(done).await
    }
}

pub(super) async fn export(
    open: &OpenEventStore,
    service: &ServiceId,
) -> Result<ExitCode, CommandError> {
    let store = open.system.scope_of(service).events;
    let mut since = None;
    loop {
        let page = store.read_all(since, Some(PAGE_EVENTS)).await;
        let page = page.map_err(|error| store_error("reading events", &error))?;
        page.iter().try_for_each(print)?;
        since = match page.last() {
            Some(last) => Some(last.sortable_unique_id.clone()),
            None => return Ok(ExitCode::SUCCESS),
        };
    }
}

impl ImportEventsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let what = || format!("reading {}", self.events_file.display());
        let file = std::fs::File::open(&self.events_file)
            .map_err(|error| CommandError::new(what(), error.to_string()).hint("Check the path"))?;
        let open = self.store.open().await?;
        let done = async {
            let store = open.scope(&self.service)?.events;
            let (mut added, mut existing) = (0, 0);
            for (number, text) in BufReader::new(file).lines().enumerate() {
                let at = format!("{}, line {}", self.events_file.display(), number + 1);
                let text = text.map_err(|error| CommandError::new(&at, error.to_string()))?;
                match import_line(&store, &at, &text).await? {
                    true => existing += 1,
                    false => added += 1,
                }
            }
            line(format_args!(
                "{} events added, {} existed",
                thousands(added),
                thousands(existing)
            ))?;
            Ok(ExitCode::SUCCESS)
        };
        let done = done.await;
        open.close(done).await
    }
}

/// Appends one event. Whether it existed.
async fn import_line(store: &EventStore, at: &str, text: &str) -> Result<bool, CommandError> {
    let event: DomainEvent = serde_json::from_str(text).map_err(|error| {
        CommandError::new(at, format!("it is no event: {error}")).hint("Export it again")
    })?;
    let key = format!("import {}", event.id);
    let draft = EventDraft {
        id: Some(event.id),
        event_type: event.event_type,
        event_version: event.event_version,
        payload: event.payload,
        tags: event.tags,
        causation_id: event.causation_id,
        correlation_id: event.correlation_id,
        executed_user: event.executed_user,
    };
    let receipt = store.append(AppendRequest::new(vec![draft]).once(key)).await;
    Ok(receipt.map_err(|error| store_error(at, &error))?.is_repeat)
}
