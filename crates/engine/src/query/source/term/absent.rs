//! Items without a value at a path, in ordinal order or its reverse.
//!
//! No term of a path names an item that lacks it, so this merges the items of all shapes that do not contain the path.
//! Items that are not indexed have no shape and are not found.

use std::collections::VecDeque;

use storage::{Direction, KeyRange, Scan, ScanLimit, Shard};

use super::shape_cache::Shape;
use crate::error::{Error, Result};
use crate::key_layout::{LogicalPartition, TERMS, TermHit, TermPrefix};
use crate::ordered_bytes::UNDEFINED;
use crate::query::source::page_reader::PageReader;

/// Shapes that are asked whether they have more items, at the end of a page.
const SHAPES_ASKED_MAX: usize = 16;

/// Merges the items of several shapes by ordinal.
pub(in crate::query::source) struct AbsentPathIterator {
    shard: Shard,
    direction: Direction,
    cursors: Vec<ShapeCursor>,
}

/// Where the items begin, and in which direction they come.
#[derive(Clone, Copy)]
pub(in crate::query::source) struct AbsentStart {
    /// The ordinal of the last item that was returned.
    pub(in crate::query::source) after: Option<u64>,
    pub(in crate::query::source) is_reversed: bool,
}

struct ShapeCursor {
    prefix: TermPrefix,
    /// What is left to scan; `None` at the end.
    range: Option<KeyRange>,
    buffer: VecDeque<TermHit>,
}

impl AbsentPathIterator {
    /// Opens the items without the path.
    pub(in crate::query::source) async fn open(
        reader: &mut PageReader,
        shard: Shard,
        logical: Option<&LogicalPartition>,
        path: &[u8],
        start: AbsentStart,
    ) -> Result<Self> {
        let shapes = reader.shapes(shard).await?;
        Ok(Self::over(&shapes, shard, logical, path, start))
    }

    /// The items of these shapes without the path.
    pub(in crate::query::source) fn over(
        shapes: &[Shape],
        shard: Shard,
        logical: Option<&LogicalPartition>,
        path: &[u8],
        start: AbsentStart,
    ) -> Self {
        let direction = if start.is_reversed { Direction::Backward } else { Direction::Forward };
        // Shapes are few where items are alike. With a shape per item this costs one range per item; record 0007
        // accepts that.
        let without = shapes.iter().filter(|shape| !shape.has(path));
        let cursors = without.map(|shape| {
            let prefix = TermPrefix::shape(logical, shape.number);
            let all = prefix.with(&[]);
            let range = match start.after {
                // Within a shape, terms are in ordinal order, and so is the merge. One ordinal positions all of them.
                Some(after) => all.after(prefix.key(&[], Some(after)), direction),
                None => all,
            };
            ShapeCursor { prefix, range: Some(range), buffer: VecDeque::new() }
        });
        Self { shard, direction, cursors: cursors.collect() }
    }

    /// Whether there may be more items. False is certain.
    pub(in crate::query::source) async fn find_more(&self, reader: &PageReader) -> Result<bool> {
        // With very many shapes, asking would cost more than an empty page.
        if self.cursors.len() > SHAPES_ASKED_MAX {
            return Ok(true);
        }
        for cursor in &self.cursors {
            let is_buffered = !cursor.buffer.is_empty();
            let range = cursor.range.as_ref();
            let more = match range {
                Some(range) if !is_buffered => reader.find_entry(self.shard, TERMS, range).await?,
                _ => is_buffered,
            };
            if more {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The next items; fewer than wanted only at the end.
    pub(in crate::query::source) async fn next(
        &mut self,
        reader: &mut PageReader,
        wanted: usize,
    ) -> Result<Vec<TermHit>> {
        let mut hits = Vec::new();
        while hits.len() < wanted {
            for cursor in &mut self.cursors {
                cursor.refill(reader, self.shard, self.direction, wanted).await?;
            }
            // After a refill, an empty buffer is the end of its shape.
            self.cursors.retain(|cursor| !cursor.buffer.is_empty());
            let ordinal = |cursor: &&mut ShapeCursor| cursor.buffer.front().map(|hit| hit.ordinal);
            let cursors = self.cursors.iter_mut();
            let first = match self.direction {
                Direction::Forward => cursors.min_by_key(ordinal),
                Direction::Backward => cursors.max_by_key(ordinal),
            };
            let Some(hit) = first.and_then(|cursor| cursor.buffer.pop_front()) else { break };
            // Given the value that the path would have, so that positions and merges treat it like any other term.
            hits.push(TermHit { value: bytes::Bytes::from_static(&[UNDEFINED]), ..hit });
        }
        Ok(hits)
    }
}

impl ShapeCursor {
    async fn refill(
        &mut self,
        reader: &mut PageReader,
        shard: Shard,
        direction: Direction,
        wanted: usize,
    ) -> Result<()> {
        if !self.buffer.is_empty() {
            return Ok(());
        }
        let Some(range) = self.range.take() else { return Ok(()) };
        let limit = ScanLimit::entries(wanted.max(1));
        let scan = Scan { range: range.clone(), direction, limit };
        let page = reader.scan_terms(shard, &scan).await?;
        if let Some(last) = page.entries.last().filter(|_| page.more) {
            self.range = Some(range.after(last.key.clone(), direction));
        }
        let hits = self.prefix.decode(page.entries);
        self.buffer.extend(hits.ok_or_else(|| Error::corrupt("a shape term is damaged"))?);
        Ok(())
    }
}
