//! Send: an event for one user or several, taken in as the service takes it in.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use notifications::{EventPayload, EventType, NewEvent, TargetType, UserId, UtcTimestamp};
use serde_json::{Map, json};

use super::erase::user;
use super::opening::{Opened, SystemFlags, told};
use crate::failure::Failure;
use crate::output::line;

const WHAT: &str = "sending an event";

/// Take an event in for one user or several
#[derive(Debug, Args)]
pub(super) struct Send {
    /// Who is told; repeat it for more
    #[arg(long, value_name = "USER", required = true, value_parser = user)]
    user: Vec<UserId>,

    /// What happened, such as POST_LIKE or SECURITY_NEW_DEVICE
    #[arg(long = "type", value_name = "TYPE", value_parser = event_type)]
    event_type: EventType,

    /// What it is about
    #[arg(long, value_name = "ID")]
    target_id: String,

    /// What that is
    #[arg(long, value_enum, default_value_t = Target::Post)]
    target_type: Target,

    /// Who did it
    #[arg(long, value_name = "ID")]
    actor_id: Option<String>,

    /// What they are called
    #[arg(long, value_name = "NAME")]
    actor_name: Option<String>,

    /// A few words of the content
    #[arg(long, value_name = "TEXT")]
    snippet: Option<String>,

    /// Events with the same one within the window become one notification
    #[arg(long, value_name = "KEY")]
    dedupe_key: Option<String>,

    /// Not before this, like 2025-11-20T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = UtcTimestamp::parse)]
    at: Option<UtcTimestamp>,

    /// Sending again with the same one is the same event
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    /// Also process what waits, in this command; otherwise a running service does
    #[arg(long)]
    dispatch: bool,

    #[command(flatten)]
    system: SystemFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    Post,
    Comment,
    User,
}

impl Send {
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        let opened = self.system.open().await?;
        let done = self.send(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn send(&self, opened: &Opened) -> Result<(), Failure> {
        let system = &opened.system;
        let mut sent = Vec::with_capacity(self.user.len());
        for user in &self.user {
            let event = system.enqueue(self.event(user)).await;
            sent.push(event.map_err(|error| told(WHAT, &error))?.value);
        }
        if self.dispatch {
            let failed = |error| told("processing what waits", &error);
            system.sweep().await.map_err(failed)?;
            let worker = system.dispatcher("command line").await.map_err(failed)?;
            worker.run_once().await.map_err(failed)?;
            worker.stop().await.map_err(failed)?;
        }
        for event in sent {
            let now = system.find_event(&event.id).await;
            let event = now.map_err(|error| told(WHAT, &error))?.value;
            line(json!({ "id": event.id, "userId": event.user_id, "status": event.status }))?;
        }
        Ok(())
    }

    fn event(&self, user: &UserId) -> NewEvent {
        NewEvent {
            user_id: user.clone(),
            event_type: self.event_type,
            payload: EventPayload {
                actor_id: self.actor_id.clone(),
                actor_name: self.actor_name.clone(),
                target_id: self.target_id.clone(),
                target_type: match self.target_type {
                    Target::Post => TargetType::Post,
                    Target::Comment => TargetType::Comment,
                    Target::User => TargetType::User,
                },
                snippet: self.snippet.clone(),
                extra: Map::new(),
            },
            dedupe_key: self.dedupe_key.clone(),
            scheduled_at: self.at,
            idempotency_key: self.idempotency_key.clone(),
        }
    }
}

fn event_type(name: &str) -> Result<EventType, String> {
    let known = || format!("known are {}", EventType::ALL.map(EventType::name).join(", "));
    EventType::from_name(name).ok_or_else(known)
}
