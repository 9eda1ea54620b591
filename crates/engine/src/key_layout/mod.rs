//! Storage keys, both directions: the only folder that knows how they are laid out.
//!
//! A shard is one physical partition; shard 0 is the catalog, and the last shard holds stored query results. `lp` is
//! the logical partition: its effective partition key (escaped) followed by its partition key values (ordered
//! encoding). Keys of one logical partition are therefore neighbours, and the keys of an epk range are one key range.
//!
//! | space         | key                                            | value                        |
//! |---------------|------------------------------------------------|------------------------------|
//! | `items`       | lp, id                                         | item record                  |
//! | `terms`       | 01, lp, path, value, ordinal (local term)      | id                           |
//! |               | 02, path, value, ordinal (global term)         | lp, id                       |
//! |               | 03, lp, composite, values.., ordinal           | id                           |
//! |               | 04, composite, values.., ordinal               | lp, id                       |
//! |               | 05, lp, shape, ordinal                         | id                           |
//! |               | 06, shape, ordinal                             | lp, id                       |
//! |               | 07, shape                                      | paths of the shape           |
//! |               | 08, ordinal                                    | lp, id                       |
//! |               | 09, lp, ordinal                                | id                           |
//! | `unique_keys` | lp, number of the unique key, values..         | id                           |
//! | `change_log`  | lsn, sequence, ordinal                         | key and record of the item   |
//! | `versions`    | lsn, sequence, ordinal                         | superseded version, deletion |
//! | `expiry`      | second of expiry, ordinal                      | lp, id                       |
//! | `state`       | 01                                             | counters and cursors         |
//! | `catalog`     | kind, names                                    | JSON                         |
//! | `results`     | 01, creation, random number                    | header of a query result     |
//! |               | 02, creation, random number, first row         | rows                         |
//!
//! A local term serves "one logical partition, ordered by a property"; a global term serves "all partitions, one
//! equality": each reads its page and nothing else. A shape term finds the items that lack a path, which no term of
//! that path can. 08 and 09 list all items in the order of creation, also those without terms. Numbers are big endian.
//! Items inherit the container's time to live through the change log, which is in the order of the last write; only
//! items with a time to live of their own have an `expiry` key.

mod item_key;
mod key;
mod result_key;
mod term;

pub(crate) use item_key::{ItemKey, ItemKeyView, LogicalPartition, LogicalPartitionRef};
pub use key::SPACES;
pub(crate) use key::{
    CATALOG, CATALOG_SHARD, CHANGE_LOG, ChangePosition, EXPIRY, ITEMS, PARTITION_SPACES, RESULTS,
    RESULTS_SHARD, STATE, STATE_KEY, TERMS, TermKeys, TermMaker, UNIQUE_KEYS, VERSIONS,
    catalog_key, catalog_name, catalog_prefix, creation_keys, epk_key_range, expired_range,
    expiry_key, is_creation_entry, is_shape_paths, owner_of_entry, shape_paths_key, unique_key,
};
#[cfg(test)]
pub(crate) use key::{global_term_range, local_term_range};
pub(crate) use result_key::ResultKey;
pub(crate) use term::{
    TermHit, TermPrefix, TermSubject, shape_of, shape_paths_range, term_subject,
};
