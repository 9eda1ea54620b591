//! The handle to the clients of a hub, for hub methods and for the rest of an application.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::connection::CloseCause;
use crate::delivery::{Audience, HubShared};
use crate::error::HubError;
use crate::ids::ConnectionId;
use crate::message::HubArguments;

/// The handle to the clients of a hub. It is cheap to clone and may be used anywhere.
#[derive(Clone, Debug)]
pub struct HubContext {
    pub(crate) shared: Arc<HubShared>,
}

impl HubContext {
    /// Every client.
    pub fn all(&self) -> Clients {
        self.to(Audience::All { except: Vec::new() })
    }

    /// Every client but these.
    pub fn all_except(&self, except: impl IntoIterator<Item = ConnectionId>) -> Clients {
        self.to(Audience::All { except: except.into_iter().collect() })
    }

    /// One connection.
    pub fn connection(&self, id: impl Into<ConnectionId>) -> Clients {
        self.to(Audience::Connections(vec![id.into()]))
    }

    /// Several connections.
    pub fn connections(&self, ids: impl IntoIterator<Item = ConnectionId>) -> Clients {
        self.to(Audience::Connections(ids.into_iter().collect()))
    }

    /// The members of a group.
    pub fn group(&self, group: impl Into<String>) -> Clients {
        self.group_except(group, [])
    }

    /// The members of a group but these.
    pub fn group_except(
        &self,
        group: impl Into<String>,
        except: impl IntoIterator<Item = ConnectionId>,
    ) -> Clients {
        let except = except.into_iter().collect();
        self.to(Audience::Groups { groups: vec![group.into()], except })
    }

    /// The members of several groups. A member of two of them gets a message twice.
    pub fn groups(&self, groups: impl IntoIterator<Item = String>) -> Clients {
        self.to(Audience::Groups { groups: groups.into_iter().collect(), except: Vec::new() })
    }

    /// Every connection of a user.
    pub fn user(&self, user: impl Into<String>) -> Clients {
        self.users([user.into()])
    }

    /// Every connection of several users.
    pub fn users(&self, users: impl IntoIterator<Item = String>) -> Clients {
        self.to(Audience::Users(users.into_iter().collect()))
    }

    /// The clients of an audience.
    pub fn to(&self, audience: Audience) -> Clients {
        Clients { context: self.clone(), audience }
    }

    /// Adds a connection to a group. A connection that is not open is ignored.
    ///
    /// # Errors
    ///
    /// Fails if the backplane does.
    pub async fn add_to_group(
        &self,
        connection: &ConnectionId,
        group: impl AsRef<str>,
    ) -> Result<(), HubError> {
        self.shared.join(connection, group.as_ref()).await
    }

    /// Removes a connection from a group. A connection that is not open or no member is ignored.
    ///
    /// # Errors
    ///
    /// Fails if the backplane does.
    pub async fn remove_from_group(
        &self,
        connection: &ConnectionId,
        group: impl AsRef<str>,
    ) -> Result<(), HubError> {
        self.shared.leave(connection, group.as_ref()).await
    }

    /// Invokes a method of one client and waits for its result.
    ///
    /// # Errors
    ///
    /// Fails if the connection is not open, the client answers with an error or does not answer in time.
    pub async fn invoke<R: DeserializeOwned>(
        &self,
        connection: &ConnectionId,
        target: &str,
        arguments: impl HubArguments,
    ) -> Result<R, HubError> {
        self.shared.invoke(connection, target, &arguments).await?.decode()
    }

    /// Ends a connection of this instance; its client does not reconnect by itself. False: it is not open here.
    pub fn abort(&self, connection: &ConnectionId) -> bool {
        let found = self.shared.registry.connection(connection);
        if let Some(connection) = &found {
            connection.close(CloseCause::Aborted);
        }
        found.is_some()
    }

    /// Connections that are open on this instance.
    pub fn open_connections(&self) -> usize {
        self.shared.open.get()
    }

    /// Members of a group on this instance.
    pub fn group_members(&self, group: impl AsRef<str>) -> usize {
        self.shared.registry.group_members(group.as_ref())
    }
}

/// The receivers of a message.
#[derive(Clone, Debug)]
pub struct Clients {
    context: HubContext,
    audience: Audience,
}

impl Clients {
    /// Invokes a method of every receiver and waits for no result. A client that is too slow for its messages is
    /// disconnected, so a send does not wait for clients.
    ///
    /// # Errors
    ///
    /// Fails if the arguments cannot be encoded or the backplane does not take the message.
    pub async fn send(self, target: &str, arguments: impl HubArguments) -> Result<(), HubError> {
        let shared = &self.context.shared;
        let message = shared.encode(None, target, &arguments)?;
        shared.send(self.audience, message).await
    }
}
