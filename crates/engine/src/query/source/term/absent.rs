//! Items that lack a path, in the order of their ordinals.
//!
//! Owns the walk over the shapes that do not have the path, merged by ordinal: no term of a path names an item
//! without it. Items that are not indexed have no shape and are not found.

use std::collections::VecDeque;

use storage::{Direction, KeyRange, Scan, ScanLimit, Shard};

use crate::error::{Error, Result};
use crate::key_layout::{LogicalPartition, TermHit, TermPrefix};
use crate::ordered_bytes::UNDEFINED;
use crate::query::source::reading::Reading;

/// The items of some shapes.
pub(in crate::query::source) struct AbsentWalk {
    shard: Shard,
    streams: Vec<ShapeStream>,
}

struct ShapeStream {
    prefix: TermPrefix,
    /// What is left to scan; none when nothing is.
    range: Option<KeyRange>,
    buffer: VecDeque<TermHit>,
}

impl AbsentWalk {
    /// Items without the path, behind an ordinal.
    pub(in crate::query::source) async fn open(
        reading: &mut Reading,
        shard: Shard,
        logical: Option<&LogicalPartition>,
        path: &[u8],
        after: Option<u64>,
    ) -> Result<Self> {
        let shapes = reading.shapes(shard).await?;
        let without = shapes.iter().filter(|shape| !shape.has(path));
        let streams = without.map(|shape| {
            let prefix = TermPrefix::shape(logical, shape.number);
            let all = prefix.with(&[]);
            let range = match after {
                Some(after) => all.after(prefix.key(&[], Some(after)), Direction::Forward),
                None => all,
            };
            ShapeStream { prefix, range: Some(range), buffer: VecDeque::new() }
        });
        Ok(Self { shard, streams: streams.collect() })
    }

    /// The next items; fewer than wanted only at the end.
    pub(in crate::query::source) async fn next(
        &mut self,
        reading: &mut Reading,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        let mut hits = Vec::new();
        while hits.len() < wanted {
            for stream in &mut self.streams {
                stream.refill(reading, self.shard, wanted).await?;
            }
            self.streams.retain(|stream| !stream.buffer.is_empty());
            let first = self
                .streams
                .iter_mut()
                .min_by_key(|stream| stream.buffer.front().map_or(u64::MAX, |hit| hit.ordinal));
            let Some(hit) = first.and_then(|stream| stream.buffer.pop_front()) else { break };
            hits.push(TermHit { value: bytes::Bytes::from_static(&[UNDEFINED]), ..hit });
        }
        Ok(hits)
    }
}

impl ShapeStream {
    async fn refill(&mut self, reading: &mut Reading, shard: Shard, wanted: usize) -> Result<()> {
        if !self.buffer.is_empty() {
            return Ok(());
        }
        let Some(range) = self.range.take() else { return Ok(()) };
        let scan = Scan::forward(range.clone(), ScanLimit::entries(wanted.max(1)));
        let page = reading.scan_terms(shard, &scan).await?;
        if let Some(last) = page.entries.last().filter(|_| page.more) {
            self.range = Some(range.after(last.key.clone(), Direction::Forward));
        }
        let hits = self.prefix.decode(page.entries);
        self.buffer.extend(hits.ok_or_else(|| Error::corrupt("a shape term is damaged"))?);
        Ok(())
    }
}
