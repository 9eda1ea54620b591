//! Stores of one scope: what a program holds. They ask their provider for the tenant at each call.

mod actor_key;
mod command;
mod event_store;
mod factory;
mod feed;
mod group;
mod state_store;
mod wiring;

pub use actor_key::{ActorKey, ActorKeyMode};
pub use command::CommandContext;
pub use event_store::EventStore;
pub use factory::{EventStoreFactory, MultiProjectionStateStoreFactory};
pub use feed::EventFeedReader;
pub use group::{ConsumerGroup, GroupReceipt, GroupSummary};
pub use state_store::{MultiProjectionStateStore, ProjectionState};
pub use wiring::{FullWiring, MultiTenantWiring, SingleTenantWiring, StoreFactories, StoreScope};
