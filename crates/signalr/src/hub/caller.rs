//! Who called a hub method, with the handles to answer.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::context::{Clients, HubContext};
use crate::connection::{CloseCause, HubConnection, lock};
use crate::error::HubError;
use crate::ids::ConnectionId;
use crate::message::HubArguments;

/// The connection that a call or a callback is about, with the state of the application.
pub struct HubCaller<S = ()> {
    pub(super) state: Arc<S>,
    pub(super) context: HubContext,
    pub(super) connection: Arc<HubConnection>,
}

impl<S> HubCaller<S> {
    /// The state of the application that the hub was built with.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// The handle to all clients of the hub.
    pub fn hub(&self) -> &HubContext {
        &self.context
    }

    /// The public id of the connection.
    pub fn connection_id(&self) -> &ConnectionId {
        &self.connection.id
    }

    /// The user of the connection, as [`HubBuilder::user_id`](crate::HubBuilder::user_id) found it.
    pub fn user(&self) -> Option<&str> {
        self.connection.user().map(AsRef::as_ref)
    }

    /// An extension of the request that opened the connection, such as a principal that a middleware put there.
    pub fn extension<T: Clone + Send + Sync + 'static>(&self) -> Option<&T> {
        self.connection.identity()?.extensions.get()
    }

    /// A value that was kept for the connection.
    pub fn item<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        lock(&self.connection.items).get().cloned()
    }

    /// Keeps a value for the connection, one of each type. The value before it is returned.
    pub fn set_item<T: Clone + Any + Send + Sync>(&self, value: T) -> Option<T> {
        lock(&self.connection.items).insert(value)
    }

    /// Forgets a value that was kept for the connection.
    pub fn remove_item<T: Clone + Any + Send + Sync>(&self) -> Option<T> {
        lock(&self.connection.items).remove()
    }

    /// The groups of the connection, sorted.
    pub fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> =
            lock(&self.connection.groups).iter().map(ToString::to_string).collect();
        groups.sort_unstable();
        groups
    }

    /// Only the caller.
    pub fn client(&self) -> Clients {
        self.context.connection(self.connection.id.clone())
    }

    /// Every client but the caller.
    pub fn others(&self) -> Clients {
        self.context.all_except([self.connection.id.clone()])
    }

    /// The members of a group but the caller.
    pub fn others_in_group(&self, group: impl Into<String>) -> Clients {
        self.context.group_except(group, [self.connection.id.clone()])
    }

    /// Adds the caller to a group.
    ///
    /// # Errors
    ///
    /// Fails if the backplane does.
    pub async fn join(&self, group: impl AsRef<str>) -> Result<(), HubError> {
        self.context.add_to_group(&self.connection.id, group).await
    }

    /// Removes the caller from a group.
    ///
    /// # Errors
    ///
    /// Fails if the backplane does.
    pub async fn leave(&self, group: impl AsRef<str>) -> Result<(), HubError> {
        self.context.remove_from_group(&self.connection.id, group).await
    }

    /// Invokes a method of the calling client and waits for its result. Not possible in the callback for new
    /// connections.
    ///
    /// # Errors
    ///
    /// Fails if the connection has ended, the client answers with an error or does not answer in time.
    pub async fn invoke<R: DeserializeOwned>(
        &self,
        target: &str,
        arguments: impl HubArguments,
    ) -> Result<R, HubError> {
        self.context.invoke(&self.connection.id, target, arguments).await
    }

    /// Ends the connection; the client does not reconnect by itself.
    pub fn abort(&self) {
        self.connection.close(CloseCause::Aborted);
    }
}

impl<S> Clone for HubCaller<S> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            context: self.context.clone(),
            connection: Arc::clone(&self.connection),
        }
    }
}

impl<S> fmt::Debug for HubCaller<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HubCaller")
            .field("connection", &self.connection.id)
            .field("user", &self.user())
            .finish_non_exhaustive()
    }
}
