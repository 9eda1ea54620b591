//! The backplane over Redis: one channel that every process publishes to and listens on.
//!
//! Owns the channel and opening it again. An event is delivered in this process without Redis, so that an outage
//! separates processes and not people who are in the same one.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use client::Environment;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use redis::{AsyncCommands as _, Client, RedisResult};
use signalr::{Backplane, BackplaneEvent, HubError, LocalHub};
use tokio::sync::oneshot;

use crate::ephemeral::{EphemeralResult, RedisEphemeral};

const CHANNEL: &str = "chat:backplane";
/// The pause before the channel is opened again.
const AGAIN: Duration = Duration::from_secs(1);
/// Each message begins with the id of its process, so that a process ignores its own.
const INSTANCE_BYTES: usize = 16;

/// The channel of all processes behind one Redis.
pub(super) struct RedisBackplane {
    redis: Arc<RedisEphemeral>,
    channel: String,
    instance: [u8; INSTANCE_BYTES],
    local: OnceLock<LocalHub>,
    /// Ends the listener when this is dropped.
    listener: Mutex<Option<oneshot::Sender<()>>>,
}

impl RedisBackplane {
    /// The channel of this Redis and tenant.
    #[must_use]
    pub(super) fn new(redis: &Arc<RedisEphemeral>) -> Self {
        let environment = redis.environment();
        let number = u128::from(environment.random()) << 64 | u128::from(environment.random());
        Self {
            redis: Arc::clone(redis),
            channel: redis.key(CHANNEL),
            instance: number.to_be_bytes(),
            local: OnceLock::new(),
            listener: Mutex::new(None),
        }
    }

    /// Sends bytes to the other processes.
    async fn send(&self, bytes: &[u8]) -> EphemeralResult<()> {
        let mut message = self.instance.to_vec();
        message.extend_from_slice(bytes);
        let channel = &self.channel;
        let _: u64 = self.redis.call(async |redis| redis.publish(channel, message).await).await?;
        Ok(())
    }

    /// Calls `receive` with the bytes of other processes, one after the other, until this is dropped.
    fn listen<F>(&self, local: LocalHub, receive: impl Fn(Vec<u8>) -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let _ = self.local.set(local);
        let (stop, stopped) = oneshot::channel();
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
        let environment = self.redis.environment().clone();
        let (client, channel) = (self.redis.client().clone(), self.channel.clone());
        let instance = self.instance;
        environment.clone().spawn(async move {
            let listening = listen_for_ever(&environment, &client, &channel, &instance, receive);
            tokio::select! {
                () = listening => {}
                _ = stopped => {}
            }
        });
    }
}

impl Backplane for RedisBackplane {
    fn attach(&self, local: LocalHub) {
        self.listen(local.clone(), move |bytes| {
            let local = local.clone();
            async move {
                match BackplaneEvent::decode(&bytes) {
                    Ok(event) => local.deliver(event).await,
                    Err(error) => tracing::warn!(%error, "another process is of another version"),
                }
            }
        });
    }

    fn publish(&self, event: BackplaneEvent) -> BoxFuture<'_, Result<(), HubError>> {
        Box::pin(async move {
            let bytes = event.encode();
            if let Some(local) = self.local.get() {
                local.deliver(event).await;
            }
            if let Err(error) = self.send(&bytes).await {
                tracing::warn!(%error, "an event did not reach the other processes");
            }
            Ok(())
        })
    }
}

async fn listen_for_ever<F: Future<Output = ()>>(
    environment: &Environment,
    client: &Client,
    channel: &str,
    instance: &[u8],
    receive: impl Fn(Vec<u8>) -> F,
) {
    loop {
        let listened: RedisResult<()> = async {
            let mut channel_of_all = client.get_async_pubsub().await?;
            channel_of_all.subscribe(channel).await?;
            let mut messages = channel_of_all.into_on_message();
            while let Some(message) = messages.next().await {
                let bytes: Vec<u8> = message.get_payload()?;
                let (from, rest) = bytes.split_at(INSTANCE_BYTES.min(bytes.len()));
                if from != instance {
                    receive(rest.to_vec()).await;
                }
            }
            Ok(())
        }
        .await;
        if let Err(error) = listened {
            tracing::debug!(%error, "the channel of other processes is closed");
        }
        environment.sleep(AGAIN).await;
    }
}
