//! What a provider implements, and the provider in memory.

mod activity;
mod memory;
mod pages;
mod signal;
mod states;
mod traits;

pub use activity::{AppendConflict, StoreActivity};
pub use memory::MemoryStorage;
pub(crate) use memory::{newest_first, row_of, stored_event};
pub use pages::{DomainEventPage, DomainFeedPage};
pub use signal::AppendSignal;
pub use states::{SaveMode, StateData, StoredProjectionState};
pub use traits::{AdminStorage, EventStorage, RepairReport, StateStorage, StorageBundle};
