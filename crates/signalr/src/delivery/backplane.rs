//! The connection between instances of a hub: what it must carry, and how it hands events over.
//!
//! A hub on one instance needs none. Does not own any transport between processes.

use std::sync::Weak;

use futures::future::BoxFuture;

use super::event::BackplaneEvent;
use super::shared::HubShared;
use crate::error::HubError;

/// Carries events between the instances of a hub.
///
/// An event that is published on one instance must be delivered once, by [`LocalHub::deliver`], on every instance that
/// has subscribed to its topics, the publishing one included. A backplane that ignores topics and delivers every event
/// on every instance is correct, and only slower. [`BackplaneEvent::encode`] gives the bytes to carry.
pub trait Backplane: Send + Sync + 'static {
    /// Called once, when the hub is built.
    fn attach(&self, local: LocalHub);

    /// Sends an event to the instances that need it.
    fn publish(&self, event: BackplaneEvent) -> BoxFuture<'_, Result<(), HubError>>;

    /// This instance has its first connection of the topic.
    fn subscribe(&self, topic: BackplaneTopic) -> BoxFuture<'_, Result<(), HubError>> {
        drop(topic);
        Box::pin(std::future::ready(Ok(())))
    }

    /// This instance has lost its last connection of the topic.
    fn unsubscribe(&self, topic: BackplaneTopic) -> BoxFuture<'_, Result<(), HubError>> {
        drop(topic);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What an instance has connections of. Events to everyone and answers of clients concern every instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BackplaneTopic {
    /// A connection, by its id.
    Connection(String),
    /// A group, by its name.
    Group(String),
    /// A user, by its id.
    User(String),
}

/// The connections of this instance, for a backplane.
#[derive(Clone, Debug)]
pub struct LocalHub {
    shared: Weak<HubShared>,
}

impl LocalHub {
    pub(crate) fn new(shared: Weak<HubShared>) -> Self {
        Self { shared }
    }

    /// Applies an event to the connections of this instance. After the hub is gone, nothing happens.
    pub async fn deliver(&self, event: BackplaneEvent) {
        if let Some(shared) = self.shared.upgrade() {
            shared.apply(event).await;
        }
    }
}
