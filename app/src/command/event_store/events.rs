//! Prints events and tags of a tenant.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use event_store::DomainEvent;

use super::open::{EventStoreFlags, OpenEventStore, ServiceFlag, store_error};
use crate::command::stop_signal;
use crate::error::CommandError;
use crate::output::line;

/// Print events
#[derive(Debug, Args)]
pub(super) struct EventsCommand {
    #[command(subcommand)]
    subcommand: EventsSubcommand,
}

#[derive(Debug, Subcommand)]
enum EventsSubcommand {
    /// Print the last events of a tenant as lines of JSON
    Tail {
        /// How many
        #[arg(long, default_value_t = 20)]
        last: usize,

        /// Go on with new events until ctrl-c
        #[arg(long)]
        follow: bool,

        #[command(flatten)]
        service: ServiceFlag,

        #[command(flatten)]
        store: EventStoreFlags,
    },
}

/// List tags
#[derive(Debug, Args)]
pub(super) struct TagsCommand {
    #[command(subcommand)]
    subcommand: TagsSubcommand,
}

#[derive(Debug, Subcommand)]
enum TagsSubcommand {
    /// Print each tag of a tenant with its number of events and its version
    List {
        /// Only tags of this group
        #[arg(long)]
        group: Option<String>,

        #[command(flatten)]
        service: ServiceFlag,

        #[command(flatten)]
        store: EventStoreFlags,
    },
}

impl EventsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let EventsSubcommand::Tail { last, follow, service, store } = self.subcommand;
        let open = store.open().await?;
        let done = tail(&open, &service, last, follow).await;
        open.close(done).await
    }
}

async fn tail(
    open: &OpenEventStore,
    service: &ServiceFlag,
    last: usize,
    follow: bool,
) -> Result<ExitCode, CommandError> {
    let failed = |error| store_error("reading events", &error);
    let store = open.scope(service)?.events;
    let mut reader = store.feed(None);
    let mut events: Vec<DomainEvent> = Vec::new();
    loop {
        let page = reader.next_page().await.map_err(failed)?;
        if page.is_empty() {
            break;
        }
        events.extend(page);
        let surplus = events.len().saturating_sub(last);
        events.drain(..surplus);
    }
    events.iter().try_for_each(print)?;
    if !follow {
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop_signal()?;
    tokio::pin!(stop);
    loop {
        let page = tokio::select! {
            page = reader.wait_for_page(Duration::from_millis(500)) => page.map_err(failed)?,
            () = &mut stop => return Ok(ExitCode::SUCCESS),
        };
        page.iter().try_for_each(print)?;
    }
}

pub(super) fn print(event: &DomainEvent) -> Result<(), CommandError> {
    let text = serde_json::to_string(event)
        .map_err(|error| CommandError::new("printing an event", error.to_string()))?;
    line(text)
}

impl TagsCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let TagsSubcommand::List { group, service, store } = self.subcommand;
        let open = store.open().await?;
        let done = async {
            let store = open.scope(&service)?.events;
            let tags = store.all_tags(group.as_deref()).await;
            for tag in tags.map_err(|error| store_error("listing tags", &error))? {
                let (count, last) = (tag.event_count, &tag.last_sortable_unique_id);
                line(format_args!("{}  {count} events, version {last}", tag.tag))?;
            }
            Ok(ExitCode::SUCCESS)
        };
        let done = done.await;
        open.close(done).await
    }
}
