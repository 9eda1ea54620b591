//! Whether one order of all operations explains what the clients saw (Wing and Gong's search, with remembered
//! configurations as in Lowe's).
//!
//! Owns the search for one logical partition. Does not own what operations do: see `cell`.

use std::collections::HashSet;

use super::cell::{Action, Cell, Outcome, apply};

/// What a client did and saw. Times are numbers of one counter that all clients share.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) action: Action,
    /// `None`: the response never came. The operation has happened once, later than it was sent, or never.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) invoked: u64,
    /// Has no meaning without an outcome.
    pub(crate) returned: u64,
}

/// Configurations after which the search gives up. A history that needs more has too many lost responses to say
/// anything, and the run must say so.
const CONFIGURATIONS_MAX: usize = 4_000_000;

/// Finds an order of the operations that begins with the cell as it was; returns the cell at its end.
pub(crate) fn linearize(initial: &Cell, operations: &[Operation]) -> Result<Cell, String> {
    let mut operations = operations.to_vec();
    operations.sort_by_key(|operation| operation.invoked);
    let operations: Vec<Operation> = operations.into_iter().filter(is_relevant).collect();
    let known = operations.iter().filter(|operation| operation.outcome.is_some()).count();
    let words = operations.len().div_ceil(64);
    let mut open = vec![Configuration { taken: vec![0; words], known: 0, cell: *initial }];
    let mut seen = HashSet::new();
    let mut farthest = open[0].clone();
    while let Some(configuration) = open.pop() {
        if configuration.known == known {
            return Ok(configuration.cell);
        }
        if configuration.known > farthest.known {
            farthest = configuration.clone();
        }
        if seen.len() > CONFIGURATIONS_MAX {
            return Err(format!("undecided after {CONFIGURATIONS_MAX} configurations"));
        }
        for next in configuration.successors(&operations) {
            if seen.insert((next.taken.clone(), next.cell)) {
                open.push(next);
            }
        }
    }
    Err(farthest.explain(&operations))
}

/// A read without a response says nothing.
fn is_relevant(operation: &Operation) -> bool {
    operation.outcome.is_some() || operation.action.is_write()
}

/// Which operations have taken effect, and what they left.
#[derive(Clone, Debug)]
struct Configuration {
    taken: Vec<u64>,
    /// How many of them have an outcome.
    known: usize,
    cell: Cell,
}

impl Configuration {
    fn has(&self, index: usize) -> bool {
        self.taken[index / 64] >> (index % 64) & 1 == 1
    }

    /// Operations that may be next: those that were sent before every other open one had returned.
    fn candidates<'a>(
        &'a self,
        operations: &'a [Operation],
    ) -> impl Iterator<Item = (usize, &'a Operation)> {
        let open = operations.iter().enumerate().filter(|(index, _)| !self.has(*index));
        let first_return = open.clone().filter(|(_, operation)| operation.outcome.is_some());
        let first_return = first_return.map(|(_, operation)| operation.returned).min();
        let first_return = first_return.unwrap_or(u64::MAX);
        open.take_while(move |(_, operation)| operation.invoked < first_return)
    }

    fn successors(&self, operations: &[Operation]) -> Vec<Self> {
        let mut successors = Vec::new();
        for (index, operation) in self.candidates(operations) {
            let (outcome, cell) = apply(&self.cell, &operation.action);
            let is_possible = match &operation.outcome {
                Some(seen) => *seen == outcome,
                // Without an effect it is the same as never.
                None => cell != self.cell,
            };
            if is_possible {
                let mut next = Self { cell, ..self.clone() };
                next.taken[index / 64] |= 1 << (index % 64);
                next.known += usize::from(operation.outcome.is_some());
                successors.push(next);
            }
        }
        // The last one is tried first: known ones before those that may never have happened, and of them the one that
        // returned first, because most histories are explained by their order of returning.
        let order = |next: &Self| {
            let taken = self.taken.iter().zip(&next.taken).position(|(a, b)| a != b).unwrap_or(0);
            let bit = (self.taken[taken] ^ next.taken[taken]).trailing_zeros() as usize;
            let operation = &operations[taken * 64 + bit];
            operation.outcome.as_ref().map_or(u64::MAX, |_| operation.returned)
        };
        successors.sort_by_key(|next| std::cmp::Reverse(order(next)));
        successors
    }

    /// The last place where the search stopped, with what could not follow.
    fn explain(&self, operations: &[Operation]) -> String {
        let mut text = format!("no order explains the history; after {} operations ", self.known);
        text += &format!("the cell is {:?}, and none of these can be next:\n", self.cell);
        for (_, operation) in self.candidates(operations) {
            text += &format!("  {operation:?}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linearizability::cell::{Refusal, SLOTS, Version};

    const EMPTY: Cell = [None; SLOTS];

    fn version(serial: u64) -> Version {
        Version { serial, email: u8::try_from(serial % 100).unwrap(), count: 0 }
    }

    fn upsert(slot: usize, serial: u64) -> Action {
        Action::Upsert { slot, serial, email: version(serial).email }
    }

    fn at(times: (u64, u64), action: Action, outcome: Outcome) -> Operation {
        let (invoked, returned) = times;
        Operation { action, outcome: Some(outcome), invoked, returned }
    }

    fn put(times: (u64, u64), slot: usize, serial: u64) -> Operation {
        at(times, upsert(slot, serial), Outcome::Item(version(serial)))
    }

    fn read(times: (u64, u64), slot: usize, serial: u64) -> Operation {
        at(times, Action::Read { slot }, Outcome::Item(version(serial)))
    }

    fn missing(times: (u64, u64), slot: usize) -> Operation {
        at(times, Action::Read { slot }, Outcome::Refused(Refusal::NotFound))
    }

    fn lost(invoked: u64, action: Action) -> Operation {
        Operation { action, outcome: None, invoked, returned: 0 }
    }

    fn refuses(operations: &[Operation]) {
        let found = linearize(&EMPTY, operations);
        assert!(found.is_err(), "{operations:?} was explained by {found:?}");
    }

    #[test]
    fn concurrent_operations_may_be_in_any_order() {
        // Both reads overlap both writes, and see them in one order.
        let history =
            [put((1, 10), 0, 1), put((2, 9), 0, 2), read((3, 5), 0, 2), read((6, 8), 0, 1)];
        assert_eq!(linearize(&EMPTY, &history).unwrap()[0], Some(version(1)));
        let mut back = history.to_vec();
        back.push(read((11, 12), 0, 2));
        refuses(&back);
    }

    #[test]
    fn a_lost_write_is_found() {
        refuses(&[put((1, 2), 0, 1), missing((3, 4), 0)]);
        refuses(&[put((1, 2), 0, 1), put((3, 4), 0, 2), read((5, 6), 0, 1)]);
    }

    #[test]
    fn a_stale_read_is_found() {
        refuses(&[put((1, 2), 0, 1), put((3, 8), 0, 2), read((4, 5), 0, 2), read((6, 7), 0, 1)]);
    }

    #[test]
    fn a_doubled_write_is_found() {
        let patch = Action::Patch { slot: 0, serial: 2 };
        let twice = Version { serial: 2, count: 2, ..version(1) };
        let read = at((5, 6), Action::Read { slot: 0 }, Outcome::Item(twice));
        refuses(&[put((1, 2), 0, 1), lost(3, patch.clone()), read.clone()]);
        // Once is what may happen.
        let once = Outcome::Item(Version { count: 1, ..twice });
        let history =
            [put((1, 2), 0, 1), lost(3, patch), Operation { outcome: Some(once), ..read }];
        linearize(&EMPTY, &history).unwrap();
        // A create that was carried out by its first sending must not succeed again.
        let create = Action::Create { slot: 0, serial: 1, email: 1 };
        let created = Outcome::Item(version(1));
        refuses(&[at((1, 2), create.clone(), created.clone()), at((3, 4), create, created)]);
    }

    #[test]
    fn a_torn_batch_is_found() {
        let batch = Action::Batch(vec![upsert(0, 1), upsert(1, 2)]);
        let half = [Some(version(1)), None, None];
        let whole = [Some(version(1)), Some(version(2)), None];
        let query = |times, cell| at(times, Action::Query, Outcome::Snapshot(cell));
        for seen in [half, [None, Some(version(2)), None]] {
            refuses(&[lost(1, batch.clone()), query((2, 3), seen)]);
            refuses(&[lost(1, batch.clone()), query((2, 3), seen), query((4, 5), whole)]);
        }
        linearize(&EMPTY, &[lost(1, batch.clone()), query((2, 3), whole)]).unwrap();
        linearize(&EMPTY, &[lost(1, batch.clone()), query((2, 3), EMPTY)]).unwrap();
        // Two reads one after the other may see it in between, but not in parts.
        linearize(&EMPTY, &[lost(1, batch.clone()), missing((2, 3), 0), read((4, 5), 1, 2)])
            .unwrap();
        refuses(&[lost(1, batch), read((2, 3), 1, 2), missing((4, 5), 0)]);
    }

    #[test]
    fn a_batch_rolls_back_as_a_whole() {
        let batch = Action::Batch(vec![upsert(0, 2), Action::Delete { slot: 1, expected: None }]);
        let rolled_back = Outcome::RolledBack { at: 1, refusal: Refusal::NotFound };
        let ended = at((1, 2), batch, rolled_back);
        linearize(&EMPTY, &[ended.clone(), missing((3, 4), 0)]).unwrap();
        refuses(&[ended, read((3, 4), 0, 2)]);
    }

    #[test]
    fn a_broken_unique_key_is_found() {
        let second = Action::Upsert { slot: 1, serial: 2, email: 1 };
        let taken = Version { serial: 2, email: 1, count: 0 };
        refuses(&[put((1, 2), 0, 1), at((3, 4), second.clone(), Outcome::Item(taken))]);
        let conflict = Outcome::Refused(Refusal::Conflict);
        linearize(&EMPTY, &[put((1, 2), 0, 1), at((3, 4), second.clone(), conflict.clone())])
            .unwrap();
        // A key that nobody holds must not be refused.
        refuses(&[at((3, 4), second, conflict)]);
    }

    #[test]
    fn one_compare_and_set_of_two_succeeds() {
        let replace = |serial| Action::Replace { slot: 0, serial, email: 7, expected: Some(1) };
        let done = |serial| Outcome::Item(Version { serial, email: 7, count: 0 });
        let first = at((3, 6), replace(2), done(2));
        refuses(&[put((1, 2), 0, 1), first.clone(), at((4, 7), replace(3), done(3))]);
        let refused = Outcome::Refused(Refusal::PreconditionFailed);
        let history = [put((1, 2), 0, 1), first, at((4, 7), replace(3), refused)];
        assert_eq!(linearize(&EMPTY, &history).unwrap()[0].unwrap().serial, 2);
    }

    #[test]
    fn a_lost_response_may_mean_both() {
        let write = lost(1, upsert(0, 1));
        linearize(&EMPTY, &[write.clone(), missing((2, 3), 0), read((4, 5), 0, 1)]).unwrap();
        linearize(&EMPTY, &[write.clone(), missing((2, 3), 0)]).unwrap();
        refuses(&[write, read((2, 3), 0, 1), missing((4, 5), 0)]);
        // Not before it was sent.
        refuses(&[lost(4, upsert(0, 1)), read((2, 3), 0, 1)]);
    }
}
