//! Several runs read as one.
//!
//! Owns the order of their entries and which of equal keys counts. Does not own reading them together with the tree:
//! see `read`.

use std::cmp::Ordering;
use std::ops::{Bound, Range};

use storage::Direction;

use super::run::{RecentValue, SortedRun};

/// The entries of several runs in key order, upwards or downwards, each key once.
pub(crate) struct MergedRuns<'run> {
    /// From the newest run to the oldest; none is empty.
    cursors: Vec<SortedRunCursor<'run>>,
    direction: Direction,
}

/// The entries of one run that are still to come, and the key of the next one.
struct SortedRunCursor<'run> {
    run: &'run SortedRun,
    left: Range<usize>,
    key: &'run [u8],
}

impl<'run> MergedRuns<'run> {
    /// All entries upwards. The runs are given from the newest to the oldest.
    pub(crate) fn all(runs: impl Iterator<Item = &'run SortedRun>) -> Self {
        Self::range(runs, (Bound::Unbounded, Bound::Unbounded), Direction::Forward)
    }

    /// The entries between two bounds. The runs are given from the newest to the oldest.
    pub(crate) fn range(
        runs: impl Iterator<Item = &'run SortedRun>,
        (lower, upper): (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
    ) -> Self {
        let cursors = runs.filter_map(|run| {
            let left = run.range(lower, upper);
            (!left.is_empty()).then(|| {
                let mut cursor = SortedRunCursor { run, left, key: &[] };
                cursor.load(direction);
                cursor
            })
        });
        Self { cursors: cursors.collect(), direction }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cursors.is_empty()
    }
}

impl<'run> Iterator for MergedRuns<'run> {
    type Item = (&'run [u8], RecentValue<'run>);

    fn next(&mut self) -> Option<Self::Item> {
        let direction = self.direction;
        let mut cursors = self.cursors.iter().enumerate();
        let (mut nearest, mut key) = cursors.next().map(|(index, cursor)| (index, cursor.key))?;
        let mut is_repeated = false;
        for (index, cursor) in cursors {
            match in_direction(cursor.key.cmp(key), direction) {
                Ordering::Less => (nearest, key, is_repeated) = (index, cursor.key, false),
                Ordering::Equal => is_repeated = true,
                Ordering::Greater => {}
            }
        }
        // The first of equal keys: its run is the newest one.
        let found = self.cursors.get(nearest).and_then(|cursor| cursor.entry(direction))?;
        let mut index = nearest;
        while let Some(cursor) = self.cursors.get_mut(index) {
            if cursor.key != key || cursor.advance(direction) {
                index += 1;
            } else {
                // Keeps the order of the others, which decides between equal keys.
                self.cursors.remove(index);
            }
            if !is_repeated {
                break;
            }
        }
        Some(found)
    }
}

impl<'run> SortedRunCursor<'run> {
    fn place(&self, direction: Direction) -> usize {
        match direction {
            Direction::Forward => self.left.start,
            Direction::Backward => self.left.end - 1,
        }
    }

    fn load(&mut self, direction: Direction) {
        self.key = self.run.key(self.place(direction));
    }

    fn entry(&self, direction: Direction) -> Option<(&'run [u8], RecentValue<'run>)> {
        self.run.entry(self.place(direction))
    }

    /// Moves to the next entry; false if there is none.
    fn advance(&mut self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.left.start += 1,
            Direction::Backward => self.left.end -= 1,
        }
        if self.left.is_empty() {
            return false;
        }
        self.load(direction);
        true
    }
}

/// The order in which a scan of this direction meets two keys.
pub(crate) fn in_direction(order: Ordering, direction: Direction) -> Ordering {
    match direction {
        Direction::Forward => order,
        Direction::Backward => order.reverse(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::run_buffer::RunBuilder;

    /// Runs by seed, compared with a map that all writes are applied to.
    #[test]
    fn merged_runs_are_the_last_write_of_each_key_in_both_directions() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut expected = BTreeMap::new();
            let mut runs = Vec::new();
            for batch in 0..random.u64(1..8) {
                let mut builder = RunBuilder::default();
                for _ in 0..random.usize(0..12) {
                    let key = vec![random.u8(0..20)];
                    let value = random.bool().then(|| vec![random.u8(..)]);
                    builder.push(&key, value.as_deref());
                    expected.insert(key, value);
                }
                runs.push(builder.finish(batch));
            }
            let (low, high) = (random.u8(0..20), random.u8(0..25));
            let bounds = (Bound::Included(&[low][..]), Bound::Excluded(&[high.max(low)][..]));
            let read = |direction| -> Vec<_> {
                let merged = MergedRuns::range(runs.iter().rev(), bounds, direction);
                merged.map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec))).collect()
            };
            let wanted: Vec<_> =
                expected.into_iter().filter(|(key, _)| (low..high).contains(&key[0])).collect();
            assert_eq!(read(Direction::Forward), wanted, "seed {seed}");
            let reversed: Vec<_> = wanted.into_iter().rev().collect();
            assert_eq!(read(Direction::Backward), reversed, "seed {seed}");
        }
    }
}
