//! The threads that use the server: clients that read and write, one that splits and merges, one that follows the feed.
//!
//! Owns what they send, by seed, and the record of what they saw. Does not own the faults.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::cell::{Action, Outcome, SLOTS};
use super::follower::{Follower, Page, partitions};
use super::http::{Connection, Reply, Request};
use super::operation::{CELLS, CONTAINER, DATABASE, Received, send};
use super::search::Operation;

pub(crate) const CLIENTS: u64 = 8;
/// Unique keys of a logical partition: one more than items, so that most are taken.
const EMAILS: u8 = 4;
/// Writes without a known outcome that one client adds while the disk is full. Each multiplies the orders to search.
const FAILED_MAX: u32 = 2;
const PARTITIONS_MAX: usize = 4;

/// What all threads share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The clock of the history.
    pub(crate) order: AtomicU64,
    /// The last number of a write.
    pub(crate) serial: AtomicU64,
    /// Operations that were answered.
    pub(crate) answered: AtomicU64,
    /// Writes that the server refused because of itself.
    pub(crate) failed: AtomicU64,
    pub(crate) restructured: AtomicU64,
    pub(crate) is_over: AtomicBool,
    /// The disk is full or was, in this round: only then the server may fail because of itself.
    pub(crate) had_full_disk: AtomicBool,
}

impl Shared {
    pub(crate) fn now(&self) -> u64 {
        self.order.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) fn next_serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }
}

/// What a client saw, with the logical partition of each operation.
pub(crate) type History = Vec<(usize, Operation)>;

pub(crate) fn spawn<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().spawn(run).unwrap()
}

pub(crate) struct Client {
    connection: Connection,
    shared: Arc<Shared>,
    random: fastrand::Rng,
    /// Etags of versions that it has seen.
    etags: HashMap<(usize, usize), (u64, String)>,
    failed: u32,
}

impl Client {
    pub(crate) fn new(port: u16, shared: &Arc<Shared>, seed: u64) -> Self {
        Self {
            connection: Connection::new(port),
            shared: Arc::clone(shared),
            random: fastrand::Rng::with_seed(seed),
            etags: HashMap::new(),
            failed: 0,
        }
    }

    /// Sends one operation after the other until the round is over.
    pub(crate) fn run(mut self) -> Result<History, String> {
        let mut history = Vec::new();
        while self.shared.goes_on() {
            let cell = self.random.usize(..CELLS);
            let (action, etag) = self.choose(cell);
            let invoked = self.shared.now();
            let received = send(&mut self.connection, cell, &action, etag.as_deref())?;
            let returned = self.shared.now();
            let outcome = match received {
                Received::Outcome(outcome, etags) => {
                    for (slot, serial, etag) in etags {
                        self.etags.insert((cell, slot), (serial, etag));
                    }
                    self.shared.answered.fetch_add(1, Ordering::SeqCst);
                    Some(outcome)
                }
                Received::Lost => None,
                Received::Failed(why) if !self.shared.had_full_disk.load(Ordering::SeqCst) => {
                    return Err(format!("{action:?} failed: {why}"));
                }
                // The store opens itself again when there is space, which ends the snapshots of queries.
                Received::Failed(_) if !action.is_write() => continue,
                Received::Failed(_) => {
                    self.failed += 1;
                    self.shared.failed.fetch_add(1, Ordering::SeqCst);
                    None
                }
                Received::Nothing => {
                    // The server is gone, or asked to wait.
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                }
            };
            history.push((cell, Operation { action, outcome, invoked, returned }));
        }
        Ok(history)
    }

    /// The next operation, with the etag it is conditional on.
    fn choose(&mut self, cell: usize) -> (Action, Option<String>) {
        let slot = self.random.usize(..SLOTS);
        let choice = match self.failed < FAILED_MAX {
            true => self.random.u32(..100),
            false => self.random.u32(..40),
        };
        let known = self.etags.get(&(cell, slot)).cloned().filter(|_| self.random.bool());
        let (expected, etag) = known.unzip();
        let action = match choice {
            0..22 => Action::Read { slot },
            22..32 => Action::Query,
            32..40 => Action::Batch((0..SLOTS).map(|slot| Action::Read { slot }).collect()),
            40..70 => self.write(slot),
            70..82 => {
                let (serial, email) = (self.shared.next_serial(), self.email());
                return (Action::Replace { slot, serial, email, expected }, etag);
            }
            82..87 => return (Action::Delete { slot, expected }, etag),
            _ => {
                let mut slots: Vec<usize> = (0..SLOTS).collect();
                self.random.shuffle(&mut slots);
                slots.truncate(self.random.usize(2..=SLOTS));
                Action::Batch(slots.into_iter().map(|slot| self.write(slot)).collect())
            }
        };
        (action, None)
    }

    /// A write without a condition.
    fn write(&mut self, slot: usize) -> Action {
        let serial = self.shared.next_serial();
        let email = self.email();
        match self.random.u32(..10) {
            0..3 => Action::Create { slot, serial, email },
            3..6 => Action::Upsert { slot, serial, email },
            6 => Action::Replace { slot, serial, email, expected: None },
            7..9 => Action::Patch { slot, serial },
            _ => Action::Delete { slot, expected: None },
        }
    }

    fn email(&mut self) -> u8 {
        self.random.u8(..EMAILS)
    }
}

/// Reads everything, while nobody writes: by one query and by one read of each item.
pub(crate) fn observe(
    connection: &mut Connection,
    shared: &Shared,
    cell: usize,
) -> Result<Vec<Operation>, String> {
    let reads = (0..SLOTS).map(|slot| Action::Read { slot });
    let actions = std::iter::once(Action::Query).chain(reads);
    let observed = actions.map(|action| {
        let invoked = shared.now();
        match send(connection, cell, &action, None)? {
            Received::Outcome(outcome, _) => {
                let returned = shared.now();
                Ok(Operation { action, outcome: Some(outcome), invoked, returned })
            }
            _ => Err(format!("{action:?} of logical partition {cell} was not answered")),
        }
    });
    observed.collect()
}

/// The items of a query that was observed.
pub(crate) fn snapshot(observed: &[Operation]) -> super::cell::Cell {
    match observed.first().map(|query| &query.outcome) {
        Some(Some(Outcome::Snapshot(cell))) => *cell,
        other => panic!("the first observation is a query: {other:?}"),
    }
}

/// Splits and merges at random, with a pause between two of them.
pub(crate) fn restructure(
    port: u16,
    shared: &Shared,
    seed: u64,
    pause: Duration,
) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut connection = Connection::new(port);
    let path = format!("/_planisphere/partitions/{DATABASE}/{CONTAINER}");
    while shared.goes_on() {
        std::thread::sleep(pause);
        // The server may be gone.
        let Ok(numbers) = partitions(&mut connection) else { continue };
        let at = random.usize(..numbers.len());
        let body = match numbers.get(at + 1) {
            Some(right) if numbers.len() >= PARTITIONS_MAX || random.bool() => {
                format!(r#"{{"merge":[{},{right}]}}"#, numbers[at])
            }
            _ if numbers.len() >= PARTITIONS_MAX => continue,
            _ => format!(r#"{{"split":{}}}"#, numbers[at]),
        };
        let request = Request { verb: "POST", path: &path, headers: &[], body: &body };
        if let Reply::Answer(answer) = connection.send(&request)? {
            match answer.status {
                200 => drop(shared.restructured.fetch_add(1, Ordering::SeqCst)),
                503 if shared.had_full_disk.load(Ordering::SeqCst) => {}
                _ => return Err(format!("{body} was answered with {answer:?}")),
            }
        }
    }
    Ok(())
}

/// Follows the change feed until the round is over.
pub(crate) fn follow(
    mut follower: Follower,
    port: u16,
    shared: &Shared,
) -> Result<Follower, String> {
    let mut connection = Connection::new(port);
    while shared.goes_on() {
        match follower.read_page(&mut connection)? {
            Page::Changes => {}
            Page::Failed(why) if !shared.had_full_disk.load(Ordering::SeqCst) => return Err(why),
            _ => std::thread::sleep(Duration::from_millis(3)),
        }
    }
    Ok(follower)
}
