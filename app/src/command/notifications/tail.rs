//! Prints events as they change, one line each.
//!
//! Users are shown as hashes by default, because terminal output ends up in logs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use client::{ChangeFeed, ChangeStart};
use notifications::{NotificationEvent, PushState};

use super::open::{OpenSystem, SystemFlags};
use crate::command::stop_signal;
use crate::error::CommandError;
use crate::output::line;

/// The pause when there are no changes.
const POLL: Duration = Duration::from_millis(500);

/// Print events as they change, until ctrl-c
#[derive(Debug, Args)]
pub(super) struct TailCommand {
    /// Start with the latest version of every existing event
    #[arg(long)]
    all: bool,

    /// Stop when there are no more changes
    #[arg(long)]
    once: bool,

    /// Show user ids instead of hashes
    #[arg(long)]
    show_users: bool,

    #[command(flatten)]
    system: SystemFlags,
}

impl TailCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.system.open().await?;
        let stop = stop_signal()?;
        let done = tokio::select! {
            result = self.follow(&opened) => result,
            () = stop => Ok(()),
        };
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn follow(&self, opened: &OpenSystem) -> Result<(), CommandError> {
        let events = &opened.system.containers().events;
        let mut start = if self.all { ChangeStart::Beginning } else { ChangeStart::Now };
        loop {
            let page = events.changes::<NotificationEvent>(ChangeFeed::latest(start)).await;
            let page =
                page.map_err(|error| CommandError::from_error("reading the events", &error))?.value;
            let is_empty = page.changes.is_empty();
            for change in page.changes {
                if let Some(event) = change.current {
                    line(self.line(&event.into_value()))?;
                }
            }
            start = ChangeStart::Continuation(page.continuation);
            match (page.more && !is_empty, self.once) {
                (true, _) => {}
                (false, true) => return Ok(()),
                (false, false) => tokio::time::sleep(POLL).await,
            }
        }
    }

    fn line(&self, event: &NotificationEvent) -> String {
        let user = match self.show_users {
            true => event.user_id.as_str().to_owned(),
            false => event.user_id.hash_hex().chars().take(12).collect(),
        };
        let (type_name, status) = (event.event_type.name(), event.status.name());
        let mut text = format!("{} {user} {type_name} {status} {}", event.created_at, event.id);
        if event.retry_count > 0 {
            text += &format!(" attempts={}", event.retry_count);
        }
        if let Some(reason) = &event.reason {
            text += &format!(" reason={}", name(reason));
        }
        if let Some(at) = event.next_retry_at {
            text += &format!(" again={at}");
        }
        if !event.deliveries.is_empty() {
            let delivered =
                event.deliveries.iter().filter(|one| one.result == PushState::Delivered).count();
            text += &format!(" pushed={delivered}/{}", event.deliveries.len());
        }
        if let Some(error) = &event.last_error {
            text += &format!(" error={error:?}");
        }
        text
    }
}

/// The stored name of an enum value.
fn name(word: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(word).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
