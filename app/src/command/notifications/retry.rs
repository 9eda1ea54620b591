//! Retry: failed events get all their attempts again.

use std::process::ExitCode;

use clap::Args;
use notifications::{NotificationEvent, Notifications};

use super::opening::{Opened, SystemFlags, told};
use crate::failure::Failure;
use crate::output::{line, thousands};

const WHAT: &str = "sending failed events again";

/// Give failed events all their attempts again; a running service takes them up
#[derive(Debug, Args)]
pub(super) struct Retry {
    /// Ids of events
    #[arg(value_name = "EVENT", required_unless_present = "dead", conflicts_with = "dead")]
    events: Vec<String>,

    /// All events that failed for good
    #[arg(long)]
    dead: bool,

    #[command(flatten)]
    system: SystemFlags,
}

impl Retry {
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        let opened = self.system.open().await?;
        let done = self.retry(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn retry(&self, opened: &Opened) -> Result<(), Failure> {
        let system = &opened.system;
        let events =
            if self.dead { dead(system).await? } else { named(system, &self.events).await? };
        for event in &events {
            let retried = system.retry_event(&event.user_id, &event.id).await;
            retried.map_err(|error| told(WHAT, &error))?;
        }
        let count = thousands(events.len() as u64);
        line(format_args!("{count} events wait to be processed again"))
    }
}

/// All of them are looked up before the first is changed.
async fn named(system: &Notifications, ids: &[String]) -> Result<Vec<NotificationEvent>, Failure> {
    let mut events = Vec::with_capacity(ids.len());
    for id in ids {
        let found = system.find_event(id).await;
        events.push(found.map_err(|error| told(WHAT, &error))?.value);
    }
    Ok(events)
}

/// Read to the end first: a page would shift when its events are no longer dead.
async fn dead(system: &Notifications) -> Result<Vec<NotificationEvent>, Failure> {
    let mut events = Vec::new();
    let mut continuation = None;
    loop {
        let page = system.dead_events(continuation).await;
        let page = page.map_err(|error| told(WHAT, &error))?.value;
        events.extend(page.events);
        continuation = page.continuation;
        if continuation.is_none() {
            return Ok(events);
        }
    }
}
