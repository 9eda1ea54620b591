//! What the queue must know of an item that is work, whatever its properties are called.

use client::{PartitionKey, Query};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Expires, Moment};

/// An item that is work: it says how its own properties spell [`State`], and how due and dead ones are found.
pub trait Work: Expires + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its item id.
    fn id(&self) -> &str;

    /// The logical partition it lives in.
    fn partition_key(&self) -> PartitionKey;

    /// Where it stands.
    fn state(&self) -> State;

    /// Writes where it stands into its properties. [`Work::state`] must give the same back, to the millisecond.
    fn set_state(&mut self, state: State);

    /// Finds, as whole items (`SELECT *`), work that waits and is due now, and claims whose lease ended. Order and part
    /// are its choice. Work that waits without a due time belongs to it too: it is what the change feed missed.
    fn due(now: Moment) -> Query;

    /// Finds, as whole items, work whose attempts are spent.
    fn dead() -> Query;
}

/// Where work stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What may happen to it next.
    pub stage: Stage,
    /// Attempts that failed, a lost lease included.
    pub attempts: u32,
    /// Why the last one failed.
    pub error: Option<String>,
}

/// What may happen to work next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It may be claimed.
    Waiting {
        /// Not before this moment; at once when absent.
        due: Option<Moment>,
    },
    /// Somebody does it now.
    Claimed {
        /// Who: the instance and a number, different for every claim.
        owner: String,
        /// When somebody else may take over.
        until: Moment,
    },
    /// Nothing: it is done.
    Done,
    /// Nothing, until somebody replays it: its attempts are spent.
    Dead,
}

impl State {
    /// Work nobody has tried.
    #[must_use]
    pub fn fresh() -> Self {
        Self { stage: Stage::Waiting { due: None }, attempts: 0, error: None }
    }
}
