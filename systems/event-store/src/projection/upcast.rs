//! Upcasters: payloads of old versions of an event type in the form of the newest one.
//!
//! Owns the chain: an upcaster leads from one version of a type to the next, and several run one after the other.
//! Stored events are never changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::DomainEvent;
use crate::error::{Error, Result};

type UpcastFunction = dyn Fn(Value) -> std::result::Result<Value, String> + Send + Sync;

/// Upcasters by event type and version.
#[derive(Clone, Default)]
pub struct Upcasters(BTreeMap<(String, u32), Arc<UpcastFunction>>);

impl Upcasters {
    /// Adds one: it turns a payload of this version into one of the next version.
    #[must_use]
    pub fn with(
        mut self,
        event_type: &str,
        version: u32,
        upcast: impl Fn(Value) -> std::result::Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        self.0.insert((event_type.to_owned(), version), Arc::new(upcast));
        self
    }

    /// The event with the payload of the newest version that upcasters lead to.
    ///
    /// # Errors
    /// `Corrupt` when an upcaster refuses the payload.
    pub fn upcast(&self, mut event: DomainEvent) -> Result<DomainEvent> {
        while let Some(upcast) = self.0.get(&(event.event_type.clone(), event.event_version)) {
            event.payload = upcast(std::mem::take(&mut event.payload)).map_err(|why| {
                let (kind, version) = (&event.event_type, event.event_version);
                let message =
                    format!("event {} is no {kind} of version {version}: {why}", event.id);
                Error::corrupt(message)
            })?;
            event.event_version += 1;
        }
        Ok(event)
    }
}

impl std::fmt::Debug for Upcasters {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Upcasters({:?})", self.0.keys())
    }
}
