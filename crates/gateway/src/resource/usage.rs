//! Quota and usage, as clients and their tests read them: of containers by size, of other resources by number.
//!
//! Owns the texts. Sizes are in kilobytes.

use engine::AttachedKind;
use engine::response::Usage;

use crate::exchange::{Reply, header};

/// What one physical partition may hold.
const PARTITION_KILOBYTES: u64 = 50 * 1024 * 1024;

/// A reply with what a container of so many physical partitions may hold, and what it holds.
pub(crate) fn of_container(reply: Reply, held: Usage, partitions: usize) -> Reply {
    let quota = PARTITION_KILOBYTES * (partitions as u64).max(1);
    let (kilobytes, items) = (held.item_bytes.div_ceil(1024), held.items);
    reply
        .with_written(header::RESOURCE_QUOTA, |written| {
            written.ascii(b"documentSize=10240;documentsSize=").number(quota);
            written.ascii(b";documentsCount=-1;collectionSize=").number(quota).ascii(b";")
        })
        .with_written(header::RESOURCE_USAGE, |written| {
            written.ascii(b"documentSize=0;documentsSize=").number(kilobytes);
            written.ascii(b";documentsCount=").number(items);
            written.ascii(b";collectionSize=").number(kilobytes).ascii(b";")
        })
}

/// A reply with how many databases there may be and are.
pub(crate) fn of_databases(reply: Reply, count: usize) -> Reply {
    counted(reply, "databases", 1000, count)
}

/// A reply with how many attached resources of a kind there may be and are.
pub(crate) fn of_attached(reply: Reply, kind: AttachedKind, count: usize) -> Reply {
    let (name, count_max) = match kind {
        AttachedKind::User => ("users", 500_000),
        AttachedKind::Permission => ("permissions", 2_000_000),
        AttachedKind::ClientEncryptionKey => ("clientEncryptionKeys", 20),
        AttachedKind::StoredProcedure => ("storedProcedures", 100),
        AttachedKind::Trigger => ("triggers", 25),
        AttachedKind::UserDefinedFunction => ("functions", 50),
    };
    counted(reply, name, count_max, count)
}

fn counted(reply: Reply, name: &str, count_max: usize, count: usize) -> Reply {
    reply
        .with(header::RESOURCE_QUOTA, format_args!("{name}={count_max};"))
        .with(header::RESOURCE_USAGE, format_args!("{name}={count};"))
}
