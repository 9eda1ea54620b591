//! Send a request to the backend: attempts, waits between them, traces.
//!
//! Owns the loop. Does not own how long to wait (`retry`) or what a failed repetition means (`recover`).

use std::sync::Arc;

use engine::ContainerLink;
use engine::operation::{ReadItem, ReadOptions};
use model::{ItemId, PartitionKey};
use tracing::Instrument as _;
use tracing::level_filters::LevelFilter;

use crate::error::{Error, ErrorKind, Result};
use crate::request::{BackendRequest, BackendResponse, ItemAddress};
use crate::response::ClientSessionToken;

use super::{Account, Trace};

impl Account {
    /// Sends a request until it succeeds, is refused, or the retry policy gives up: one call, one span.
    pub(crate) async fn send(&self, request: &BackendRequest) -> Result<BackendResponse> {
        let mut trace = Trace::begin(request);
        let result = self.send_within(request, &mut trace).await;
        trace.end(&result);
        result
    }

    /// Sends a write of one item. The first attempt gives the item away instead of cloning it, because the engine needs
    /// it by value. `rebuild` creates the request again for a retry, which is rare.
    pub(crate) async fn send_item(
        &self,
        request: BackendRequest,
        rebuild: impl Fn() -> Result<BackendRequest>,
    ) -> Result<BackendResponse> {
        let mut trace = Trace::begin(&request);
        let name = request.name();
        let result = match self.backend().execute(request).instrument(trace.span()).await {
            Ok(response) => Ok((response, 1)),
            // The request was consumed by the attempt. Errors that no retry can help are returned without building it
            // again.
            Err(error) if is_transient(&error) => match rebuild() {
                Ok(request) => {
                    let retries = self.send_again(&request, error).instrument(trace.span());
                    Box::pin(retries).await
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        let result = result.map(|(response, attempts)| {
            trace.span().in_scope(|| log_success(name, &response, attempts));
            trace.count(&response, attempts);
            response
        });
        trace.end(&result);
        result
    }

    /// Sends a point read. With an embedded backend and without tracing it goes directly to the engine, so that it
    /// costs little more than the engine's read. Only a read that fails becomes a request that can be sent again.
    pub(crate) async fn send_read(
        &self,
        container: &Arc<ContainerLink>,
        partition_key: &PartitionKey,
        id: &str,
        session_token: Option<ClientSessionToken>,
    ) -> Result<BackendResponse> {
        let read_request = |id, session_token| BackendRequest::Read {
            address: ItemAddress {
                container: Arc::clone(container),
                partition_key: partition_key.clone(),
                id,
            },
            session_token,
            if_none_match: None,
        };
        let item_id = ItemId::new(id)?;
        // A span per read costs more than the read itself; without a subscriber at this level nobody would see it.
        let is_traced = LevelFilter::current() >= LevelFilter::DEBUG;
        let Some(embedded) = self.backend().as_embedded().filter(|_| !is_traced) else {
            return self.send(&read_request(item_id, session_token)).await;
        };
        let token = session_token.as_ref().map(ClientSessionToken::to_embedded).transpose()?;
        let read = ReadItem {
            container: ContainerLink::clone(container),
            partition_key: partition_key.clone(),
            id: item_id,
            options: ReadOptions { session_token: token, ..ReadOptions::default() },
        };
        match embedded.read_item(read).await {
            Ok(response) => Ok(response),
            Err(error) => {
                let request = read_request(ItemId::new(id)?, session_token);
                // Boxed: the state of the retry loop is large, and must not be part of every read's future.
                Box::pin(self.send_again(&request, error)).await.map(|(response, _)| response)
            }
        }
    }

    /// Sends one request of a call that may send several.
    pub(crate) async fn send_within(
        &self,
        request: &BackendRequest,
        trace: &mut Trace,
    ) -> Result<BackendResponse> {
        let (response, attempts) = self.attempt(request).instrument(trace.span()).await?;
        trace.count(&response, attempts);
        Ok(response)
    }

    /// Returns the response and the number of attempts.
    async fn attempt(&self, request: &BackendRequest) -> Result<(BackendResponse, u32)> {
        // The first attempt is outside the retry loop, so that the common case does not pay for the loop's state.
        let (response, attempts) = match self.backend().execute(request.clone()).await {
            Ok(response) => (response, 1),
            Err(error) => self.send_again(request, error).await?,
        };
        log_success(request.name(), &response, attempts);
        Ok((response, attempts))
    }

    async fn send_again(
        &self,
        request: &BackendRequest,
        first: Error,
    ) -> Result<(BackendResponse, u32)> {
        let policy = self.retry_policy();
        let environment = self.environment();
        let started = environment.now();
        let mut error = first;
        // Whether an earlier attempt may have been executed. From then on a refusal may be caused by our own write.
        let mut may_have_happened = false;
        for attempt in 1.. {
            let is_unknown = error.may_have_happened() && !request.is_read();
            // A patch that increments, for example: sending it again could apply it twice.
            if is_unknown && !request.is_repeatable() {
                return Err(error.after_attempts(attempt));
            }
            // Never reset: after one lost response, every later refusal may be caused by it.
            may_have_happened |= is_unknown;
            let spent = environment.now().0.saturating_sub(started.0);
            let Some(delay) = policy.delay(&error, attempt, spent, environment.random()) else {
                // A read has no effect, even if its response was lost.
                let error = if request.is_read() { error.without_effect() } else { error };
                return Err(error.after_attempts(attempt));
            };
            tracing::warn!(
                operation = request.name(),
                attempt,
                delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                error = %error,
                "trying again"
            );
            environment.sleep(delay).await;
            match self.backend().execute(request.clone()).await {
                Ok(response) => return Ok((response, attempt + 1)),
                Err(next) if may_have_happened => match self.recover(request, next).await {
                    Ok(response) => return Ok((response, attempt + 1)),
                    Err(next) => error = next,
                },
                Err(next) => error = next,
            }
        }
        Err(error)
    }
}

/// Whether a retry can help at all; the retry policy decides whether there is one.
fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Throttled { .. } | ErrorKind::Unavailable)
}

fn log_success(name: &'static str, response: &BackendResponse, attempts: u32) {
    tracing::debug!(
        operation = name,
        attempts,
        request_units = response.charge,
        activity_id = %response.activity_id,
        "answered"
    );
}
