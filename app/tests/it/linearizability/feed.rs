//! Whether the change feed of all versions lists every write once, in its order.
//!
//! Owns the comparison for one logical partition. Does not own reading the feed: see `follower`.

use std::collections::{HashMap, HashSet};

use super::cell::{Action, Cell, Outcome, Version};
use super::search::Operation;

/// One entry of the feed of all versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) slot: usize,
    /// The item after the change; `None` after a deletion.
    pub(crate) current: Option<Version>,
    pub(crate) previous: Option<Version>,
    pub(crate) lsn: i64,
}

/// Compares the entries since the last comparison with the operations since then.
pub(crate) fn check_feed(
    before: &Cell,
    changes: &[Change],
    operations: &[Operation],
    after: &Cell,
) -> Result<(), String> {
    replay(before, changes, after)?;
    compare_writes(changes, operations)?;
    compare_order(changes, operations)?;
    operations.iter().try_for_each(|operation| compare_batch(changes, operation))
}

/// Each entry must continue the one before it, up to the items that are there.
fn replay(before: &Cell, changes: &[Change], after: &Cell) -> Result<(), String> {
    let mut cell = *before;
    let mut lsn = i64::MIN;
    for change in changes {
        if change.previous != cell[change.slot] {
            let found = cell[change.slot];
            return Err(format!("an entry is missing before {change:?}: the item was {found:?}"));
        }
        if change.lsn < lsn {
            return Err(format!("{change:?} comes after lsn {lsn}"));
        }
        lsn = change.lsn;
        cell[change.slot] = change.current;
    }
    if cell == *after {
        return Ok(());
    }
    Err(format!("the feed ends with {cell:?}, and the items are {after:?}"))
}

/// Every acknowledged write is listed once, every other one once or never, and nothing else is listed.
fn compare_writes(changes: &[Change], operations: &[Operation]) -> Result<(), String> {
    let mut listed = HashSet::new();
    for version in changes.iter().filter_map(|change| change.current) {
        if !listed.insert(version.serial) {
            return Err(format!("write {} is listed twice", version.serial));
        }
    }
    let mut sent = HashSet::new();
    for operation in operations {
        let serials = operation.action.serials();
        let is_refused = operation.outcome.as_ref().is_some_and(Outcome::is_refusal);
        let is_done = operation.outcome.is_some() && !is_refused;
        if let Some(missing) = serials.iter().find(|serial| is_done && !listed.contains(serial)) {
            return Err(format!("write {missing} was acknowledged and is not listed"));
        }
        if let Some(refused) = serials.iter().find(|serial| is_refused && listed.contains(serial)) {
            return Err(format!("write {refused} was refused and is listed"));
        }
        sent.extend(serials);
    }
    match listed.iter().find(|serial| !sent.contains(serial)) {
        Some(unknown) => Err(format!("write {unknown} is listed and was never sent")),
        None => Ok(()),
    }
}

/// A write that had returned before another one was sent is listed before it.
fn compare_order(changes: &[Change], operations: &[Operation]) -> Result<(), String> {
    let by_serial: HashMap<u64, &Operation> = operations
        .iter()
        .flat_map(|operation| {
            operation.action.serials().into_iter().map(move |serial| (serial, operation))
        })
        .collect();
    let mut newest: Option<&Operation> = None;
    for version in changes.iter().filter_map(|change| change.current) {
        let Some(operation) = by_serial.get(&version.serial).copied() else { continue };
        if let Some(newest) = newest
            && operation.outcome.is_some()
            && operation.returned < newest.invoked
        {
            return Err(format!("{operation:?} is listed after {newest:?}, which was sent later"));
        }
        if newest.is_none_or(|newest| newest.invoked < operation.invoked) {
            newest = Some(operation);
        }
    }
    Ok(())
}

/// The writes of a batch are listed together, or none of them.
fn compare_batch(changes: &[Change], operation: &Operation) -> Result<(), String> {
    let Action::Batch(_) = operation.action else { return Ok(()) };
    let serials = operation.action.serials();
    let is_of_batch =
        |change: &Change| change.current.is_some_and(|version| serials.contains(&version.serial));
    let lsns: Vec<i64> =
        changes.iter().filter(|change| is_of_batch(change)).map(|change| change.lsn).collect();
    let is_one = lsns.iter().all(|lsn| Some(lsn) == lsns.first());
    if lsns.is_empty() || (lsns.len() == serials.len() && is_one) {
        return Ok(());
    }
    Err(format!("batch {serials:?} is listed in parts, at the lsns {lsns:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linearizability::cell::{Refusal, SLOTS};

    const EMPTY: Cell = [None; SLOTS];

    fn version(serial: u64) -> Version {
        Version { serial, email: u8::try_from(serial).unwrap(), count: 0 }
    }

    fn change(slot: usize, previous: Option<u64>, current: Option<u64>, lsn: i64) -> Change {
        let (previous, current) = (previous.map(version), current.map(version));
        Change { slot, current, previous, lsn }
    }

    fn put(invoked: u64, returned: u64, slot: usize, serial: u64) -> Operation {
        let action = Action::Upsert { slot, serial, email: version(serial).email };
        Operation { action, outcome: Some(Outcome::Item(version(serial))), invoked, returned }
    }

    /// Two writes of one item.
    fn history() -> (Vec<Change>, Vec<Operation>, Cell) {
        let changes = vec![change(0, None, Some(1), 1), change(0, Some(1), Some(2), 2)];
        (changes, vec![put(1, 2, 0, 1), put(3, 4, 0, 2)], [Some(version(2)), None, None])
    }

    #[test]
    fn a_whole_feed_is_accepted() {
        let (mut changes, operations, mut after) = history();
        check_feed(&EMPTY, &changes, &operations, &after).unwrap();
        changes.push(change(0, Some(2), None, 3));
        after[0] = None;
        check_feed(&EMPTY, &changes, &operations, &after).unwrap();
    }

    #[test]
    fn a_missing_entry_is_found() {
        let (changes, operations, after) = history();
        check_feed(&EMPTY, &changes[..1], &operations, &after).unwrap_err();
        check_feed(&EMPTY, &changes[1..], &operations, &after).unwrap_err();
        // Also when nothing that is left shows it: the item is gone again.
        check_feed(&EMPTY, &[], &operations[..1], &EMPTY).unwrap_err();
    }

    #[test]
    fn an_entry_that_is_told_twice_is_found() {
        let (mut changes, operations, after) = history();
        changes.push(changes[1].clone());
        check_feed(&EMPTY, &changes, &operations, &after).unwrap_err();
        changes[2].previous = changes[2].current;
        let refused = check_feed(&EMPTY, &changes, &operations, &after).unwrap_err();
        assert!(refused.contains("twice"), "{refused}");
    }

    #[test]
    fn entries_in_another_order_than_the_writes_are_found() {
        let changes = [change(1, None, Some(2), 1), change(0, None, Some(1), 2)];
        let after = [Some(version(1)), Some(version(2)), None];
        let refused = check_feed(&EMPTY, &changes, &[put(1, 2, 0, 1), put(3, 4, 1, 2)], &after);
        assert!(refused.unwrap_err().contains("sent later"));
        check_feed(&EMPTY, &changes, &[put(1, 4, 0, 1), put(2, 3, 1, 2)], &after).unwrap();
        let backwards = [change(1, None, Some(2), 2), change(0, None, Some(1), 1)];
        check_feed(&EMPTY, &backwards, &[put(1, 4, 0, 1), put(2, 3, 1, 2)], &after).unwrap_err();
    }

    #[test]
    fn a_batch_that_is_told_in_parts_is_found() {
        let action = |slot, serial| Action::Upsert { slot, serial, email: version(serial).email };
        let batch = Operation {
            action: Action::Batch(vec![action(0, 1), action(1, 2)]),
            outcome: None,
            invoked: 1,
            returned: 0,
        };
        let whole = [change(0, None, Some(1), 1), change(1, None, Some(2), 1)];
        let after = [Some(version(1)), Some(version(2)), None];
        let operations = [batch];
        check_feed(&EMPTY, &whole, &operations, &after).unwrap();
        check_feed(&EMPTY, &[], &operations, &EMPTY).unwrap();
        let half = [Some(version(1)), None, None];
        check_feed(&EMPTY, &whole[..1], &operations, &half).unwrap_err();
        let apart = [whole[0].clone(), Change { lsn: 2, ..whole[1].clone() }];
        check_feed(&EMPTY, &apart, &operations, &after).unwrap_err();
    }

    #[test]
    fn writes_that_were_refused_or_never_sent_are_found() {
        let (changes, mut operations, after) = history();
        check_feed(&EMPTY, &changes, &operations[..1], &after).unwrap_err();
        operations[1].outcome = Some(Outcome::Refused(Refusal::Conflict));
        check_feed(&EMPTY, &changes, &operations, &after).unwrap_err();
    }
}
