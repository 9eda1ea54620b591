//! The hub itself: its methods, what happens when a connection begins and ends, and its routes.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::middleware::from_fn_with_state;
use service::http::HttpServer;
use signalr::{Caller, Hub, HubContext, HubError, HubOptions, OriginPolicy};

use super::authenticate::{HubCredentials, HubGate, HubUser, authenticate};
use super::backplane::RedisBackplane;
use super::methods;
use crate::broadcast::{ClientEvent, EventBroadcast};
use crate::chat::Chat;
use crate::domain::{PresentUser, RoomName, UserName};
use crate::error::Result;

const PATH: &str = "/chatHub";
/// The time that open connections get to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a connection is looked at: whether its session has ended elsewhere, and its user may still be here.
const LOOK: Duration = Duration::from_secs(60);

/// The state of every method.
pub(super) struct HubState {
    pub(super) chat: Chat,
}

/// The hub of a chat.
#[derive(Clone)]
pub struct ChatHub {
    hub: Hub<HubState>,
    gate: HubGate,
}

/// Sends events of the system through the hub.
struct HubBroadcast(HubContext);

#[async_trait]
impl EventBroadcast for HubBroadcast {
    async fn to_room(&self, room: &RoomName, event: ClientEvent) {
        let sent = self.0.group(room.as_str()).send(event.target, (event.argument,)).await;
        if let Err(error) = sent {
            tracing::warn!(%room, target = event.target, %error, "an event did not reach a room");
        }
    }
}

impl ChatHub {
    /// A hub of this chat; events of the chat go through it from now on.
    #[must_use]
    pub fn new(chat: &Chat, server: &HttpServer) -> Self {
        let state = HubState { chat: chat.clone() };
        let mut builder = Hub::builder(state)
            .options(options(chat))
            .user_id(|request| request.extensions.get::<HubUser>().map(|user| user.0.clone()))
            .method("Join", methods::join)
            .method("Leave", methods::leave)
            .method("SendMessage", methods::send_message)
            .method("Reply", methods::reply)
            .method("MarkRead", methods::mark_read)
            .method("EditMessage", methods::edit_message)
            .method("DeleteMessage", methods::delete_message)
            .method("Typing", methods::typing)
            .method("GetUsers", methods::get_users)
            .method("Heartbeat", methods::heartbeat)
            .method("GetHealthStatus", methods::get_health_status)
            .on_connected(connected)
            .on_disconnected(|caller, _| disconnected(caller));
        if let Some(redis) = &chat.core.redis {
            builder = builder.backplane(Arc::new(RedisBackplane::new(redis)));
        }
        let hub = builder.build();
        chat.broadcast_by(Arc::new(HubBroadcast(hub.context())));
        Self { hub, gate: HubGate { chat: chat.clone(), server: server.clone() } }
    }

    /// The routes of the hub, to be merged into those of the chat.
    pub fn routes(&self) -> Router {
        self.hub.routes(PATH).layer(from_fn_with_state(self.gate.clone(), authenticate))
    }

    /// Ends all connections; clients learn that they may connect again. `false` if some did not end in time.
    pub async fn shut_down(&self) -> bool {
        self.hub.shut_down(PATIENCE).await
    }

    /// The names of the methods that clients call, in lower case and sorted.
    #[must_use]
    pub fn method_names(&self) -> Vec<String> {
        self.hub.method_names()
    }

    /// Open connections of this process.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.hub.context().open_connections()
    }
}

fn options(chat: &Chat) -> HubOptions {
    let cors = &chat.core.settings.cors;
    let origins = match cors.allow_all_origins {
        true => OriginPolicy::Any,
        false => OriginPolicy::Listed(cors.allowed_origins.clone()),
    };
    HubOptions {
        keep_alive_interval: Duration::from_secs(10),
        stateful_reconnect: true,
        origins,
        ..HubOptions::default()
    }
}

/// Profile, presence, then the room to start in.
async fn connected(caller: Caller<HubState>) -> std::result::Result<(), HubError> {
    let refused = |error: crate::error::Error| HubError::refused(methods::error_text(&error));
    let visitor = methods::visitor(&caller).await.map_err(refused)?;
    let core = &caller.state().chat.core;
    let most = core.settings.chat.connections_per_user;
    let name = visitor.member.name();
    core.connections.add(name, caller.connection_id().as_str(), most).map_err(refused)?;
    core.counters.count_connection();
    watch_credentials(&caller);
    visitor.send_event(ClientEvent::profile(visitor.member.user())).await;
    // Not a reason to refuse the connection: it can join another room.
    match visitor.member.user().first_room() {
        Some(room) => {
            if let Err(error) = visitor.join(&room).await {
                visitor.send_event(ClientEvent::error(&methods::error_text(&error))).await;
            }
        }
        None => {
            core.beat(visitor.member.user(), None).await;
            visitor.send_event(ClientEvent::error("you are a member of no room")).await;
        }
    }
    Ok(())
}

/// Ends the connection when its session or token ends, or its user may not be here any more.
fn watch_credentials(caller: &Caller<HubState>) {
    let Some(HubCredentials(end)) = caller.extension::<HubCredentials>().cloned() else { return };
    let environment = caller.state().chat.core.environment.clone();
    let (hub, chat) = (caller.hub().clone(), caller.state().chat.clone());
    let (id, user) = (caller.connection_id().clone(), caller.user().unwrap_or_default().to_owned());
    let sleeper = environment.clone();
    environment.spawn(async move {
        loop {
            tokio::select! {
                () = end.ended_by_looking_every(LOOK) => break,
                () = sleeper.sleep(LOOK) => {}
            }
            let name = UserName::parse(&user).ok();
            let is_open = name.is_some_and(|name| chat.core.connections.has(&name, id.as_str()));
            if !is_open {
                return;
            }
            if check_refused(&chat, &user).await {
                break;
            }
        }
        hub.abort(&id);
    });
}

async fn check_refused(chat: &Chat, user: &str) -> bool {
    let member: Result<_> = chat.member(user).await;
    member.is_err_and(|error| error.kind() == crate::error::ErrorKind::Forbidden)
}

/// The presence of a user ends with its last connection.
async fn disconnected(caller: Caller<HubState>) {
    let core = &caller.state().chat.core;
    let Ok(name) = UserName::parse(caller.user().unwrap_or_default()) else { return };
    if !core.connections.has(&name, caller.connection_id().as_str()) {
        // It was refused before it was counted.
        return;
    }
    core.counters.count_disconnection();
    let is_last = core.connections.remove(&name, caller.connection_id().as_str());
    if !is_last {
        return;
    }
    let room = caller.item::<super::current_room::CurrentRoom>();
    let room = room.map(|super::current_room::CurrentRoom(room)| room.as_str().to_owned());
    let user = core.directory.user(&name).await.ok().flatten();
    let gone = PresentUser {
        user_name: name.as_str().to_owned(),
        full_name: user.as_ref().and_then(|user| user.full_name.clone()),
        avatar: user.as_ref().and_then(|user| user.avatar.clone()),
        current_room: room,
    };
    core.forget_presence(&gone).await;
}
