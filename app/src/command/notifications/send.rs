//! Sends an event to one or more users, as the service would receive it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use notifications::{EventPayload, EventType, NewEvent, TargetType, UserId, UtcTimestamp};
use serde_json::{Map, json};

use super::erase::user;
use super::open::{OpenSystem, SystemFlags, system_error};
use crate::error::CommandError;
use crate::output::line;

const ACTION: &str = "sending an event";

/// Send an event to one or more users
#[derive(Debug, Args)]
pub(super) struct SendCommand {
    /// User to notify; may be repeated
    #[arg(long, value_name = "USER", required = true, value_parser = user)]
    user: Vec<UserId>,

    /// Event type, such as POST_LIKE or SECURITY_NEW_DEVICE
    #[arg(long = "type", value_name = "TYPE", value_parser = event_type)]
    event_type: EventType,

    /// Id of the target
    #[arg(long, value_name = "ID")]
    target_id: String,

    /// Type of the target
    #[arg(long, value_enum, default_value_t = TargetKind::Post)]
    target_type: TargetKind,

    /// Id of the actor
    #[arg(long, value_name = "ID")]
    actor_id: Option<String>,

    /// Name of the actor
    #[arg(long, value_name = "NAME")]
    actor_name: Option<String>,

    /// Excerpt of the content
    #[arg(long, value_name = "TEXT")]
    snippet: Option<String>,

    /// Events with the same key within the dedupe window become one notification
    #[arg(long, value_name = "KEY")]
    dedupe_key: Option<String>,

    /// Do not deliver before this time, such as 2025-11-20T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = UtcTimestamp::parse)]
    at: Option<UtcTimestamp>,

    /// Sending again with the same key does not create another event
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    /// Also process waiting events in this command; otherwise a running service does
    #[arg(long)]
    dispatch: bool,

    #[command(flatten)]
    system: SystemFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TargetKind {
    Post,
    Comment,
    User,
}

impl SendCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.system.open().await?;
        let done = self.send(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn send(&self, opened: &OpenSystem) -> Result<(), CommandError> {
        let system = &opened.system;
        let mut sent = Vec::with_capacity(self.user.len());
        for user in &self.user {
            let event = system.enqueue(self.event(user)).await;
            sent.push(event.map_err(|error| system_error(ACTION, &error))?.value);
        }
        if self.dispatch {
            let failed = |error| system_error("processing waiting events", &error);
            system.sweep().await.map_err(failed)?;
            let worker = system.dispatcher("command line").await.map_err(failed)?;
            worker.run_once().await.map_err(failed)?;
            worker.stop().await.map_err(failed)?;
        }
        for event in sent {
            let now = system.find_event(&event.id).await;
            let event = now.map_err(|error| system_error(ACTION, &error))?.value;
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
                    TargetKind::Post => TargetType::Post,
                    TargetKind::Comment => TargetType::Comment,
                    TargetKind::User => TargetType::User,
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
    let known = || format!("the types are {}", EventType::ALL.map(EventType::name).join(", "));
    EventType::from_name(name).ok_or_else(known)
}
