//! Reads on one connection.
//!
//! Owns the path from a call to its statement and back to bytes, for ordinary and for long keys. Does not own which
//! connection it runs on: the latest state is read on any, a snapshot on its own.

use std::ops::Bound;

use deadpool_postgres::Object;
use storage::{
    Direction, Entry, KeyRange, Scan, ScanPage, ScanPageBuilder, Shard, Space, Stamp, StorageKey,
    StorageValue,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::sql::{KEY_BYTES_MAX, ScanTexts, SqlTexts};

/// A page never has more entries than this, whatever its limit: the server adds up their bytes before it sends any.
const PAGE_ENTRIES_MAX: usize = 10_000;

/// The result of the driver.
pub(crate) type DriverResult<T> = Result<T, tokio_postgres::Error>;

/// Larger pages have a connection of their own, so that point reads do not wait behind them.
const SHARED_PAGE_ENTRIES_MAX: usize = 200;

/// A read as a value, which can be repeated on another connection.
pub(crate) trait ReadStatement: Send + Sync {
    type Value: Send;

    fn run(
        &self,
        connection: &Object,
        sql: &SqlTexts,
    ) -> impl Future<Output = DriverResult<Self::Value>> + Send;

    /// Whether others should not wait behind it.
    fn is_large(&self) -> bool {
        false
    }
}

/// The value of one key.
pub(crate) struct PointRead<'call> {
    pub(crate) address: (Shard, Space),
    pub(crate) key: &'call [u8],
}

/// The values of several keys.
pub(crate) struct MultiRead<'call> {
    pub(crate) address: (Shard, Space),
    pub(crate) keys: &'call [StorageKey],
}

/// A page of a range.
pub(crate) struct RangeRead<'call> {
    pub(crate) address: (Shard, Space),
    pub(crate) scan: &'call Scan,
}

/// The newest stamp of a shard.
pub(crate) struct StampRead(pub(crate) Shard);

/// The number of a shard in a row: the same bits, signed, because PostgreSQL has no unsigned integers.
pub(crate) fn shard_number(shard: Shard) -> i32 {
    shard.0.cast_signed()
}

pub(crate) fn is_long(key: &[u8]) -> bool {
    key.len() > KEY_BYTES_MAX
}

impl ReadStatement for PointRead<'_> {
    type Value = Option<StorageValue>;

    async fn run(&self, connection: &Object, sql: &SqlTexts) -> DriverResult<Self::Value> {
        let text = if is_long(self.key) { &sql.get_long } else { &sql.get };
        let statement = connection.prepare_cached(text).await?;
        let (shard, space) = self.address;
        let space = i16::from(space.number);
        let row =
            connection.query_opt(&statement, &[&shard_number(shard), &space, &self.key]).await?;
        row.map(|row| value(&row, 0)).transpose()
    }
}

impl ReadStatement for MultiRead<'_> {
    type Value = Vec<Option<StorageValue>>;

    async fn run(&self, connection: &Object, sql: &SqlTexts) -> DriverResult<Self::Value> {
        let mut values = vec![None; self.keys.len()];
        if self.keys.is_empty() {
            return Ok(values);
        }
        let has_long = self.keys.iter().any(|key| is_long(key));
        let text = if has_long { &sql.get_many_long } else { &sql.get_many };
        let statement = connection.prepare_cached(text).await?;
        let keys: Vec<&[u8]> = self.keys.iter().map(AsRef::as_ref).collect();
        let (shard, space) = self.address;
        let space = i16::from(space.number);
        for row in connection.query(&statement, &[&shard_number(shard), &space, &keys]).await? {
            let number: i64 = row.try_get(0)?;
            let place = usize::try_from(number - 1).ok().and_then(|number| values.get_mut(number));
            if let Some(place) = place {
                *place = Some(value(&row, 1)?);
            }
        }
        Ok(values)
    }

    fn is_large(&self) -> bool {
        self.keys.len() > SHARED_PAGE_ENTRIES_MAX
    }
}

impl ReadStatement for RangeRead<'_> {
    type Value = ScanPage;

    async fn run(&self, connection: &Object, sql: &SqlTexts) -> DriverResult<ScanPage> {
        let nothing = || ScanPageBuilder::new(self.scan.limit).finish();
        if self.scan.range.is_empty() {
            return Ok(nothing());
        }
        if let Some(page) = page(connection, &sql.scan, self.address, self.scan).await? {
            return Ok(page);
        }
        let page = page(connection, &sql.scan_long, self.address, self.scan).await?;
        // Only a row of nulls makes it absent, and this statement has none.
        Ok(page.unwrap_or_else(nothing))
    }

    fn is_large(&self) -> bool {
        self.scan.limit.entries_max > SHARED_PAGE_ENTRIES_MAX
    }
}

impl ReadStatement for StampRead {
    type Value = Stamp;

    async fn run(&self, connection: &Object, sql: &SqlTexts) -> DriverResult<Stamp> {
        let statement = connection.prepare_cached(&sql.last_stamp).await?;
        let row = connection.query_opt(&statement, &[&shard_number(self.0)]).await?;
        let stamp: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
        Ok(Stamp(stamp.unwrap_or_default().cast_unsigned()))
    }
}

/// A page; `None` if the statement reports long keys, which it does not return.
async fn page(
    connection: &Object,
    texts: &ScanTexts,
    (shard, space): (Shard, Space),
    scan: &Scan,
) -> DriverResult<Option<ScanPage>> {
    let (lower, upper) = half_open(&scan.range);
    let texts = match scan.direction {
        Direction::Forward => &texts.forward,
        Direction::Backward => &texts.backward,
    };
    let [unbounded, bounded] = texts;
    let statement =
        connection.prepare_cached(if upper.is_some() { bounded } else { unbounded }).await?;
    let entries_max = scan.limit.entries_max.clamp(1, PAGE_ENTRIES_MAX);
    let (shard, space) = (shard_number(shard), i16::from(space.number));
    let entries_limit = i64::try_from(entries_max).unwrap_or(i64::MAX);
    let bytes_limit = i64::try_from(scan.limit.bytes_max).unwrap_or(i64::MAX);
    let mut parameters: Vec<&(dyn ToSql + Sync)> =
        vec![&shard, &space, &lower, &entries_limit, &bytes_limit];
    if let Some(upper) = &upper {
        parameters.push(upper);
    }
    let rows = connection.query(&statement, &parameters).await?;
    let mut builder = ScanPageBuilder::new(scan.limit);
    let count = rows.len();
    for row in rows {
        let Some(key) = row.try_get::<_, Option<&[u8]>>(0)? else { return Ok(None) };
        builder.push(Entry { key: StorageKey::copy_from_slice(key), value: value(&row, 1)? });
    }
    let mut page = builder.finish();
    // A page that our own bound has cut is not the last one.
    page.more |= count >= entries_max;
    Ok(Some(page))
}

fn value(row: &Row, column: usize) -> DriverResult<StorageValue> {
    row.try_get::<_, &[u8]>(column).map(StorageValue::copy_from_slice)
}

/// The range from the first key that belongs to it to the first that does not.
fn half_open(range: &KeyRange) -> (Vec<u8>, Option<Vec<u8>>) {
    // The next key in byte order is the key with a zero byte behind it.
    let next = |key: &StorageKey| [key.as_ref(), &[0]].concat();
    let lower = match &range.lower {
        Bound::Unbounded => Vec::new(),
        Bound::Included(key) => key.to_vec(),
        Bound::Excluded(key) => next(key),
    };
    let upper = match &range.upper {
        Bound::Unbounded => None,
        Bound::Included(key) => Some(next(key)),
        Bound::Excluded(key) => Some(key.to_vec()),
    };
    (lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_becomes_half_open() {
        let key = StorageKey::from_static(b"k");
        let range =
            KeyRange { lower: Bound::Excluded(key.clone()), upper: Bound::Included(key.clone()) };
        assert_eq!(half_open(&range), (b"k\0".to_vec(), Some(b"k\0".to_vec())));
        let range = KeyRange { lower: Bound::Included(key.clone()), upper: Bound::Excluded(key) };
        assert_eq!(half_open(&range), (b"k".to_vec(), Some(b"k".to_vec())));
        assert_eq!(half_open(&KeyRange::all()), (vec![], None));
    }

    #[test]
    fn every_shard_has_a_number_of_its_own() {
        assert_eq!(shard_number(Shard(7)), 7);
        assert_eq!(shard_number(Shard(u32::MAX)), -1);
    }
}
