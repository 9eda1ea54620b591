//! Running a test in many orders.

use std::cell::Cell;
use std::future::Future;

use shuttle::Config;
use shuttle::scheduler::{PctScheduler, RandomScheduler};

/// Points at which the order is changed on purpose; most defects of concurrency need two or three.
const CHANGES_MAX: usize = 3;

thread_local! {
    /// `shuttle` runs all threads of a test on one thread of the system.
    static EXPLORING: Cell<bool> = const { Cell::new(false) };
}

/// Whether new locks and atomics belong to an exploration.
pub(crate) fn is_exploring() -> bool {
    EXPLORING.with(Cell::get)
}

/// Runs a test in `orders` random orders, and in as many that change between threads only a few times. Panics if the
/// test panics in one of them, or if its threads wait for each other; `shuttle` prints how to repeat that order.
pub fn explore(orders: usize, test: impl Fn() + Send + Sync + Clone + 'static) {
    let _end = Exploring::begin();
    let mut config = Config::new();
    config.silence_warnings = true;
    shuttle::Runner::new(RandomScheduler::new(orders), config.clone()).run(test.clone());
    shuttle::Runner::new(PctScheduler::new(CHANGES_MAX, orders), config).run(test);
}

/// Starts a thread of the test that is explored.
pub fn spawn<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> impl FnOnce() -> T {
    let thread = shuttle::thread::spawn(run);
    // A panic in a thread ends the whole exploration, so a joined thread has not panicked.
    move || match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Blocks the thread of the test until a future is ready.
pub fn wait_for<F: Future>(future: F) -> F::Output {
    shuttle::future::block_on(future)
}

struct Exploring;

impl Exploring {
    fn begin() -> Self {
        EXPLORING.with(|exploring| exploring.set(true));
        Self
    }
}

impl Drop for Exploring {
    fn drop(&mut self) {
        EXPLORING.with(|exploring| exploring.set(false));
    }
}

/// What a test has panicked with; nothing if it has not.
#[cfg(test)]
pub(crate) fn message(result: std::thread::Result<()>) -> String {
    let Err(panic) = result else { return String::new() };
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
