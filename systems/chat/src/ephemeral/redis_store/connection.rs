//! The connection to Redis, and the pause after a failure.
//!
//! Owns opening it again and the cooldown of ten seconds in which Redis is not called: a server in trouble is not
//! helped by more requests, and a caller gets its answer at once. Does not own the commands (`commands`).

use std::sync::Mutex as StandardMutex;
use std::sync::PoisonError;
use std::time::Duration;

use client::Environment;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisResult};
use tokio::sync::Mutex;

use crate::ephemeral::{EphemeralError, EphemeralResult};
use crate::error::{Error, Result};
use crate::settings::RedisSettings;

/// How long Redis is not called after a failure.
const COOLDOWN: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(5);

/// Ephemeral state in Redis.
pub struct RedisEphemeral {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
    /// When Redis may be called again, by the stopwatch of the environment.
    cooldown_until: StandardMutex<Option<Duration>>,
    environment: Environment,
    prefix: String,
    address: String,
}

impl RedisEphemeral {
    /// Prepares a connection. Nothing is sent yet: a start goes on while Redis is down, and readiness says so.
    ///
    /// # Errors
    /// `Invalid` for a connection string that is no address.
    pub fn open(settings: &RedisSettings, environment: Environment) -> Result<Self> {
        let text = settings.connection_string.expose();
        let url = if text.contains("://") { text.to_owned() } else { format!("redis://{text}") };
        let base = url.trim_end_matches('/').to_owned();
        let has_database = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        let url = if has_database { base } else { format!("{base}/{}", settings.database) };
        let client = Client::open(url.as_str()).map_err(|error| {
            // The text may contain a password, so it is not repeated.
            let why = error.detail().unwrap_or("it is no address");
            Error::invalid(format!("Redis:ConnectionString: write redis://host:port; {why}"))
        })?;
        let address = client.get_connection_info().addr().to_string();
        let tenant = &settings.tenant;
        let prefix = if tenant.is_empty() { String::new() } else { format!("tenant:{tenant}:") };
        Ok(Self {
            client,
            connection: Mutex::new(None),
            cooldown_until: StandardMutex::new(None),
            environment,
            prefix,
            address,
        })
    }

    /// Runs a command on the connection. A failure closes it and begins the cooldown.
    pub(crate) async fn call<T>(
        &self,
        command: impl AsyncFnOnce(&mut MultiplexedConnection) -> RedisResult<T>,
    ) -> EphemeralResult<T> {
        if self.is_cooling_down() {
            return Err(self.error("was not reached a moment ago and is not asked for 10 s"));
        }
        let called = async {
            let mut connection = self.connection().await?;
            command(&mut connection).await
        };
        match called.await {
            Ok(value) => Ok(value),
            Err(error) => {
                *self.connection.lock().await = None;
                let until = self.environment.stopwatch() + COOLDOWN;
                *self.cooldown() = Some(until);
                tracing::warn!(endpoint = self.address, %error, "Redis failed; it is not asked for 10 s");
                Err(self.error("cannot be reached"))
            }
        }
    }

    async fn connection(&self) -> RedisResult<MultiplexedConnection> {
        let mut slot = self.connection.lock().await;
        if let Some(connection) = slot.as_ref() {
            return Ok(connection.clone());
        }
        let options = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT));
        let opened = self.client.get_multiplexed_async_connection_with_config(&options).await?;
        *slot = Some(opened.clone());
        Ok(opened)
    }

    fn is_cooling_down(&self) -> bool {
        let mut until = self.cooldown();
        let is_over = until.is_some_and(|until| self.environment.stopwatch() >= until);
        if is_over {
            *until = None;
        }
        until.is_some()
    }

    fn cooldown(&self) -> std::sync::MutexGuard<'_, Option<Duration>> {
        self.cooldown_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, why: &str) -> EphemeralError {
        EphemeralError(format!("Redis at {} {why}", self.address))
    }

    /// A key, with the tenant in front.
    pub(crate) fn key(&self, rest: &str) -> String {
        format!("{}{rest}", self.prefix)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }
}
