//! Describes a hub: its methods, callbacks and options.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use axum::http::request::Parts;
use futures::stream::Stream;
use serde::Serialize;

use super::caller::HubCaller;
use super::core::{FindsUser, HubCore, OnConnected, OnDisconnected};
use super::method::{HubMethod, MethodFunction};
use super::served::Hub;
use crate::connection::DisconnectReason;
use crate::delivery::{Backplane, HubShared, LocalHub, OpenCount, PendingAnswers, Registry};
use crate::error::HubError;
use crate::ids::{RandomBytes, system_random};
use crate::options::HubOptions;
use crate::transport::TokenTable;

/// Describes a hub. See [`Hub::builder`].
pub struct HubBuilder<S = ()> {
    state: Arc<S>,
    options: HubOptions,
    methods: HashMap<String, HubMethod<S>>,
    on_connected: Option<OnConnected<S>>,
    on_disconnected: Option<OnDisconnected<S>>,
    user_id: Option<FindsUser>,
    backplane: Option<Arc<dyn Backplane>>,
    random: RandomBytes,
}

impl<S: Send + Sync + 'static> HubBuilder<S> {
    pub(super) fn new(state: Arc<S>) -> Self {
        Self {
            state,
            options: HubOptions::default(),
            methods: HashMap::new(),
            on_connected: None,
            on_disconnected: None,
            user_id: None,
            backplane: None,
            random: system_random(),
        }
    }

    /// Replaces the options.
    #[must_use]
    pub fn options(mut self, options: HubOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds a method with a single result. Names are compared without case; a second method of a name replaces the
    /// first.
    #[must_use]
    pub fn method<P, R>(
        mut self,
        name: &str,
        method: impl MethodFunction<S, P, Output = Result<R, HubError>>,
    ) -> Self
    where
        R: Serialize + Send + 'static,
    {
        self.methods.insert(name.to_lowercase(), HubMethod::single(method));
        self
    }

    /// Adds a method with a stream of results.
    #[must_use]
    pub fn stream<P, I, T>(
        mut self,
        name: &str,
        method: impl MethodFunction<S, P, Output = Result<I, HubError>>,
    ) -> Self
    where
        I: Stream<Item = Result<T, HubError>> + Send + 'static,
        T: Serialize + Send + 'static,
    {
        self.methods.insert(name.to_lowercase(), HubMethod::stream(method));
        self
    }

    /// Called for each new connection before its first message is read. An error ends the connection.
    #[must_use]
    pub fn on_connected<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(HubCaller<S>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), HubError>> + Send + 'static,
    {
        self.on_connected = Some(Box::new(move |caller| Box::pin(callback(caller))));
        self
    }

    /// Called when a connection has ended and is in no group any more.
    #[must_use]
    pub fn on_disconnected<F, Fut>(mut self, callback: F) -> Self
    where
        F: Fn(HubCaller<S>, DisconnectReason) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_disconnected =
            Some(Box::new(move |caller, reason| Box::pin(callback(caller, reason))));
        self
    }

    /// Finds the user of a request, usually from an extension that an authenticating middleware put there. All requests
    /// of a connection must have the same user.
    #[must_use]
    pub fn user_id(
        mut self,
        user_id: impl Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.user_id = Some(Box::new(user_id));
        self
    }

    /// Connects the hub to its instances in other processes.
    #[must_use]
    pub fn backplane(mut self, backplane: Arc<dyn Backplane>) -> Self {
        self.backplane = Some(backplane);
        self
    }

    /// Replaces the randomness of ids and tokens, for tests.
    #[must_use]
    pub fn random(mut self, random: RandomBytes) -> Self {
        self.random = random;
        self
    }

    /// Builds the hub.
    pub fn build(self) -> Hub<S> {
        let shared = Arc::new(HubShared {
            options: self.options,
            random: self.random,
            registry: Registry::default(),
            sessions: TokenTable::default(),
            open: OpenCount::default(),
            is_shut_down: false.into(),
            backplane: self.backplane,
            answers: PendingAnswers::default(),
        });
        if let Some(backplane) = &shared.backplane {
            backplane.attach(LocalHub::new(Arc::downgrade(&shared)));
        }
        Hub::new(HubCore {
            state: self.state,
            shared,
            methods: self.methods,
            on_connected: self.on_connected,
            on_disconnected: self.on_disconnected,
            user_id: self.user_id,
        })
    }
}

impl<S> fmt::Debug for HubBuilder<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HubBuilder").field("options", &self.options).finish_non_exhaustive()
    }
}
