//! Running worlds on all cores until the queries are done.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::asked::Asked;
use super::oracle::Expected;
use super::world::{WIDE_FROM, World};

/// Queries of an ordinary run.
const QUERIES_DEFAULT: u64 = 20_000;
/// Queries put to one world.
const QUERIES_PER_WORLD: u64 = 250;

/// What the queries were, to see that none of the ways is left out.
#[derive(Debug, Default)]
pub(super) struct Counts {
    queries: AtomicU64,
    rows: AtomicU64,
    with_rows: AtomicU64,
    refused: AtomicU64,
    ordered: AtomicU64,
    paged: AtomicU64,
    restructured: AtomicU64,
    disturbed: AtomicU64,
    /// What each thread is at.
    at: Mutex<Vec<(std::thread::ThreadId, String)>>,
}

impl Counts {
    pub(super) fn add(&self, asked: &Asked, expected: &Expected, is_restructured: bool) {
        let add = |count: &AtomicU64, more: usize| count.fetch_add(more as u64, Ordering::Relaxed);
        add(&self.queries, 1);
        match expected {
            Expected::Rows(rows) => {
                add(&self.rows, rows.len());
                add(&self.with_rows, usize::from(rows.len() > 0));
            }
            Expected::Refused(_) | Expected::Fails { .. } => {
                add(&self.refused, 1);
            }
        }
        add(&self.ordered, usize::from(asked.query.text.contains("ORDER BY")));
        add(&self.paged, usize::from(!asked.pages.is_empty()));
        add(&self.restructured, usize::from(is_restructured));
    }

    /// Counts a query that saw writes between its pages.
    pub(super) fn add_disturbed(&self) {
        self.disturbed.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes the query at hand, for the case that it panics.
    pub(super) fn now_at(&self, seed: u64, number: u64, text: &str) {
        let thread = std::thread::current().id();
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.retain(|(known, _)| *known != thread);
        at.push((
            thread,
            format!("DIFFERENTIAL_SEED={seed} DIFFERENTIAL_QUERIES={} {text}", number + 1),
        ));
    }

    fn last(&self) -> String {
        let thread = std::thread::current().id();
        let at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.iter().find(|(known, _)| *known == thread).map_or_else(String::new, |(_, at)| at.clone())
    }

    /// Whether enough of everything was there.
    fn assert_variety(&self) {
        let share = |count: &AtomicU64, per_mille: u64, what: &str| {
            let (count, all) =
                (count.load(Ordering::Relaxed), self.queries.load(Ordering::Relaxed));
            assert!(count * 1000 >= all * per_mille, "only {count} of {all} queries {what}");
        };
        share(&self.with_rows, 400, "have rows");
        share(&self.ordered, 150, "are ordered");
        share(&self.paged, 400, "are read in pages");
        share(&self.restructured, 5, "see a split or merge between pages");
        share(&self.disturbed, 10, "see writes between their pages");
        share(&self.refused, 5, "are refused");
        let refused = self.refused.load(Ordering::Relaxed);
        assert!(refused * 4 < self.queries.load(Ordering::Relaxed), "{refused} are refused");
    }
}

/// Lives through one world; the message says what went wrong.
fn live_through(seed: u64, queries: u64, counts: &Counts) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async { World::new(seed).await.live_through(queries, counts).await })
    }));
    outcome.unwrap_or_else(|_| Err(format!("panicked at {}", counts.last())))
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_queries_give_what_the_naive_evaluator_gives() {
    let seed = number("DIFFERENTIAL_SEED");
    let (first, is_ordinary) = (seed.unwrap_or(0), seed.is_none());
    let queries = number("DIFFERENTIAL_QUERIES").unwrap_or(QUERIES_DEFAULT);
    let failures_max = number("DIFFERENTIAL_FAILURES").unwrap_or(1) as usize;
    let worlds = queries.div_ceil(QUERIES_PER_WORLD);
    let (next, stops, counts) = (AtomicU64::new(0), AtomicBool::new(false), Counts::default());
    let failures: Mutex<Vec<String>> = Mutex::default();
    let work = || {
        while !stops.load(Ordering::Relaxed) {
            let world = next.fetch_add(1, Ordering::Relaxed);
            if world >= worlds {
                return;
            }
            let queries = QUERIES_PER_WORLD.min(queries - world * QUERIES_PER_WORLD);
            // Every other world of an ordinary run is a wide one.
            let seed =
                if is_ordinary && world % 2 == 1 { WIDE_FROM + world } else { first + world };
            if let Err(failure) = live_through(seed, queries, &counts) {
                let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
                failures.push(failure);
                stops.store(failures.len() >= failures_max, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    if queries >= 10_000 {
        counts.assert_variety();
    }
}

/// Each of these has shown a mistake: pages across splits, policies replaced between pages, rebuilds half done.
#[test]
fn worlds_that_failed_once_do_not_fail_again() {
    for (seed, queries) in
        [(1003, 107), (1034, 39), (1343, 165), (1395, 99), (1447, 14), (1492, 37), (1_000_047, 72)]
    {
        live_through(seed, queries, &Counts::default())
            .unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn the_same_seed_asks_the_same() {
    let last = |seed| {
        let counts = Counts::default();
        live_through(seed, 20, &counts).unwrap();
        counts.last()
    };
    assert_eq!(last(5), last(5));
    assert_ne!(last(5).split_once(' '), last(6).split_once(' '));
}
