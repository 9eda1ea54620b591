//! Retries failed events.

use std::process::ExitCode;

use clap::Args;
use notifications::{NotificationEvent, Notifications};

use super::open::{OpenSystem, SystemFlags, system_error};
use crate::error::CommandError;
use crate::output::{line, thousands};

const ACTION: &str = "retrying failed events";

/// Retry failed events with all their attempts; a running service processes them
#[derive(Debug, Args)]
pub(super) struct RetryCommand {
    /// Ids of events
    #[arg(value_name = "EVENT", required_unless_present = "dead", conflicts_with = "dead")]
    events: Vec<String>,

    /// All events whose attempts are used up
    #[arg(long)]
    dead: bool,

    #[command(flatten)]
    system: SystemFlags,
}

impl RetryCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.system.open().await?;
        let done = self.retry(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn retry(&self, opened: &OpenSystem) -> Result<(), CommandError> {
        let system = &opened.system;
        let events =
            if self.dead { dead(system).await? } else { named(system, &self.events).await? };
        for event in &events {
            let retried = system.retry_event(&event.user_id, &event.id).await;
            retried.map_err(|error| system_error(ACTION, &error))?;
        }
        let count = thousands(events.len() as u64);
        line(format_args!("{count} events are queued again"))
    }
}

/// Finds all events before the first is changed.
async fn named(
    system: &Notifications,
    ids: &[String],
) -> Result<Vec<NotificationEvent>, CommandError> {
    let mut events = Vec::with_capacity(ids.len());
    for id in ids {
        let found = system.find_event(id).await;
        events.push(found.map_err(|error| system_error(ACTION, &error))?.value);
    }
    Ok(events)
}

/// Finds all dead events. Reads to the end first, because retried events would shift the pages.
async fn dead(system: &Notifications) -> Result<Vec<NotificationEvent>, CommandError> {
    let mut events = Vec::new();
    let mut continuation = None;
    loop {
        let page = system.dead_events(continuation).await;
        let page = page.map_err(|error| system_error(ACTION, &error))?.value;
        events.extend(page.events);
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(events);
        }
    }
}
