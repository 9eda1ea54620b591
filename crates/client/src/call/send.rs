//! The one way of a request to its place: attempts, waits between them, traces.
//!
//! Owns the loop. Does not own how long to wait (`retry`) nor what a repeated write found (`settle`).

use std::sync::Arc;

use engine::ContainerLink;
use engine::operation::{ReadItem, ReadOptions};
use model::{ItemId, PartitionKey};
use tracing::Instrument as _;
use tracing::level_filters::LevelFilter;

use crate::account::Account;
use crate::answer::SessionToken;
use crate::error::{Error, Result};

use super::{At, Reply, Request, Trace};

impl Account {
    /// Sends a request until it is answered, refused, or the retry policy gives up: one call, one span.
    pub(crate) async fn send(&self, request: &Request) -> Result<Reply> {
        let mut trace = Trace::begin(request);
        let result = self.send_within(request, &mut trace).await;
        trace.end(&result);
        result
    }

    /// Sends a point read. Inside the program and with nobody listening it goes to the engine as it is, so that it
    /// costs little more than the engine's; only one that fails becomes a request that can be sent again.
    pub(crate) async fn send_read(
        &self,
        container: &Arc<ContainerLink>,
        partition_key: &PartitionKey,
        id: &str,
        session_token: Option<SessionToken>,
    ) -> Result<Reply> {
        let at =
            |id| At { container: Arc::clone(container), partition_key: partition_key.clone(), id };
        let name = ItemId::new(id)?;
        let is_traced = LevelFilter::current() >= LevelFilter::DEBUG;
        let Some(embedded) = self.place().embedded().filter(|_| !is_traced) else {
            return self.send(&Request::Read { at: at(name), session_token, unless: None }).await;
        };
        let token = session_token.as_ref().map(SessionToken::to_embedded).transpose()?;
        let read = ReadItem {
            container: ContainerLink::clone(container),
            partition_key: partition_key.clone(),
            id: name,
            options: ReadOptions { session_token: token, ..ReadOptions::default() },
        };
        match embedded.read_item(read).await {
            Ok(reply) => Ok(reply),
            Err(error) => {
                let request =
                    Request::Read { at: at(ItemId::new(id)?), session_token, unless: None };
                // Rare and large: a read that is answered must not carry it around.
                Box::pin(self.send_again(&request, error)).await.map(|(reply, _)| reply)
            }
        }
    }

    /// Sends one request of a call that may send more.
    pub(crate) async fn send_within(&self, request: &Request, trace: &mut Trace) -> Result<Reply> {
        let (reply, attempts) = self.attempt(request).instrument(trace.span()).await?;
        trace.count(&reply, attempts);
        Ok(reply)
    }

    /// The reply, and how many attempts it took.
    async fn attempt(&self, request: &Request) -> Result<(Reply, u32)> {
        // The common case has no state of its own: a point read must cost little more than the engine's.
        let (reply, attempts) = match self.place().execute(request).await {
            Ok(reply) => (reply, 1),
            Err(error) => self.send_again(request, error).await?,
        };
        tracing::debug!(
            operation = request.name(),
            attempts,
            request_units = reply.charge,
            activity_id = %reply.activity_id,
            "answered"
        );
        Ok((reply, attempts))
    }

    async fn send_again(&self, request: &Request, first: Error) -> Result<(Reply, u32)> {
        let policy = self.retry_policy();
        let environment = self.environment();
        let started = environment.now();
        let mut error = first;
        let mut unknown_before = false;
        for attempt in 1.. {
            let is_unknown = error.may_have_happened() && !request.is_read();
            if is_unknown && !request.is_repeatable() {
                return Err(error.after_attempts(attempt));
            }
            unknown_before |= is_unknown;
            let spent = environment.now().0.saturating_sub(started.0);
            let Some(delay) = policy.delay(&error, attempt, spent, environment.random()) else {
                // A read changes nothing, whatever became of it.
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
            match self.place().execute(request).await {
                Ok(reply) => return Ok((reply, attempt + 1)),
                Err(next) if unknown_before => match self.settle(request, next).await {
                    Ok(reply) => return Ok((reply, attempt + 1)),
                    Err(next) => error = next,
                },
                Err(next) => error = next,
            }
        }
        Err(error)
    }
}
