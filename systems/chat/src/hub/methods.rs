//! The methods that clients call.

use std::time::Duration;

use serde::Serialize;
use signalr::{Caller, HubError};

use super::current_room::{Visitor, send_event};
use super::serve::HubState;
use crate::action::{MessageAddress, SendRequest};
use crate::broadcast::ClientEvent;
use crate::domain::{PresentUser, RoomName, UtcTimestamp};
use crate::error::{Error, ErrorKind, Result};

/// The time that a look at the health may take.
const HEALTH_BUDGET: Duration = Duration::from_secs(5);

/// The answer to a heartbeat.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HeartbeatAnswer {
    acknowledged: bool,
    timestamp: UtcTimestamp,
    health: &'static str,
}

/// Whether the chat works.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HubHealth {
    is_healthy: bool,
    redis: bool,
    cosmos: bool,
    timestamp: UtcTimestamp,
}

type HubResult<T> = std::result::Result<T, HubError>;

/// Runs a method of a user. A refusal goes to the caller as an event, and the result is that of doing nothing.
async fn run<T: Default>(
    caller: Caller<HubState>,
    method: impl AsyncFnOnce(&Visitor) -> Result<T>,
) -> HubResult<T> {
    let done = match visitor(&caller).await {
        Ok(visitor) => method(&visitor).await,
        Err(error) => Err(error),
    };
    match done {
        Ok(value) => Ok(value),
        Err(error) => {
            send_event(&caller, ClientEvent::error(&error_text(&error))).await;
            Ok(T::default())
        }
    }
}

pub(super) async fn visitor(caller: &Caller<HubState>) -> Result<Visitor> {
    let name = caller.user().unwrap_or_default();
    let member = caller.state().chat.member(name).await?;
    Ok(Visitor { caller: caller.clone(), member })
}

/// What a client reads of an error: what it can do about it, and nothing about our machines.
pub(super) fn error_text(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Unavailable => "The message could not be taken now. Try again.".to_owned(),
        ErrorKind::Internal => {
            tracing::error!(%error, "a hub method failed");
            "Something went wrong.".to_owned()
        }
        _ => error.to_string(),
    }
}

fn room_name(text: &str) -> Result<RoomName> {
    RoomName::parse(text).map_err(|why| Error::invalid_field("room", why))
}

/// The room of the caller.
fn current(visitor: &Visitor) -> Result<RoomName> {
    visitor.room().ok_or_else(|| Error::conflict("join a room first"))
}

pub(super) async fn join(caller: Caller<HubState>, room: String) -> HubResult<()> {
    run(caller, async |visitor| visitor.join(&room_name(&room)?).await).await
}

pub(super) async fn leave(caller: Caller<HubState>, room: String) -> HubResult<()> {
    run(caller, async |visitor| {
        visitor.leave(&room_name(&room)?).await;
        Ok(())
    })
    .await
}

pub(super) async fn send_message(
    caller: Caller<HubState>,
    content: String,
    correlation_id: Option<String>,
) -> HubResult<()> {
    send(caller, content, correlation_id, None).await
}

pub(super) async fn reply(
    caller: Caller<HubState>,
    content: String,
    correlation_id: Option<String>,
    reply_to: String,
) -> HubResult<()> {
    send(caller, content, correlation_id, Some(reply_to)).await
}

async fn send(
    caller: Caller<HubState>,
    content: String,
    correlation_id: Option<String>,
    reply_to: Option<String>,
) -> HubResult<()> {
    run(caller, async |visitor| {
        let room = current(visitor)?;
        let request = SendRequest { room, content, correlation_id, reply_to };
        let chat = &visitor.caller.state().chat;
        let sent = chat.send(&visitor.member, request).await?.value;
        // A resend is not broadcast to the room again, so its echo goes to the sender alone.
        if !sent.is_new {
            visitor.send_event(ClientEvent::new_message(&sent.view)).await;
        }
        Ok(())
    })
    .await
}

pub(super) async fn mark_read(caller: Caller<HubState>, id: String) -> HubResult<()> {
    run(caller, async |visitor| {
        let address = MessageAddress { id, room: Some(current(visitor)?) };
        visitor.caller.state().chat.mark_read(&visitor.member, &address).await.map(|_| ())
    })
    .await
}

pub(super) async fn edit_message(
    caller: Caller<HubState>,
    id: String,
    content: String,
) -> HubResult<()> {
    run(caller, async |visitor| {
        let address = MessageAddress { id, room: Some(current(visitor)?) };
        let chat = &visitor.caller.state().chat;
        chat.edit(&visitor.member, &address, &content).await.map(|_| ())
    })
    .await
}

pub(super) async fn delete_message(caller: Caller<HubState>, id: String) -> HubResult<()> {
    run(caller, async |visitor| {
        let address = MessageAddress { id, room: Some(current(visitor)?) };
        visitor.caller.state().chat.delete(&visitor.member, &address).await
    })
    .await
}

pub(super) async fn typing(caller: Caller<HubState>, is_typing: bool) -> HubResult<()> {
    run(caller, async |visitor| {
        let room = current(visitor)?;
        visitor.caller.state().chat.typing(&visitor.member, &room, is_typing).await
    })
    .await
}

pub(super) async fn get_users(
    caller: Caller<HubState>,
    room: String,
) -> HubResult<Vec<PresentUser>> {
    run(caller, async |visitor| {
        let room = room_name(&room)?;
        let core = &visitor.caller.state().chat.core;
        core.enter(&visitor.member, &room).await?;
        core.present_in(&room).await
    })
    .await
}

/// Refreshes the heartbeat and the presence entry. A user who may not be here any more is disconnected.
pub(super) async fn heartbeat(caller: Caller<HubState>) -> HubResult<HeartbeatAnswer> {
    let core = &caller.state().chat.core;
    let timestamp = core.now();
    let Ok(visitor) = visitor(&caller).await else {
        caller.abort();
        return Err(HubError::refused("you are no user any more"));
    };
    let room = visitor.room();
    if let Some(room) = room.as_ref().filter(|room| !visitor.member.user.may_enter(room)) {
        visitor.leave(room).await;
        visitor
            .send_event(ClientEvent::error(&format!("you are no member of the room '{room}'")))
            .await;
    }
    let is_stored = core.beat(&visitor.member.user, visitor.room().as_ref()).await;
    let health = if is_stored { "healthy" } else { "degraded" };
    Ok(HeartbeatAnswer { acknowledged: true, timestamp, health })
}

pub(super) async fn get_health_status(caller: Caller<HubState>) -> HubResult<HubHealth> {
    let core = &caller.state().chat.core;
    let look = async {
        let (cosmos, redis) =
            tokio::join!(core.containers.rooms.read_properties(), core.ephemeral.ping());
        (cosmos.is_ok(), redis.is_ok())
    };
    let (cosmos, redis) = tokio::select! {
        seen = look => seen,
        () = core.environment.sleep(HEALTH_BUDGET) => (false, false),
    };
    let (is_healthy, timestamp) = (cosmos && redis, core.now());
    Ok(HubHealth { is_healthy, redis, cosmos, timestamp })
}
