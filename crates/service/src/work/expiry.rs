//! Items that expire at a fixed time.
//!
//! Owns computing the property `ttl` from that time. `ttl` counts from the last write, so it must be computed anew at
//! every write; otherwise each write would postpone the expiry. Does not own expiry itself. The container needs a
//! default time to live, or `-1`; otherwise `ttl` has no effect.

use client::{AccountResponse, Container, Item, PartitionKey, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::UtcTimestamp;

/// A document that may expire at a fixed time.
pub trait Expires {
    /// Its property `ttl` and its expiry; `None` leaves `ttl` as it is.
    fn expiry(&mut self) -> Option<Expiry<'_>> {
        None
    }
}

/// The property `ttl` of a document, and its expiry.
#[derive(Debug)]
pub struct Expiry<'a> {
    /// The property `ttl`, in seconds after the write.
    pub ttl: &'a mut Option<u32>,
    /// The time at which the document expires, such as its creation plus a retention.
    pub at: UtcTimestamp,
}

/// The maximum of `ttl`.
const TTL_SECONDS_MAX: u32 = 2_147_483_647;

/// Sets `ttl` for a write that happens now: the remaining seconds, at least one.
pub fn refresh_ttl(document: &mut impl Expires, now: UtcTimestamp) {
    if let Some(Expiry { ttl, at }) = document.expiry() {
        *ttl = Some(ttl_seconds(at, now));
    }
}

/// The `ttl` of an item that is written now and expires at `at`: the remaining seconds, at least one.
#[must_use]
pub fn ttl_seconds(at: UtcTimestamp, now: UtcTimestamp) -> u32 {
    // Rounded up: an item may live up to a second too long, but never too short.
    let seconds = at.since(now).as_millis().div_ceil(1000).max(1);
    u32::try_from(seconds).unwrap_or(u32::MAX).min(TTL_SECONDS_MAX)
}

/// A container whose documents expire at fixed times: every write through it computes `ttl`.
#[derive(Clone, Debug)]
pub struct ExpiringContainer {
    container: Container,
}

impl ExpiringContainer {
    /// Wraps a container.
    #[must_use]
    pub fn new(container: &Container) -> Self {
        Self { container: container.clone() }
    }

    /// The container, for reads.
    #[must_use]
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Creates a document; see [`Container::create`].
    ///
    /// # Errors
    /// Those of [`Container::create`].
    pub async fn create<T>(
        &self,
        key: &PartitionKey,
        mut value: T,
    ) -> Result<AccountResponse<Item<T>>>
    where
        T: Expires + Serialize + DeserializeOwned,
    {
        self.refresh(&mut value);
        self.container.create(key, &value).await
    }

    /// Creates or replaces a document; see [`Container::upsert`].
    ///
    /// # Errors
    /// Those of [`Container::upsert`].
    pub async fn upsert<T>(
        &self,
        key: &PartitionKey,
        mut value: T,
    ) -> Result<AccountResponse<Item<T>>>
    where
        T: Expires + Serialize + DeserializeOwned,
    {
        self.refresh(&mut value);
        self.container.upsert(key, &value, None).await
    }

    /// Writes back a document that was read; see [`Container::save`].
    ///
    /// # Errors
    /// Those of [`Container::save`].
    pub async fn save<T>(
        &self,
        key: &PartitionKey,
        item: &mut Item<T>,
    ) -> Result<AccountResponse<Item<T>>>
    where
        T: Expires + Serialize + DeserializeOwned,
    {
        self.refresh(&mut item.value);
        self.container.save(key, item).await
    }

    /// Reads, changes and writes; see [`Container::modify`]. If the change alters nothing, nothing is written, although
    /// `ttl` would be different now.
    ///
    /// # Errors
    /// Those of [`Container::modify`].
    pub async fn modify<T, E>(
        &self,
        key: &PartitionKey,
        id: &str,
        mut change: impl FnMut(&mut T) -> std::result::Result<(), E>,
    ) -> std::result::Result<AccountResponse<Item<T>>, E>
    where
        T: Expires + Serialize + DeserializeOwned,
        E: From<client::Error>,
    {
        let changed = |value: &mut T| {
            // By serialized value, because `T` need not be comparable.
            let before = serde_json::to_value(&*value).ok();
            change(value)?;
            if before.is_none() || before != serde_json::to_value(&*value).ok() {
                self.refresh(value);
            }
            Ok(())
        };
        self.container.modify(key, id, changed).await
    }

    fn refresh(&self, value: &mut impl Expires) {
        refresh_ttl(value, UtcTimestamp::now(self.container.account().environment()));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Note {
        created: UtcTimestamp,
        ttl: Option<u32>,
    }

    impl Expires for Note {
        fn expiry(&mut self) -> Option<Expiry<'_>> {
            let at = self.created.after(Duration::from_secs(100));
            Some(Expiry { ttl: &mut self.ttl, at })
        }
    }

    fn check(written_after_ms: u64, ttl: u32) {
        let created = UtcTimestamp::from_ms(1_000_000);
        let mut note = Note { created, ttl: None };
        refresh_ttl(&mut note, created.after(Duration::from_millis(written_after_ms)));
        assert_eq!(note.ttl, Some(ttl), "{written_after_ms}");
    }

    #[test]
    fn what_remains_is_rounded_up_and_never_below_one() {
        check(0, 100);
        check(1, 100);
        check(999, 100);
        check(1000, 99);
        check(99_001, 1);
        check(100_000, 1);
        check(9_999_999, 1);
    }

    #[test]
    fn a_document_without_an_end_keeps_its_ttl() {
        struct Endless(Option<u32>);
        impl Expires for Endless {}
        let mut endless = Endless(Some(7));
        refresh_ttl(&mut endless, UtcTimestamp::default());
        assert_eq!(endless.0, Some(7));
    }
}
