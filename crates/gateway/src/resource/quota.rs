//! Headers about quota and usage: of containers by size, of other resources by count.
//!
//! Owns their values. Sizes are in kilobytes.

use engine::AttachedKind;
use engine::response::Usage;

use crate::http::{ApiResponse, header};

/// The quota of one physical partition in these headers, from recorded responses. Partitions of the service hold more.
const PARTITION_KILOBYTES: u64 = 10 * 1024 * 1024;

/// Adds quota and usage of a container with this many physical partitions.
pub(super) fn add_container_quota(
    response: ApiResponse,
    usage: Usage,
    partitions: usize,
) -> ApiResponse {
    let quota = PARTITION_KILOBYTES * (partitions as u64).max(1);
    let (kilobytes, items) = (usage.item_bytes.div_ceil(1024), usage.items);
    response
        .with_header_from(header::RESOURCE_QUOTA, |writer| {
            writer.ascii(b"documentSize=10240;documentsSize=").number(quota);
            writer.ascii(b";documentsCount=-1;collectionSize=").number(quota).ascii(b";")
        })
        .with_header_from(header::RESOURCE_USAGE, |writer| {
            writer.ascii(b"documentSize=0;documentsSize=").number(kilobytes);
            writer.ascii(b";documentsCount=").number(items);
            writer.ascii(b";collectionSize=").number(kilobytes).ascii(b";")
        })
}

/// Adds quota and usage of databases.
pub(super) fn add_database_quota(response: ApiResponse, count: usize) -> ApiResponse {
    add_count_quota(response, "databases", 1000, count)
}

/// Adds quota and usage of the attached resources of one kind.
pub(super) fn add_attached_quota(
    response: ApiResponse,
    kind: AttachedKind,
    count: usize,
) -> ApiResponse {
    let (name, count_max) = match kind {
        AttachedKind::User => ("users", 500_000),
        AttachedKind::Permission => ("permissions", 2_000_000),
        AttachedKind::ClientEncryptionKey => ("clientEncryptionKeys", 20),
        AttachedKind::StoredProcedure => ("storedProcedures", 100),
        AttachedKind::Trigger => ("triggers", 25),
        AttachedKind::UserDefinedFunction => ("functions", 50),
    };
    add_count_quota(response, name, count_max, count)
}

fn add_count_quota(
    response: ApiResponse,
    name: &str,
    count_max: usize,
    count: usize,
) -> ApiResponse {
    response
        .with(header::RESOURCE_QUOTA, format_args!("{name}={count_max};"))
        .with(header::RESOURCE_USAGE, format_args!("{name}={count};"))
}
