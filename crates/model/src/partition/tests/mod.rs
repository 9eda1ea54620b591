//! The longer tests of partitioning, one file per file tested.

mod definition;
mod effective_partition_key;
mod epk_range;
