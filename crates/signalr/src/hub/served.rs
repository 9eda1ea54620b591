//! A hub that serves: its routes, its handle and its end.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use tokio::time::timeout;

use super::builder::HubBuilder;
use super::context::HubContext;
use super::core::HubCore;
use crate::connection::CloseCause;
use crate::transport::routes;

/// A hub. It is cheap to clone.
pub struct Hub<S = ()> {
    core: Arc<HubCore<S>>,
}

impl<S: Send + Sync + 'static> Hub<S> {
    /// Describes a hub whose methods see `state`.
    pub fn builder(state: impl Into<Arc<S>>) -> HubBuilder<S> {
        HubBuilder::new(state.into())
    }

    pub(super) fn new(core: HubCore<S>) -> Self {
        Self { core: Arc::new(core) }
    }

    /// The routes of the hub at `path`, such as `/chatHub`. Middleware for authentication is a layer around them.
    pub fn routes(&self, path: &str) -> Router {
        routes(&self.core, path)
    }

    /// The handle to the clients of the hub.
    pub fn context(&self) -> HubContext {
        HubContext { shared: Arc::clone(&self.core.shared) }
    }

    /// The names of the methods, in lower case and sorted.
    #[must_use]
    pub fn method_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.core.methods.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    /// Ends every connection: clients learn that they may reconnect, and the callbacks for ended connections run.
    /// New connections are refused. False: `patience` ran out before all had ended.
    pub async fn shut_down(&self, patience: Duration) -> bool {
        let shared = &self.core.shared;
        shared.is_shut_down.store(true, Ordering::Release);
        for connection in shared.sessions.all() {
            connection.close(CloseCause::ShutDown);
        }
        timeout(patience, shared.open.wait_until_none()).await.is_ok()
    }
}

impl<S> Clone for Hub<S> {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core) }
    }
}

impl<S> fmt::Debug for Hub<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Hub").finish_non_exhaustive()
    }
}
