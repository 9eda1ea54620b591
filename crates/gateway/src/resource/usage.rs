//! Quota and usage of a container, as clients and their tests read them.
//!
//! Owns the two texts. Sizes are in kilobytes.

use engine::outcome::Usage;

/// What one physical partition may hold.
const PARTITION_KILOBYTES: usize = 50 * 1024 * 1024;

pub(crate) fn quota(partitions: usize) -> String {
    let kilobytes = PARTITION_KILOBYTES * partitions.max(1);
    format!(
        "documentSize={0};documentsSize={kilobytes};documentsCount=-1;collectionSize={kilobytes};",
        10 * 1024
    )
}

pub(crate) fn usage(usage: Usage) -> String {
    let kilobytes = usage.item_bytes.div_ceil(1024);
    format!(
        "documentSize=0;documentsSize={kilobytes};documentsCount={};collectionSize={kilobytes};",
        usage.items
    )
}
