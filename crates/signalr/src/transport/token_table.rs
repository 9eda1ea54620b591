//! Connections by their secret tokens: negotiated, open, and those whose last messages a poll has not fetched.
//!
//! Does not own who receives messages; see `delivery/registry.rs`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use foldhash::fast::RandomState;
use tokio::time::{Duration, Instant, sleep};

use crate::connection::{HubConnection, OutboxLimits, TransportKind, lock};
use crate::delivery::HubShared;
use crate::ids::{ConnectionId, random_text};

/// Connections by their secret tokens.
#[derive(Debug, Default)]
pub(crate) struct TokenTable {
    state: Mutex<TokenState>,
}

#[derive(Debug, Default)]
struct TokenState {
    connections: HashMap<Arc<str>, Arc<HubConnection>, RandomState>,
    /// Negotiated connections, oldest first. Those that were opened since are skipped.
    negotiated: VecDeque<(Instant, Arc<str>)>,
}

impl TokenTable {
    /// Makes a new connection known. Nothing: there are as many as there may be.
    pub(super) fn create(shared: &HubShared, request: NewConnection) -> Option<Arc<HubConnection>> {
        let options = &shared.options;
        let id = random_text(&shared.random);
        // Before version 1 the id was the secret.
        let token = if request.has_token { random_text(&shared.random) } else { id.clone() };
        let limits = OutboxLimits {
            bytes_max: options.send_queue_bytes_max,
            messages_max: options.send_queue_messages_max,
        };
        let connection = Arc::new(HubConnection::new(
            ConnectionId::from(id),
            token.into(),
            limits,
            options.receive_message_bytes_max,
            request.stateful,
        ));
        let mut state = lock(&shared.sessions.state);
        state.expire(options.disconnect_timeout);
        let has_room = state.connections.len() < options.connections_max
            && (!request.negotiated || state.negotiated.len() < options.negotiations_max);
        if !has_room {
            return None;
        }
        let token = Arc::clone(&connection.token);
        if request.negotiated {
            state.negotiated.push_back((Instant::now(), Arc::clone(&token)));
        }
        state.connections.insert(token, Arc::clone(&connection));
        Some(connection)
    }

    pub(super) fn find(&self, token: &str) -> Option<Arc<HubConnection>> {
        lock(&self.state).connections.get(token).cloned()
    }

    /// A negotiated connection was opened and no longer counts as negotiated.
    pub(super) fn opened(&self, connection: &HubConnection) {
        let mut state = lock(&self.state);
        if let Some(index) =
            state.negotiated.iter().position(|(_, token)| *token == connection.token)
        {
            state.negotiated.remove(index);
        }
    }

    pub(super) fn remove(&self, connection: &HubConnection) {
        lock(&self.state).connections.remove(&connection.token);
    }

    /// Every connection, negotiated ones included.
    pub(crate) fn all(&self) -> Vec<Arc<HubConnection>> {
        lock(&self.state).connections.values().cloned().collect()
    }

    /// Forgets a connection that has ended. A client that polls gets time to fetch its last messages.
    pub(crate) async fn release(&self, connection: &HubConnection, patience: Duration) {
        if connection.transport_kind() == Some(TransportKind::LongPolling) {
            sleep(patience).await;
        }
        self.remove(connection);
    }
}

impl TokenState {
    /// Forgets negotiated connections that were never opened.
    fn expire(&mut self, patience: Duration) {
        let now = Instant::now();
        while let Some((at, token)) = self.negotiated.front()
            && now >= *at + patience
        {
            let never_opened = self
                .connections
                .get(token)
                .is_some_and(|connection| connection.transport_kind().is_none());
            if never_opened {
                self.connections.remove(token);
            }
            self.negotiated.pop_front();
        }
    }
}

/// What a new connection is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewConnection {
    /// Whether the id and the secret token differ.
    pub(super) has_token: bool,
    pub(super) stateful: bool,
    /// Whether a transport follows in another request.
    pub(super) negotiated: bool,
}
