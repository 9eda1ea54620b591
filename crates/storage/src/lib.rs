//! The storage interface: ordered bytes, sharded, with guarded and stamped commits.
//!
//! Owns: the [`Store`] trait, its vocabulary ([`Shard`], [`Space`], [`WriteSet`], [`Guard`], [`Stamp`]), the in-memory
//! store, the fault injector, the simulated disk and the contract suite that every backend must pass. Does not own: any
//! meaning. Nothing here knows JSON, partition keys or items; the engine gives the bytes their meaning.
//!
//! Everything is addressed by (shard, space, key). A commit concerns one shard and is atomic: its guards are checked,
//! its stamps are assigned and its writes become visible and durable together, or nothing happens.
//!
//! ```
//! use planisphere_storage::memory::MemoryStore;
//! use planisphere_storage::{
//!     ErrorKind, Guard, KeyRange, Read, Scan, ScanLimit, Shard, Space, Stamp, Store, WriteSet,
//! };
//!
//! const LOG: Space = Space { number: 1, name: "log", prefix_bytes: 0, buffered: false };
//! const SHARD: Shard = Shard(7);
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> planisphere_storage::Result<()> {
//! let store = MemoryStore::new();
//!
//! // The commit writes its stamp into the last eight bytes of the key.
//! let mut first = WriteSet::new();
//! first.put_stamped(LOG, b"entry-********".to_vec(), "one", Some(6), None);
//! let stamps = store.commit(SHARD, vec![first]).await?;
//! assert_eq!(stamps, [Stamp(1)]);
//!
//! // A guard that does not hold refuses the whole group.
//! let mut second = WriteSet::new();
//! second.guard(LOG, b"absent".to_vec(), Guard::Present);
//! second.put(LOG, b"absent".to_vec(), "two");
//! let error = store.commit(SHARD, vec![second]).await.unwrap_err();
//! assert!(matches!(error.kind(), ErrorKind::GuardFailed { .. }));
//!
//! let scan = Scan::forward(KeyRange::prefix(b"entry-"), ScanLimit::entries(10));
//! let page = store.scan(SHARD, LOG, &scan).await?;
//! assert_eq!(page.entries[0].key, [b"entry-".as_slice(), &1_u64.to_be_bytes()].concat());
//! assert!(!page.more);
//! # Ok(())
//! # }
//! ```

mod address;
pub mod contract;
mod error;
pub mod faulty;
mod last_stamps;
pub mod memory;
mod random;
mod scan;
pub mod simulated_disk;
mod store;
mod write_set;

pub use address::{Shard, Space, Stamp, StorageKey, StorageValue};
pub use error::{Error, ErrorKind, Result};
pub use last_stamps::LastStamps;
pub use scan::{Direction, Entry, KeyRange, Scan, ScanLimit, ScanPage, ScanPageBuilder};
pub use store::{Read, ShardStatistics, Store};
pub use write_set::{Guard, GuardedKey, Write, WriteSet};
