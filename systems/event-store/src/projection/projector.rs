//! Projectors: how an event changes a state. One projector serves a single tag and all events alike.
//!
//! Owns the trait, and the form without types in which the service holds several of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::DomainEvent;
use crate::error::{Error, Result};

/// Makes a state of events.
pub trait EventProjector: Send + Sync + 'static {
    /// The state. Its default is the state before the first event.
    type State: Default + Clone + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The name, under which states are stored.
    fn name(&self) -> &'static str;

    /// The version. A state of another version is not used: change it when `apply` or the state changes.
    fn version(&self) -> &'static str;

    /// Applies an event.
    ///
    /// # Errors
    /// `Corrupt` for a payload that it cannot read.
    fn apply(&self, state: &mut Self::State, event: &DomainEvent) -> Result<()>;

    /// Answers a query by name, or `None` if there is no such query. `state` is answered for every projector.
    ///
    /// # Errors
    /// `Invalid` for wrong parameters.
    fn query(
        &self,
        state: &Self::State,
        query: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Option<Value>> {
        let _ = (state, query, parameters);
        Ok(None)
    }
}

/// The projectors of a program, by name.
#[derive(Clone, Default)]
pub struct ProjectorSet(BTreeMap<&'static str, Arc<dyn ErasedProjector>>);

/// A projector without its type.
pub(crate) trait ErasedProjector: Send + Sync {
    fn name(&self) -> &'static str;
    fn version(&self) -> &'static str;
    fn empty(&self) -> Box<dyn ErasedState>;
    fn decode(&self, bytes: &[u8]) -> Result<Box<dyn ErasedState>>;
}

/// A state without its type, with the projector that changes it.
pub(crate) trait ErasedState: Send + Sync {
    fn apply(&mut self, event: &DomainEvent) -> Result<()>;
    fn copy(&self) -> Box<dyn ErasedState>;
    fn encode(&self) -> Result<Vec<u8>>;
    fn query(&self, query: &str, parameters: &BTreeMap<String, String>) -> Result<Option<Value>>;
}

struct TypedProjector<P>(Arc<P>);

struct TypedState<P: EventProjector> {
    projector: Arc<P>,
    state: P::State,
}

impl ProjectorSet {
    /// Adds a projector; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, projector: impl EventProjector) -> Self {
        let name = projector.name();
        self.0.insert(name, Arc::new(TypedProjector(Arc::new(projector))));
        self
    }

    /// The names, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.0.keys().copied().collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<dyn ErasedProjector>> {
        self.0.get(name).cloned()
    }
}

impl std::fmt::Debug for ProjectorSet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ProjectorSet({:?})", self.names())
    }
}

impl<P: EventProjector> ErasedProjector for TypedProjector<P> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn version(&self) -> &'static str {
        self.0.version()
    }

    fn empty(&self) -> Box<dyn ErasedState> {
        Box::new(TypedState { projector: Arc::clone(&self.0), state: P::State::default() })
    }

    fn decode(&self, bytes: &[u8]) -> Result<Box<dyn ErasedState>> {
        let state = serde_json::from_slice(bytes).map_err(|error| {
            let message = format!("the state of '{}' cannot be read: {error}", self.0.name());
            Error::corrupt(message)
        })?;
        Ok(Box::new(TypedState { projector: Arc::clone(&self.0), state }))
    }
}

impl<P: EventProjector> ErasedState for TypedState<P> {
    fn apply(&mut self, event: &DomainEvent) -> Result<()> {
        self.projector.apply(&mut self.state, event)
    }

    fn copy(&self) -> Box<dyn ErasedState> {
        let (projector, state) = (Arc::clone(&self.projector), self.state.clone());
        Box::new(Self { projector, state })
    }

    fn encode(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(&self.state)
            .map_err(|error| Error::internal(format!("a state is no JSON: {error}")))
    }

    fn query(&self, query: &str, parameters: &BTreeMap<String, String>) -> Result<Option<Value>> {
        if query == "state" {
            let state = serde_json::to_value(&self.state);
            let state =
                state.map_err(|error| Error::internal(format!("a state is no JSON: {error}")))?;
            return Ok(Some(state));
        }
        self.projector.query(&self.state, query, parameters)
    }
}
