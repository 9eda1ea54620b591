//! Things that were read lately, in a bounded amount of memory, and the rule for putting them in and taking them out.
//!
//! Batches are numbered. Everything lies at a place; a batch empties the places it writes to before it writes, and
//! leaves its number there. A reader knows the last batch that was visible when it took its view. It puts a thing in
//! only where no later batch has left its number, and takes one out only when the thing is no younger than its view. So
//! what lies here is what the tree would say to that view. Does not own what the things are.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names remembered in each slot that were asked for once: only the second time a thing is worth its copy.
const ASKED_MAX: usize = 8;

/// The last batch that a view sees for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeenBatch(pub(super) u64);

/// Where a thing lies and what it is called, hashed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) place: u64,
    pub(super) name: u64,
}

/// Things by name.
pub(super) struct Shelf<N, T> {
    slots: Vec<Slot<N, T>>,
    slot_bytes_max: usize,
}

/// Places with the same part of their hash.
struct Slot<N, T> {
    /// The last batch that wrote or is about to write to one of the places.
    written_by: AtomicU64,
    /// How many things are here or about to be: a batch that finds none need not wait for readers.
    held: AtomicUsize,
    content: Mutex<Content<N, T>>,
}

struct Content<N, T> {
    /// The oldest first.
    things: Vec<Held<N, T>>,
    /// The hashed names of the things, close together: whoever looks for one passes by the others.
    names: Vec<u64>,
    bytes: usize,
    asked: [u64; ASKED_MAX],
    asked_next: usize,
}

struct Held<N, T> {
    label: Label,
    name: N,
    thing: T,
    bytes: usize,
    /// Views that see this batch see this thing.
    since: u64,
}

impl<N, T: Clone> Shelf<N, T> {
    pub(super) fn new(bytes_max: u64, slots: usize) -> Self {
        let slot_bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX) / slots;
        Self { slots: (0..slots).map(|_| Slot::default()).collect(), slot_bytes_max }
    }

    /// Whether something of this size may be put in at all.
    fn takes(&self, bytes: usize) -> bool {
        bytes <= self.slot_bytes_max / 2
    }

    /// The thing of a name as a view sees it, if it is here.
    pub(super) fn get(&self, seen: SeenBatch, label: Label, is: impl Fn(&N) -> bool) -> Option<T> {
        let content = self.slot(label)?.lock();
        let held = content.find(label, &is)?;
        (held.since <= seen.0).then(|| held.thing.clone())
    }

    /// Offers what a view says of a name that is not here.
    pub(super) fn offer(
        &self,
        seen: SeenBatch,
        label: Label,
        bytes: usize,
        is: impl Fn(&N) -> bool,
        make: impl FnOnce() -> (N, T),
    ) {
        let Some(slot) = self.slot(label).filter(|_| self.takes(bytes)) else { return };
        let mut content = slot.lock();
        // In this order: a batch leaves its number and then looks for things, so one of the two sees the other.
        slot.held.store(content.things.len() + 1, Ordering::SeqCst);
        let since = slot.written_by.load(Ordering::SeqCst);
        // A thing of this name would be one that this view is too old for.
        if since <= seen.0
            && content.is_asked_again(label.name)
            && content.find(label, &is).is_none()
        {
            while content.bytes + bytes > self.slot_bytes_max {
                content.remove(0);
            }
            let (name, thing) = make();
            content.push(Held { label, name, thing, bytes, since });
        }
        slot.held.store(content.things.len(), Ordering::SeqCst);
    }

    /// Empties a place that a batch is about to write to.
    pub(super) fn written(&self, batch: u64, place: u64) {
        let Some(slot) = self.slot(Label { place, name: 0 }) else { return };
        slot.written_by.store(batch, Ordering::SeqCst);
        if slot.held.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut content = slot.lock();
        while let Some(at) = content.things.iter().position(|held| held.label.place == place) {
            content.remove(at);
        }
        slot.held.store(content.things.len(), Ordering::SeqCst);
    }

    fn slot(&self, label: Label) -> Option<&Slot<N, T>> {
        let number = usize::try_from(label.place % self.slots.len() as u64).ok()?;
        self.slots.get(number)
    }
}

impl<N, T> Slot<N, T> {
    fn lock(&self) -> MutexGuard<'_, Content<N, T>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N, T> Default for Slot<N, T> {
    fn default() -> Self {
        let content = Content {
            things: Vec::new(),
            names: Vec::new(),
            bytes: 0,
            asked: [0; ASKED_MAX],
            asked_next: 0,
        };
        Self {
            written_by: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            content: Mutex::new(content),
        }
    }
}

impl<N, T> Content<N, T> {
    /// Of two names with one hash only the older is found.
    fn find(&self, label: Label, is: &impl Fn(&N) -> bool) -> Option<&Held<N, T>> {
        let at = self.names.iter().position(|name| *name == label.name)?;
        self.things.get(at).filter(|held| is(&held.name))
    }

    fn push(&mut self, held: Held<N, T>) {
        self.bytes += held.bytes;
        self.names.push(held.label.name);
        self.things.push(held);
    }

    fn remove(&mut self, at: usize) {
        self.names.remove(at);
        self.bytes -= self.things.remove(at).bytes;
    }

    fn is_asked_again(&mut self, name: u64) -> bool {
        if self.asked.contains(&name) {
            return true;
        }
        if let Some(place) = self.asked.get_mut(self.asked_next) {
            *place = name;
        }
        self.asked_next = (self.asked_next + 1) % ASKED_MAX;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Label = Label { place: 7, name: 70 };

    fn offer_twice(shelf: &Shelf<u64, u64>, seen: SeenBatch, label: Label, thing: u64) {
        for _ in 0..2 {
            let is = |name: &u64| *name == label.name;
            shelf.offer(seen, label, 10, is, || (label.name, thing));
        }
    }

    fn get(shelf: &Shelf<u64, u64>, seen: SeenBatch, label: Label) -> Option<u64> {
        shelf.get(seen, label, |name| *name == label.name)
    }

    #[test]
    fn a_write_empties_its_place_and_no_other() {
        let shelf = Shelf::new(1 << 20, 4);
        let (beside, elsewhere) = (Label { place: 7, name: 71 }, Label { place: 11, name: 72 });
        for label in [LABEL, beside, elsewhere] {
            offer_twice(&shelf, SeenBatch(0), label, label.name);
        }
        shelf.written(1, LABEL.place);
        assert_eq!(get(&shelf, SeenBatch(0), LABEL), None);
        assert_eq!(get(&shelf, SeenBatch(0), beside), None);
        assert_eq!(get(&shelf, SeenBatch(0), elsewhere), Some(72), "same slot, another place");
    }

    /// The state of a place is the number of the last batch that wrote to it, as a tree would tell it.
    #[test]
    fn no_view_is_told_what_another_sees_while_readers_and_a_writer_race() {
        let shelf = Shelf::<u64, u64>::new(1 << 16, 2);
        let (stored, visible) = (AtomicU64::new(0), AtomicU64::new(0));
        const BATCHES: u64 = 20_000;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while visible.load(Ordering::SeqCst) < BATCHES {
                        let seen = SeenBatch(visible.load(Ordering::SeqCst));
                        let told = stored.load(Ordering::SeqCst);
                        if let Some(found) = get(&shelf, seen, LABEL) {
                            assert_eq!(found, seen.0);
                        }
                        // Twice, so that the second is kept.
                        offer_twice(&shelf, seen, LABEL, told);
                    }
                });
            }
            for batch in 1..=BATCHES {
                shelf.written(batch, LABEL.place);
                assert_eq!(get(&shelf, SeenBatch(batch), LABEL), None, "before batch {batch}");
                stored.store(batch, Ordering::SeqCst);
                visible.store(batch, Ordering::SeqCst);
            }
        });
    }

    #[test]
    fn what_is_held_is_counted() {
        let shelf = Shelf::new(64, 1);
        for name in 1..=20 {
            offer_twice(&shelf, SeenBatch(0), Label { place: name % 3, name }, name);
        }
        let slot = shelf.slots.first().unwrap();
        let content = slot.lock();
        assert_eq!(content.things.len(), 6);
        assert_eq!(content.bytes, 60);
        assert_eq!(slot.held.load(Ordering::SeqCst), 6);
    }
}
