//! Where a partition that is too large or too hot is cut.
//!
//! Owns the search for an epk that leaves items on both sides. Does not own the default of a split by hand, which is
//! the middle of the range whatever it holds.

use model::{EffectivePartitionKey, EpkRange, PartitionKeyDefinition};
use storage::{Direction, Scan, ScanLimit};

use crate::container::ContainerIdentity;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key_layout::{ITEMS, ItemKey, epk_key_range};
use crate::partition::PhysicalPartition;

/// An epk at which both parts have items; `None` if all items have the same epk, or if there is none.
pub(super) async fn find_cut(
    engine: &Engine,
    container: &ContainerIdentity,
    partition: &PhysicalPartition,
) -> Result<Option<EffectivePartitionKey>> {
    let first = end_epk(engine, container, partition, Direction::Forward).await?;
    let last = end_epk(engine, container, partition, Direction::Backward).await?;
    let Some((first, last)) = first.zip(last) else { return Ok(None) };
    Ok(cut_between(&partition.range, &first, &last, &container.definition))
}

/// The epk of the first or the last item.
async fn end_epk(
    engine: &Engine,
    container: &ContainerIdentity,
    partition: &PhysicalPartition,
    direction: Direction,
) -> Result<Option<EffectivePartitionKey>> {
    let range = epk_key_range(&partition.range);
    let scan = Scan { range, direction, limit: ScanLimit::entries(1) };
    let page = engine.store().scan(partition.identity.shard, ITEMS, &scan).await?;
    let Some(entry) = page.entries.into_iter().next() else { return Ok(None) };
    let key = ItemKey::decode(entry.key, container.levels());
    let key = key.ok_or_else(|| Error::corrupt("a stored item key is damaged"))?;
    Ok(Some(key.epk()))
}

/// The first of the midpoints, of the range, of its half and so on, that separates two epks.
fn cut_between(
    range: &EpkRange,
    first: &EffectivePartitionKey,
    last: &EffectivePartitionKey,
    definition: &PartitionKeyDefinition,
) -> Option<EffectivePartitionKey> {
    if first >= last {
        return None;
    }
    let mut range = range.clone();
    // Each step halves a range of at most three levels of 126 bits, so that it ends.
    loop {
        let middle = range.midpoint(definition);
        let (below, from) = range.split_at(&middle)?;
        range = match (first < &middle, &middle <= last) {
            (true, true) => return Some(middle),
            (true, false) => below,
            (false, _) => from,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epk(hex: &str) -> EffectivePartitionKey {
        EffectivePartitionKey::from_hex(hex).unwrap()
    }

    fn check(first: &str, last: &str, cut: Option<&str>) {
        let definition = PartitionKeyDefinition::single("/pk").unwrap();
        let found = cut_between(&EpkRange::full(), &epk(first), &epk(last), &definition);
        assert_eq!(found, cut.map(epk), "{first} {last}");
    }

    #[test]
    fn the_cut_separates_the_first_item_from_the_last() {
        let hash = |digit: char| digit.to_string() + &"0".repeat(31);
        check(&hash('0'), &hash('3'), Some("1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"));
        check(&hash('0'), &hash('1'), Some("0FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"));
        check(&hash('2'), &hash('3'), Some("2FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"));
        check(&hash('2'), &hash('2'), None);
        let next = "2".to_owned() + &"0".repeat(30) + "1";
        check(&hash('2'), &next, Some(&next));
    }
}
