//! The cache of an issuer's keys.
//!
//! Owns when the keys are read: at first use, when a token names a key that is not cached, and when they are old. Two
//! reads have a minimum distance, so that made-up key ids cannot make us send requests without limit.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{KeySourceError, TokenError};
use crate::key::VerificationKey;
use crate::key_set::KeySet;
use crate::source::KeySource;

/// Keys older than this are read again. It bounds how long a key that its issuer withdrew is still accepted.
const AGE_MS_MAX: u64 = 60 * 60 * 1000;
/// The minimum time between two reads, successful or not.
const READ_DISTANCE_MS_MIN: u64 = 30 * 1000;

/// The keys of one issuer, read when they are needed.
pub struct KeyCache {
    source: KeySource,
    state: Mutex<CacheState>,
    /// Held while the keys are read, so that only one caller reads them. It is an async lock because it is held across
    /// an await; `state` is never locked that long.
    refresh: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct CacheState {
    keys: Arc<KeySet>,
    read_ms: Option<u64>,
    tried_ms: Option<u64>,
}

impl CacheState {
    fn is_old(&self, now_ms: u64) -> bool {
        self.read_ms.is_none_or(|read| now_ms.saturating_sub(read) > AGE_MS_MAX)
    }
}

impl KeyCache {
    /// Creates an empty cache. Nothing is read yet.
    #[must_use]
    pub fn new(source: KeySource) -> Self {
        let (state, refresh) = Default::default();
        Self { source, state, refresh }
    }

    /// Returns the key with an id, or the only key of the issuer if the token names none.
    pub(crate) async fn key(
        &self,
        key_id: Option<&str>,
        now_ms: u64,
    ) -> Result<Arc<VerificationKey>, TokenError> {
        let state = self.state();
        let cached = state.keys.get(key_id);
        if let Some(key) = cached.as_ref().filter(|_| !state.is_old(now_ms)) {
            return Ok(Arc::clone(key));
        }
        let refresh = match cached {
            // While one caller reads the keys again, the others use the old ones instead of waiting.
            Some(key) => match self.refresh.try_lock() {
                Ok(refresh) => refresh,
                Err(_) => return Ok(key),
            },
            None => self.refresh.lock().await,
        };
        let failure = self.read_again(key_id, now_ms).await.err();
        drop(refresh);
        // If the read failed, the old keys are still there and are used: an issuer that is down does not lock out
        // callers.
        self.state().keys.get(key_id).ok_or_else(|| match failure {
            Some(error) => TokenError::KeysUnavailable(error),
            None => TokenError::UnknownKey(key_id.map(str::to_owned)),
        })
    }

    /// Reads the keys, unless another caller did so while this one waited for the lock, or the last attempt is too
    /// recent.
    async fn read_again(&self, key_id: Option<&str>, now_ms: u64) -> Result<(), KeySourceError> {
        let state = self.state();
        let is_fresh = state.keys.get(key_id).is_some() && !state.is_old(now_ms);
        let is_recent =
            state.tried_ms.is_some_and(|tried| now_ms.saturating_sub(tried) < READ_DISTANCE_MS_MIN);
        if is_fresh || is_recent {
            return Ok(());
        }
        let keys = self.source.read().await;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tried_ms = Some(now_ms);
        state.keys = Arc::new(keys?);
        state.read_ms = Some(now_ms);
        Ok(())
    }

    fn state(&self) -> CacheState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for KeyCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyCache").field("source", &self.source).finish_non_exhaustive()
    }
}
