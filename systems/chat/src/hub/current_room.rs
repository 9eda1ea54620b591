//! The room that a connection is in: one at a time.

use serde_json::Value;
use signalr::Caller;

use super::serve::HubState;
use crate::action::ChatMember;
use crate::broadcast::ClientEvent;
use crate::domain::{PresentUser, RoomName};
use crate::error::Result;

/// People in a room up to which everybody there gets the whole list with each arrival.
const SNAPSHOT_TO_ALL_MAX: usize = 50;

/// The room of a connection.
#[derive(Clone, Debug)]
pub(super) struct CurrentRoom(pub(super) RoomName);

/// A connection and the user behind it.
pub(super) struct Visitor {
    pub(super) caller: Caller<HubState>,
    pub(super) member: ChatMember,
}

impl Visitor {
    pub(super) fn room(&self) -> Option<RoomName> {
        self.caller.item::<CurrentRoom>().map(|CurrentRoom(room)| room)
    }

    /// Enters a room, and leaves the one before.
    pub(super) async fn join(&self, room: &RoomName) -> Result<()> {
        let core = &self.caller.state().chat.core;
        core.enter(&self.member, room).await?;
        if let Some(before) = self.room().filter(|before| before != room) {
            self.leave(&before).await;
        }
        if let Err(error) = self.caller.join(room.as_str()).await {
            tracing::warn!(%room, %error, "a connection could not be added to its room");
        }
        self.caller.set_item(CurrentRoom(room.clone()));
        core.counters.count_join();
        core.beat(&self.member.user, Some(room)).await;
        let user = PresentUser::new(&self.member.user, Some(room.as_str()));
        core.broadcast(room, ClientEvent::add_user(&user)).await;
        core.broadcast(room, ClientEvent::presence_changed(&user.user_name, true)).await;
        match core.present_in(room).await {
            Ok(users) => self.show_present(room, users, user).await,
            Err(error) => tracing::debug!(%error, "there is no presence to show"),
        }
        Ok(())
    }

    /// Shows who is in the room: to everybody there, as in the original, or in a large room to this connection only.
    /// The others know it already, and a room that fills would get the square of its members.
    async fn show_present(&self, room: &RoomName, mut users: Vec<PresentUser>, user: PresentUser) {
        if !users.iter().any(|other| other.user_name == user.user_name) {
            users.push(user);
        }
        let snapshot = ClientEvent::presence_snapshot(&users);
        if users.len() <= SNAPSHOT_TO_ALL_MAX {
            self.caller.state().chat.core.broadcast(room, snapshot).await;
        } else {
            self.send_event(snapshot).await;
        }
    }

    /// Leaves a room, if the connection is in it, and notifies the others.
    pub(super) async fn leave(&self, room: &RoomName) {
        if self.room().as_ref() != Some(room) {
            return;
        }
        self.caller.remove_item::<CurrentRoom>();
        if let Err(error) = self.caller.leave(room.as_str()).await {
            tracing::warn!(%room, %error, "a connection could not be removed from its room");
        }
        let user = PresentUser::new(&self.member.user, Some(room.as_str()));
        let core = &self.caller.state().chat.core;
        core.broadcast(room, ClientEvent::remove_user(&user)).await;
    }

    /// Sends an event to this connection only.
    pub(super) async fn send_event(&self, event: ClientEvent) {
        send_event(&self.caller, event).await;
    }
}

/// Sends an event to one connection only.
pub(super) async fn send_event(caller: &Caller<HubState>, event: ClientEvent) {
    let ClientEvent { target, argument } = event;
    let argument: Value = argument;
    if let Err(error) = caller.client().send(target, (argument,)).await {
        tracing::debug!(target, %error, "an event did not reach a client");
    }
}
