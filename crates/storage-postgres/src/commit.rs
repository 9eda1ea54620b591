//! A commit: one group of write sets as the arrays of one statement.
//!
//! Owns the encoding, the one round trip, and what follows a lost connection: the fence of the shard is raised, so
//! that a commit which is still on its way to the server can never arrive later. Does not own guards and stamps: the
//! function in the database checks and assigns them.

use std::collections::HashSet;
use std::time::Duration;

use deadpool_postgres::Object;
use storage::{
    Error, Guard, Result, Shard, Space, Stamp, StorageKey, StorageValue, Write, WriteSet,
};

use crate::error::{StatementFailure, classify, in_doubt, lease_lost, statement_failed};
use crate::read::{DriverResult, is_long, shard_number};
use crate::store::PostgresInner;

/// How often a commit is repeated that certainly wrote nothing.
const TRIES_MAX: u32 = 20;
const TRY_EVERY: Duration = Duration::from_millis(25);

// What the function returns in place of stamps.
const FENCE_IS_HIGHER: i64 = -1;
const GUARD_FAILED: i64 = -2;

// The kinds of guards, as the function knows them.
const ABSENT: i16 = 0;
const PRESENT: i16 = 1;
const UNCHANGED: i16 = 2;

/// A group of write sets as columns.
#[derive(Debug, Default)]
struct CommitArrays {
    above: Vec<i64>,
    guards: Vec<(Space, StorageKey)>,
    guard_kinds: Vec<i16>,
    guard_values: Vec<Option<StorageValue>>,
    puts: Vec<PutRow>,
    removes: Vec<(Space, StorageKey)>,
    has_long: bool,
}

#[derive(Debug)]
struct PutRow {
    set_number: i32,
    space: Space,
    key: StorageKey,
    value: StorageValue,
    key_at: Option<i32>,
    value_at: Option<i32>,
}

/// What the function returned.
#[derive(Debug, PartialEq, Eq)]
enum CommitReply {
    Stamps(Vec<Stamp>),
    FenceIsHigher,
    /// The place of the guard among all guards of the group.
    GuardFailed(usize),
}

impl PostgresInner {
    /// Commits a group.
    pub(crate) async fn commit(&self, shard: Shard, group: &[WriteSet]) -> Result<Vec<Stamp>> {
        let arrays = CommitArrays::encode(shard, group)?;
        if group.is_empty() {
            return Ok(Vec::new());
        }
        let mut tries = TRIES_MAX;
        loop {
            self.settle_if_needed(shard).await?;
            let fence = self.fence(shard);
            let connection = self.within_lease(self.connections.exclusive()).await??;
            let prepared = self.within_lease(connection.prepare_cached(&self.sql.commit)).await?;
            let statement = match prepared {
                Ok(statement) => statement,
                // Nothing was sent yet.
                Err(error) if tries > 0 && classify(&error) != StatementFailure::Refused => {
                    tries -= 1;
                    tokio::time::sleep(TRY_EVERY).await;
                    continue;
                }
                Err(error) => return Err(self.failed_write(error)),
            };
            let sent =
                self.within_lease(arrays.send(&connection, &statement, (shard, fence))).await;
            let sent = sent.inspect_err(|error| {
                // It may still arrive.
                self.mark_unsettled(shard);
                self.note_write_failure(error);
            })?;
            match sent {
                Ok(CommitReply::Stamps(stamps)) => {
                    if let Some(last) = stamps.last() {
                        self.publish(shard, *last);
                    }
                    return Ok(stamps);
                }
                Ok(CommitReply::GuardFailed(number)) => {
                    return Err(arrays.guard_error(shard, number));
                }
                // This process has raised the fence itself meanwhile, or another one has taken over.
                Ok(CommitReply::FenceIsHigher) if self.fence(shard) > fence => {}
                Ok(CommitReply::FenceIsHigher) => {
                    self.lease.lose();
                    return Err(lease_lost(&self.location));
                }
                Err(error) => match classify(&error) {
                    StatementFailure::RolledBack if tries > 0 => {
                        tries -= 1;
                        tokio::time::sleep(TRY_EVERY).await;
                    }
                    StatementFailure::ConnectionLost => {
                        drop(connection);
                        return Err(self.lost_commit(shard, error).await);
                    }
                    _ => return Err(self.failed_write(error)),
                },
            }
        }
    }

    async fn lost_commit(&self, shard: Shard, error: tokio_postgres::Error) -> Error {
        self.mark_unsettled(shard);
        let error = in_doubt(&self.location, error);
        self.note_write_failure(&error);
        // If this fails, every later call on the shard tries again first.
        let _ = self.settle_if_needed(shard).await;
        error
    }

    fn failed_write(&self, error: tokio_postgres::Error) -> Error {
        let error = statement_failed(&self.location, error);
        if *error.kind() == storage::ErrorKind::Device {
            self.note_write_failure(&error);
        }
        error
    }

    /// Makes sure that no commit of this process to the shard is on its way any more.
    pub(crate) async fn settle_if_needed(&self, shard: Shard) -> Result<()> {
        if !self.is_unsettled(shard) {
            return Ok(());
        }
        let mut connection = self.within_lease(self.connections.exclusive()).await??;
        let raised = self.within_lease(self.raise_fence(&mut connection, shard)).await?;
        let raised = raised.map_err(|error| statement_failed(&self.location, error))?;
        let Some((fence, stamp)) = raised else {
            self.lease.lose();
            return Err(lease_lost(&self.location));
        };
        self.settled(shard, fence);
        self.publish(shard, stamp);
        Ok(())
    }

    /// Raises the fence of a shard. This waits for the lock of a commit in progress, and a later one of this process
    /// with the old fence is refused. `None` if this process no longer has the lease: then the fence is another
    /// one's.
    async fn raise_fence(
        &self,
        connection: &mut Object,
        shard: Shard,
    ) -> DriverResult<Option<(i64, Stamp)>> {
        let transaction = connection.transaction().await?;
        // Locked, so that nobody takes the lease before the fence is raised.
        let is_owner =
            transaction.query_opt(self.sql.lock_owner.as_str(), &[&self.lease.fence]).await?;
        if is_owner.is_none() {
            return Ok(None);
        }
        let fence: i64 =
            transaction.query_one(self.sql.next_fence.as_str(), &[]).await?.try_get(0)?;
        let row = transaction
            .query_one(self.sql.raise_fence.as_str(), &[&shard_number(shard), &fence])
            .await?;
        let stamp: i64 = row.try_get(0)?;
        transaction.commit().await?;
        Ok(Some((fence, Stamp(stamp.cast_unsigned()))))
    }
}

impl CommitArrays {
    fn encode(shard: Shard, group: &[WriteSet]) -> Result<Self> {
        let mut arrays = Self::default();
        for set in group {
            set.validate(shard)?;
            // PostgreSQL has no unsigned integers; the half that it has lasts as long.
            let above = i64::try_from(set.stamp_above.0).ok().filter(|above| *above < i64::MAX);
            let above = above.ok_or_else(|| {
                Error::invalid(format!(
                    "there is no stamp above {} in this store",
                    set.stamp_above.0
                ))
            })?;
            arrays.above.push(above);
            for guarded in &set.guards {
                arrays.has_long |= is_long(&guarded.key);
                arrays.guards.push((guarded.space, guarded.key.clone()));
                let (kind, value) = match &guarded.guard {
                    Guard::Absent => (ABSENT, None),
                    Guard::Present => (PRESENT, None),
                    Guard::Unchanged(value) => (UNCHANGED, Some(value.clone())),
                };
                arrays.guard_kinds.push(kind);
                arrays.guard_values.push(value);
            }
        }
        arrays.add_writes(group);
        Ok(arrays)
    }

    /// Adds the writes that count: the last one to each key.
    fn add_writes(&mut self, group: &[WriteSet]) {
        let mut seen = HashSet::new();
        for (number, set) in group.iter().enumerate().rev() {
            for write in set.writes.iter().rev() {
                if seen.insert(write_identity(number, write)) {
                    self.add_write(number, write);
                }
            }
        }
    }

    fn add_write(&mut self, number: usize, write: &Write) {
        let offset = |at: &Option<usize>| at.and_then(|at| i32::try_from(at).ok());
        match write {
            Write::Put { space, key, value, key_stamp_at, value_stamp_at } => {
                self.has_long |= is_long(key);
                self.puts.push(PutRow {
                    // Arrays begin at one in the database.
                    set_number: i32::try_from(number + 1).unwrap_or(i32::MAX),
                    space: *space,
                    key: key.clone(),
                    value: value.clone(),
                    key_at: offset(key_stamp_at),
                    value_at: offset(value_stamp_at),
                });
            }
            Write::Remove { space, key } => {
                self.has_long |= is_long(key);
                self.removes.push((*space, key.clone()));
            }
        }
    }

    async fn send(
        &self,
        connection: &Object,
        statement: &tokio_postgres::Statement,
        (shard, fence): (Shard, i64),
    ) -> DriverResult<CommitReply> {
        let spaces = |keys: &[(Space, StorageKey)]| -> Vec<i16> {
            keys.iter().map(|(space, _)| i16::from(space.number)).collect()
        };
        let guard_keys: Vec<&[u8]> = self.guards.iter().map(|(_, key)| key.as_ref()).collect();
        let guard_values: Vec<Option<&[u8]>> =
            self.guard_values.iter().map(|value| value.as_deref()).collect();
        let puts = &self.puts;
        let put_sets: Vec<i32> = puts.iter().map(|put| put.set_number).collect();
        let put_spaces: Vec<i16> = puts.iter().map(|put| i16::from(put.space.number)).collect();
        let put_keys: Vec<&[u8]> = puts.iter().map(|put| put.key.as_ref()).collect();
        let put_values: Vec<&[u8]> = puts.iter().map(|put| put.value.as_ref()).collect();
        let put_key_at: Vec<Option<i32>> = puts.iter().map(|put| put.key_at).collect();
        let put_value_at: Vec<Option<i32>> = puts.iter().map(|put| put.value_at).collect();
        let remove_keys: Vec<&[u8]> = self.removes.iter().map(|(_, key)| key.as_ref()).collect();
        let row = connection
            .query_one(
                statement,
                &[
                    &shard_number(shard),
                    &fence,
                    &self.above,
                    &spaces(&self.guards),
                    &guard_keys,
                    &self.guard_kinds,
                    &guard_values,
                    &put_sets,
                    &put_spaces,
                    &put_keys,
                    &put_values,
                    &put_key_at,
                    &put_value_at,
                    &spaces(&self.removes),
                    &remove_keys,
                    &self.has_long,
                ],
            )
            .await?;
        Ok(decode_reply(&row.try_get::<_, Vec<i64>>(0)?))
    }

    fn guard_error(&self, shard: Shard, number: usize) -> Error {
        match self.guards.get(number) {
            Some((space, key)) => Error::guard_failed(shard, *space, key.clone()),
            None => Error::invalid("the database refused a guard that the commit does not have"),
        }
    }
}

fn decode_reply(numbers: &[i64]) -> CommitReply {
    match numbers {
        [FENCE_IS_HIGHER, ..] => CommitReply::FenceIsHigher,
        [GUARD_FAILED, number, ..] => {
            CommitReply::GuardFailed(usize::try_from(number - 1).unwrap_or(usize::MAX))
        }
        stamps => {
            CommitReply::Stamps(stamps.iter().map(|stamp| Stamp(stamp.cast_unsigned())).collect())
        }
    }
}

/// What two writes to the same key have in common. The stamp of a key is not known yet: it is the same within a set,
/// and differs between two sets.
fn write_identity(number: usize, write: &Write) -> (u8, StorageKey, Option<usize>) {
    match write {
        Write::Put { space, key, key_stamp_at: Some(at), .. } => {
            let mut plain = key.to_vec();
            Stamp::ZERO.write_at(&mut plain, Some(*at));
            (space.number, plain.into(), Some(number))
        }
        Write::Put { space, key, .. } | Write::Remove { space, key } => {
            (space.number, key.clone(), None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: Space = Space { number: 3, name: "items", prefix_bytes: 0, buffered: false };

    #[test]
    fn only_the_last_write_to_a_key_is_sent() {
        let mut first = WriteSet::new();
        first.put(SPACE, "a", "1");
        first.put(SPACE, "b", "1");
        first.put_stamped(SPACE, vec![1; 8], "log", Some(0), None);
        first.put_stamped(SPACE, vec![2; 8], "log again", Some(0), None);
        let mut second = WriteSet::new();
        second.remove(SPACE, "a");
        second.put(SPACE, "b", "2");
        second.put_stamped(SPACE, vec![1; 8], "log", Some(0), None);
        let arrays = CommitArrays::encode(Shard(1), &[first, second]).unwrap();
        assert_eq!(arrays.removes, [(SPACE, StorageKey::from_static(b"a"))]);
        let puts: Vec<_> =
            arrays.puts.iter().map(|put| (put.set_number, put.value.as_ref())).collect();
        assert_eq!(puts, [(2, b"log".as_slice()), (2, b"2"), (1, b"log again")]);
    }

    #[test]
    fn every_reply_is_decoded() {
        assert_eq!(decode_reply(&[5, 6]), CommitReply::Stamps(vec![Stamp(5), Stamp(6)]));
        assert_eq!(decode_reply(&[FENCE_IS_HIGHER, 9]), CommitReply::FenceIsHigher);
        assert_eq!(decode_reply(&[GUARD_FAILED, 1]), CommitReply::GuardFailed(0));
    }
}
