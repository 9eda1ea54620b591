//! A built hub: its methods and callbacks, the state of the application, and what all its parts share.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::http::request::Parts;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::caller::HubCaller;
use super::context::HubContext;
use super::method::HubMethod;
use crate::connection::{DisconnectReason, HubConnection};
use crate::delivery::HubShared;
use crate::error::HubError;
use crate::message::HubProtocol;

pub(super) type OnConnected<S> =
    Box<dyn Fn(HubCaller<S>) -> BoxFuture<'static, Result<(), HubError>> + Send + Sync>;
pub(super) type OnDisconnected<S> =
    Box<dyn Fn(HubCaller<S>, DisconnectReason) -> BoxFuture<'static, ()> + Send + Sync>;
pub(super) type FindsUser = Box<dyn Fn(&Parts) -> Option<String> + Send + Sync>;

/// A built hub.
pub(crate) struct HubCore<S> {
    pub(crate) state: Arc<S>,
    pub(crate) shared: Arc<HubShared>,
    /// By name in lower case.
    pub(super) methods: HashMap<String, HubMethod<S>>,
    pub(super) on_connected: Option<OnConnected<S>>,
    pub(super) on_disconnected: Option<OnDisconnected<S>>,
    pub(super) user_id: Option<FindsUser>,
}

impl<S: Send + Sync + 'static> HubCore<S> {
    pub(crate) fn caller(&self, connection: &Arc<HubConnection>) -> HubCaller<S> {
        HubCaller {
            state: Arc::clone(&self.state),
            context: HubContext { shared: Arc::clone(&self.shared) },
            connection: Arc::clone(connection),
        }
    }

    /// A method by its name; the official server compares names without case.
    pub(crate) fn method(&self, target: &str) -> Option<&HubMethod<S>> {
        self.methods.get(&target.to_lowercase())
    }

    pub(crate) fn user_of(&self, request: &Parts) -> Option<Arc<str>> {
        self.user_id.as_ref()?(request).map(Into::into)
    }

    /// Makes a connection reachable and lets the application refuse it.
    pub(crate) async fn connected(
        &self,
        connection: &Arc<HubConnection>,
        protocol: HubProtocol,
    ) -> Result<(), HubError> {
        self.shared.enter(connection, protocol).await?;
        let Some(callback) = &self.on_connected else { return Ok(()) };
        let running = AssertUnwindSafe(callback(self.caller(connection))).catch_unwind();
        running.await.unwrap_or_else(|_| {
            Err(HubError::internal("the callback for new connections panicked"))
        })
    }

    pub(crate) async fn disconnected(
        &self,
        connection: &Arc<HubConnection>,
        reason: DisconnectReason,
    ) {
        let Some(callback) = &self.on_disconnected else { return };
        let running = AssertUnwindSafe(callback(self.caller(connection), reason)).catch_unwind();
        if running.await.is_err() {
            tracing::error!(connection = %connection.id, "the callback for ended connections panicked");
        }
    }
}
