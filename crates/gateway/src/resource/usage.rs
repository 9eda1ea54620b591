//! Quota and usage, as clients and their tests read them: of containers by size, of other resources by number.
//!
//! Owns the texts. Sizes are in kilobytes.

use std::fmt::{Display, from_fn};

use engine::AttachedKind;
use engine::outcome::Usage;

use crate::exchange::{Reply, header};

/// What one physical partition may hold.
const PARTITION_KILOBYTES: usize = 50 * 1024 * 1024;

pub(crate) fn quota(partitions: usize) -> impl Display {
    let kilobytes = PARTITION_KILOBYTES * partitions.max(1);
    from_fn(move |text| {
        write!(
            text,
            "documentSize=10240;documentsSize={kilobytes};documentsCount=-1;collectionSize={kilobytes};"
        )
    })
}

pub(crate) fn usage(usage: Usage) -> impl Display {
    let kilobytes = usage.item_bytes.div_ceil(1024);
    from_fn(move |text| {
        write!(
            text,
            "documentSize=0;documentsSize={kilobytes};documentsCount={};collectionSize={kilobytes};",
            usage.items
        )
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
