//! What a logical partition does with an operation, as a function without side effects.
//!
//! Owns the meaning of operations: which succeed, what they return, what they leave. Does not own how they are sent.

/// Items of one logical partition.
pub(crate) const SLOTS: usize = 3;

/// What is known of a stored item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version {
    /// The write that made it. No two writes have the same number.
    pub(crate) serial: u64,
    /// Its unique key.
    pub(crate) email: u8,
    /// How often it was incremented since it was put.
    pub(crate) count: i64,
}

/// The items of a logical partition.
pub(crate) type Cell = [Option<Version>; SLOTS];

/// One request of a client, or one operation of its batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Create {
        slot: usize,
        serial: u64,
        email: u8,
    },
    Upsert {
        slot: usize,
        serial: u64,
        email: u8,
    },
    /// With the version that must be there, if any.
    Replace {
        slot: usize,
        serial: u64,
        email: u8,
        expected: Option<u64>,
    },
    Patch {
        slot: usize,
        serial: u64,
    },
    Delete {
        slot: usize,
        expected: Option<u64>,
    },
    Read {
        slot: usize,
    },
    /// All items in one page of a query.
    Query,
    Batch(Vec<Self>),
}

/// Why an operation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotFound,
    Conflict,
    PreconditionFailed,
}

/// What a client received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The item that was read or written.
    Item(Version),
    Deleted,
    Snapshot(Cell),
    Batch(Vec<Self>),
    Refused(Refusal),
    RolledBack {
        at: usize,
        refusal: Refusal,
    },
}

impl Action {
    /// The numbers of the writes it makes.
    pub(crate) fn serials(&self) -> Vec<u64> {
        match self {
            Self::Create { serial, .. }
            | Self::Upsert { serial, .. }
            | Self::Replace { serial, .. }
            | Self::Patch { serial, .. } => vec![*serial],
            Self::Batch(actions) => actions.iter().flat_map(Self::serials).collect(),
            Self::Delete { .. } | Self::Read { .. } | Self::Query => Vec::new(),
        }
    }

    pub(crate) fn is_write(&self) -> bool {
        match self {
            Self::Batch(actions) => actions.iter().any(Self::is_write),
            Self::Read { .. } | Self::Query => false,
            _ => true,
        }
    }
}

impl Outcome {
    /// Whether it says that nothing was changed.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::RolledBack { .. })
    }
}

/// Carries out one operation.
pub(crate) fn apply(cell: &Cell, action: &Action) -> (Outcome, Cell) {
    if let Action::Batch(actions) = action {
        return apply_batch(cell, actions);
    }
    match apply_one(cell, action) {
        Ok((outcome, after)) => (outcome, after),
        Err(refusal) => (Outcome::Refused(refusal), *cell),
    }
}

fn apply_batch(cell: &Cell, actions: &[Action]) -> (Outcome, Cell) {
    let mut after = *cell;
    let mut outcomes = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        match apply_one(&after, action) {
            Ok((outcome, next)) => {
                outcomes.push(outcome);
                after = next;
            }
            Err(refusal) => return (Outcome::RolledBack { at, refusal }, *cell),
        }
    }
    (Outcome::Batch(outcomes), after)
}

fn apply_one(cell: &Cell, action: &Action) -> Result<(Outcome, Cell), Refusal> {
    let found = |slot: usize| cell[slot].ok_or(Refusal::NotFound);
    let expect = |version: Version, expected: &Option<u64>| match expected {
        Some(serial) if *serial != version.serial => Err(Refusal::PreconditionFailed),
        _ => Ok(()),
    };
    let put = |slot: usize, version: Version| {
        let others = cell.iter().enumerate().filter(|(other, _)| *other != slot);
        if others.flat_map(|(_, other)| other).any(|other| other.email == version.email) {
            return Err(Refusal::Conflict);
        }
        let mut after = *cell;
        after[slot] = Some(version);
        Ok((Outcome::Item(version), after))
    };
    match action {
        Action::Create { slot, .. } if cell[*slot].is_some() => Err(Refusal::Conflict),
        Action::Create { slot, serial, email } | Action::Upsert { slot, serial, email } => {
            put(*slot, Version { serial: *serial, email: *email, count: 0 })
        }
        Action::Replace { slot, serial, email, expected } => {
            expect(found(*slot)?, expected)?;
            put(*slot, Version { serial: *serial, email: *email, count: 0 })
        }
        Action::Patch { slot, serial } => {
            let before = found(*slot)?;
            put(*slot, Version { serial: *serial, count: before.count + 1, ..before })
        }
        Action::Delete { slot, expected } => {
            expect(found(*slot)?, expected)?;
            let mut after = *cell;
            after[*slot] = None;
            Ok((Outcome::Deleted, after))
        }
        Action::Read { slot } => Ok((Outcome::Item(found(*slot)?), *cell)),
        Action::Query => Ok((Outcome::Snapshot(*cell), *cell)),
        Action::Batch(_) => unreachable!("a batch contains no batch"),
    }
}
