//! What every part of a hub shares, without the state of the application: options, connections, backplane.
//!
//! Does not own methods and callbacks, which know the application's state; see `hub`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;
use tokio::time::timeout;

use super::answers::{ClientAnswer, PendingAnswers};
use super::audience::Audience;
use super::backplane::{Backplane, BackplaneTopic};
use super::encoded::EncodedMessage;
use super::event::BackplaneEvent;
use super::registry::{GroupChange, Registry};
use crate::connection::{HubConnection, lock};
use crate::error::{HubError, HubErrorKind};
use crate::ids::{ConnectionId, RandomBytes, random_text};
use crate::message::{HubArguments, HubProtocol, ProtocolChoice};
use crate::options::HubOptions;
use crate::transport::TokenTable;

/// What every part of a hub shares.
pub(crate) struct HubShared {
    pub(crate) options: HubOptions,
    pub(crate) random: RandomBytes,
    pub(crate) registry: Registry,
    pub(crate) sessions: TokenTable,
    pub(crate) open: OpenCount,
    pub(crate) is_shut_down: AtomicBool,
    pub(crate) backplane: Option<Arc<dyn Backplane>>,
    pub(crate) answers: PendingAnswers,
}

impl std::fmt::Debug for HubShared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HubShared").field("options", &self.options).finish_non_exhaustive()
    }
}

impl HubShared {
    /// Encodes an invocation once for each protocol that a receiver may speak.
    pub(crate) fn encode(
        &self,
        id: Option<&str>,
        target: &str,
        arguments: &impl HubArguments,
    ) -> Result<EncodedMessage, HubError> {
        let mut message = EncodedMessage::default();
        for protocol in [HubProtocol::Json, HubProtocol::MessagePack] {
            // What other instances have is not known here.
            if self.backplane.is_some() || self.registry.speaking(protocol) > 0 {
                let arguments = arguments.encode(ProtocolChoice(protocol))?;
                message.set(protocol.invocation(id, target, &arguments));
            }
        }
        Ok(message)
    }

    pub(crate) async fn send(&self, to: Audience, message: EncodedMessage) -> Result<(), HubError> {
        match &self.backplane {
            None => {
                self.registry.deliver(&to, &message);
                Ok(())
            }
            Some(backplane) => backplane.publish(BackplaneEvent::Send { to, message }).await,
        }
    }

    pub(crate) async fn join(&self, id: &ConnectionId, group: &str) -> Result<(), HubError> {
        let change = self.registry.join(id, group);
        self.after_change(change, id, group, GroupStep::Joined).await
    }

    pub(crate) async fn leave(&self, id: &ConnectionId, group: &str) -> Result<(), HubError> {
        let change = self.registry.leave(id, group);
        self.after_change(change, id, group, GroupStep::Left).await
    }

    async fn after_change(
        &self,
        change: GroupChange,
        id: &ConnectionId,
        group: &str,
        membership: GroupStep,
    ) -> Result<(), HubError> {
        let Some(backplane) = &self.backplane else { return Ok(()) };
        let (connection, group) = (id.clone(), group.to_owned());
        match (change, membership) {
            (GroupChange::Done, _) => Ok(()),
            (GroupChange::Turned, GroupStep::Joined) => {
                backplane.subscribe(BackplaneTopic::Group(group)).await
            }
            (GroupChange::Turned, GroupStep::Left) => {
                backplane.unsubscribe(BackplaneTopic::Group(group)).await
            }
            (GroupChange::NotHere, GroupStep::Joined) => {
                backplane.publish(BackplaneEvent::JoinGroup { connection, group }).await
            }
            (GroupChange::NotHere, GroupStep::Left) => {
                backplane.publish(BackplaneEvent::LeaveGroup { connection, group }).await
            }
        }
    }

    /// Makes a connection reachable.
    pub(crate) async fn enter(
        &self,
        connection: &Arc<HubConnection>,
        protocol: HubProtocol,
    ) -> Result<(), HubError> {
        let topics = self.registry.add(connection, protocol);
        if let Some(backplane) = &self.backplane {
            for topic in topics {
                backplane.subscribe(topic).await?;
            }
        }
        Ok(())
    }

    /// Makes a connection unreachable.
    pub(crate) async fn leave_everything(&self, connection: &HubConnection, protocol: HubProtocol) {
        let topics = self.registry.remove(connection, protocol);
        let Some(backplane) = &self.backplane else { return };
        for topic in topics {
            if let Err(error) = backplane.unsubscribe(topic).await {
                tracing::warn!(%error, "the backplane did not end a subscription");
            }
        }
    }

    /// Invokes a method of one client and waits for its answer.
    pub(crate) async fn invoke(
        &self,
        to: &ConnectionId,
        target: &str,
        arguments: &impl HubArguments,
    ) -> Result<ClientAnswer, HubError> {
        let id = random_text(&self.random);
        let message = self.encode(Some(&id), target, arguments)?;
        let answer = self.answers.expect(&id);
        let sent = self.send_invocation(to, &id, message).await;
        let answer = match sent {
            Ok(()) => timeout(self.options.client_result_timeout, answer).await,
            Err(error) => {
                self.answers.forget(&id);
                return Err(error);
            }
        };
        match answer {
            Ok(answer) => Ok(answer.unwrap_or(ClientAnswer::Gone)),
            Err(_) => {
                self.answers.forget(&id);
                let message =
                    format!("the client of connection '{to}' did not answer '{target}' in time");
                Err(HubError::new(HubErrorKind::NoAnswer, message))
            }
        }
    }

    async fn send_invocation(
        &self,
        to: &ConnectionId,
        id: &str,
        message: EncodedMessage,
    ) -> Result<(), HubError> {
        match (self.registry.connection(to), &self.backplane) {
            (Some(connection), _) if !connection.is_reading() => Err(HubError::new(
                HubErrorKind::NotConnected,
                format!(
                    "the client of connection '{to}' cannot answer before its callback for \
                         new connections has ended"
                ),
            )),
            (Some(connection), _) => {
                deliver_invocation(&connection, id, &message);
                Ok(())
            }
            (None, Some(backplane)) => {
                let (connection, invocation_id) = (to.clone(), id.to_owned());
                backplane
                    .publish(BackplaneEvent::Invoke { connection, invocation_id, message })
                    .await
            }
            (None, None) => Err(HubError::new(
                HubErrorKind::NotConnected,
                format!("the connection '{to}' is not open"),
            )),
        }
    }

    /// An answer of a client has arrived here; it may be expected on another instance.
    pub(crate) fn client_answered(&self, id: &str, answer: ClientAnswer) {
        let Some(answer) = self.answers.resolve(id, answer) else { return };
        let Some(backplane) = self.backplane.clone() else { return };
        let invocation_id = id.to_owned();
        tokio::spawn(async move {
            let event = BackplaneEvent::ClientAnswered { invocation_id, answer };
            if let Err(error) = backplane.publish(event).await {
                tracing::warn!(%error, "the backplane did not take the answer of a client");
            }
        });
    }

    /// An event of the backplane concerns the connections of this instance.
    pub(crate) async fn apply(&self, event: BackplaneEvent) {
        match event {
            BackplaneEvent::Send { to, message } => self.registry.deliver(&to, &message),
            // Only the instance that has the connection goes on; the others must not publish the event again.
            BackplaneEvent::JoinGroup { connection, group } => {
                if self.registry.connection(&connection).is_some() {
                    self.report(self.join(&connection, &group).await);
                }
            }
            BackplaneEvent::LeaveGroup { connection, group } => {
                if self.registry.connection(&connection).is_some() {
                    self.report(self.leave(&connection, &group).await);
                }
            }
            BackplaneEvent::Invoke { connection, invocation_id, message } => {
                if let Some(connection) = self.registry.connection(&connection) {
                    deliver_invocation(&connection, &invocation_id, &message);
                }
            }
            BackplaneEvent::ClientAnswered { invocation_id, answer } => {
                // Expected on one instance, and no concern of the others.
                drop(self.answers.resolve(&invocation_id, answer));
            }
        }
    }

    fn report(&self, result: Result<(), HubError>) {
        if let Err(error) = result {
            tracing::warn!(%error, "the backplane did not take a change of a group");
        }
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.is_shut_down.load(Ordering::Acquire)
    }
}

enum GroupStep {
    Joined,
    Left,
}

fn deliver_invocation(connection: &HubConnection, id: &str, message: &EncodedMessage) {
    let protocol = connection.protocol();
    if let Some(frame) = protocol.and_then(|protocol| message.frame(protocol)) {
        lock(&connection.awaited).insert(id.to_owned());
        connection.deliver(frame);
    }
}

/// How many connections are open, for limits and for an orderly end.
#[derive(Debug)]
pub(crate) struct OpenCount {
    count: watch::Sender<usize>,
}

impl Default for OpenCount {
    fn default() -> Self {
        Self { count: watch::Sender::new(0) }
    }
}

impl OpenCount {
    /// Counts a connection until the guard is dropped.
    pub(crate) fn enter(&self) -> OpenGuard {
        self.count.send_modify(|count| *count += 1);
        OpenGuard { count: self.count.clone() }
    }

    pub(crate) fn get(&self) -> usize {
        *self.count.borrow()
    }

    pub(crate) async fn wait_until_none(&self) {
        let mut count = self.count.subscribe();
        // The sender lives in `self`.
        let _ = count.wait_for(|count| *count == 0).await;
    }
}

/// A connection that counts as open.
#[derive(Debug)]
pub(crate) struct OpenGuard {
    count: watch::Sender<usize>,
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.count.send_modify(|count| *count -= 1);
    }
}
