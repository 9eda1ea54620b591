//! Ephemeral state in the memory of this process: the default, and the twin of Redis in tests.
//!
//! Expiry is checked when a value is read, by the clock of the environment.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use client::Environment;

use super::traits::{EphemeralResult, EphemeralStore};
use super::{HEARTBEAT_SECONDS, PRESENCE_SECONDS};

/// Values beyond which expired ones are looked for.
const SWEEP_AT: usize = 10_000;

/// Ephemeral state in memory.
#[derive(Debug)]
pub struct MemoryEphemeral {
    environment: Environment,
    state: Mutex<EphemeralState>,
}

#[derive(Debug, Default)]
struct EphemeralState {
    codes: ExpiringValues<String>,
    attempts: ExpiringValues<u64>,
    presence: HashMap<String, String>,
    presence_ends_ms: u64,
    heartbeats: ExpiringValues<String>,
    permits: HashMap<String, VecDeque<u64>>,
}

/// Values with the time at which they expire.
#[derive(Debug)]
struct ExpiringValues<T>(HashMap<String, (T, u64)>);

impl<T> Default for ExpiringValues<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> ExpiringValues<T> {
    fn get(&self, name: &str, now_ms: u64) -> Option<&T> {
        self.0.get(name).filter(|(_, ends_ms)| *ends_ms > now_ms).map(|(value, _)| value)
    }

    fn put(&mut self, name: &str, value: T, now_ms: u64, life: Duration) {
        if self.0.len() >= SWEEP_AT {
            self.0.retain(|_, (_, ends_ms)| *ends_ms > now_ms);
        }
        let life_ms = u64::try_from(life.as_millis()).unwrap_or(u64::MAX);
        self.0.insert(name.to_owned(), (value, now_ms.saturating_add(life_ms)));
    }
}

impl MemoryEphemeral {
    /// An empty store.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self { environment, state: Mutex::default() }
    }

    /// The names of all live keys, as Redis would have them, for tests.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let (state, now_ms) = self.lock();
        let live = |prefix: &'static str, values: Vec<String>| {
            values.into_iter().map(move |name| format!("{prefix}:{name}"))
        };
        let mut keys: Vec<String> = live("otp", state.codes.live(now_ms))
            .chain(live("otp_attempts", state.attempts.live(now_ms)))
            .chain(live("heartbeat", state.heartbeats.live(now_ms)))
            .collect();
        if !state.presence.is_empty() && state.presence_ends_ms > now_ms {
            keys.push("presence:users".to_owned());
        }
        keys.sort();
        keys
    }

    fn lock(&self) -> (MutexGuard<'_, EphemeralState>, u64) {
        let now_ms = self.environment.now().0;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.presence_ends_ms <= now_ms {
            state.presence.clear();
        }
        (state, now_ms)
    }
}

impl<T> ExpiringValues<T> {
    fn live(&self, now_ms: u64) -> Vec<String> {
        let live = self.0.iter().filter(|(_, (_, ends_ms))| *ends_ms > now_ms);
        live.map(|(name, _)| name.clone()).collect()
    }
}

#[async_trait]
impl EphemeralStore for MemoryEphemeral {
    async fn put_code(&self, user: &str, value: &str, life: Duration) -> EphemeralResult<()> {
        let (mut state, now_ms) = self.lock();
        state.codes.put(user, value.to_owned(), now_ms, life);
        Ok(())
    }

    async fn code(&self, user: &str) -> EphemeralResult<Option<String>> {
        let (state, now_ms) = self.lock();
        Ok(state.codes.get(user, now_ms).cloned())
    }

    async fn take_code(&self, user: &str, value: &str) -> EphemeralResult<bool> {
        let (mut state, now_ms) = self.lock();
        let is_same = state.codes.get(user, now_ms).is_some_and(|stored| stored == value);
        if is_same {
            state.codes.0.remove(user);
            state.attempts.0.remove(user);
        }
        Ok(is_same)
    }

    async fn count_attempt(&self, user: &str, window: Duration) -> EphemeralResult<u64> {
        let (mut state, now_ms) = self.lock();
        if state.attempts.get(user, now_ms).is_none() {
            state.attempts.put(user, 0, now_ms, window);
        }
        let count = state.attempts.0.get_mut(user).map(|(count, _)| {
            *count += 1;
            *count
        });
        Ok(count.unwrap_or(1))
    }

    async fn attempts(&self, user: &str) -> EphemeralResult<u64> {
        let (state, now_ms) = self.lock();
        Ok(state.attempts.get(user, now_ms).copied().unwrap_or(0))
    }

    async fn put_presence(&self, user: &str, entry: &str, time: &str) -> EphemeralResult<()> {
        let (mut state, now_ms) = self.lock();
        state.presence.insert(user.to_owned(), entry.to_owned());
        state.presence_ends_ms = now_ms + PRESENCE_SECONDS * 1000;
        let life = Duration::from_secs(HEARTBEAT_SECONDS);
        state.heartbeats.put(user, time.to_owned(), now_ms, life);
        Ok(())
    }

    async fn remove_presence(&self, user: &str) -> EphemeralResult<bool> {
        let (mut state, _) = self.lock();
        state.heartbeats.0.remove(user);
        Ok(state.presence.remove(user).is_some())
    }

    async fn presence(&self) -> EphemeralResult<Vec<(String, String)>> {
        let (state, _) = self.lock();
        Ok(state.presence.clone().into_iter().collect())
    }

    async fn heartbeats(&self) -> EphemeralResult<Vec<String>> {
        let (state, now_ms) = self.lock();
        Ok(state.heartbeats.live(now_ms))
    }

    async fn take_permit(&self, user: &str, limit: u32, window: Duration) -> EphemeralResult<bool> {
        let (mut state, now_ms) = self.lock();
        let window_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        if state.permits.len() >= SWEEP_AT {
            let is_used = |at_ms: &u64| at_ms.saturating_add(window_ms) > now_ms;
            state.permits.retain(|_, taken| taken.back().is_some_and(is_used));
        }
        let taken = state.permits.entry(user.to_owned()).or_default();
        while taken.front().is_some_and(|at_ms| at_ms.saturating_add(window_ms) <= now_ms) {
            taken.pop_front();
        }
        let is_allowed = taken.len() < usize::try_from(limit).unwrap_or(usize::MAX);
        if is_allowed {
            taken.push_back(now_ms);
        }
        Ok(is_allowed)
    }

    async fn ping(&self) -> EphemeralResult<()> {
        Ok(())
    }

    fn summary(&self) -> String {
        "in the memory of this process".to_owned()
    }
}
