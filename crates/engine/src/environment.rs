//! Everything the engine takes from outside: time, randomness, tasks.
//!
//! Owns the injected traits with their real and test implementations. A run with the same environment and the same
//! store is deterministic.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use model::TimestampMs;

use crate::script_runtime::ScriptRuntime;

/// A source of time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now(&self) -> TimestampMs;

    /// Time since a fixed point in the past, for measuring durations.
    fn stopwatch(&self) -> Duration {
        Duration::from_millis(self.now().0)
    }
}

/// A source of random numbers.
pub trait Randomness: Send + Sync {
    /// The next number.
    fn next(&self) -> u64;
}

/// A task to spawn.
pub type BoxedTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work to run outside of tasks.
pub type BoxedWork = Box<dyn FnOnce() + Send>;

/// Runs tasks and timers.
pub trait Spawner: Send + Sync {
    /// Runs a task concurrently with the caller.
    fn spawn(&self, task: BoxedTask);
    /// Completes after the given time.
    fn sleep(&self, duration: Duration) -> BoxedTask;
    /// Runs work that takes long and never waits for a task, on a thread where it does not hold up tasks. Unless
    /// overridden it runs at once on the calling thread, which keeps simulated runs deterministic.
    fn compute(&self, work: BoxedWork) {
        work();
    }
}

/// Clock, randomness and spawner of one engine.
#[derive(Clone)]
pub struct Environment {
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    spawner: Arc<dyn Spawner>,
    scripts: Option<Arc<dyn ScriptRuntime>>,
}

impl Environment {
    /// The machine's clock, the operating system's randomness and the current tokio runtime.
    #[must_use]
    pub fn system() -> Self {
        Self::new(Arc::new(SystemClock), Arc::new(SystemRandomness), Arc::new(TokioSpawner))
    }

    /// A travelling clock and seeded randomness on the current tokio runtime: for tests.
    #[must_use]
    pub fn simulated(clock: Arc<TravellingClock>, seed: u64) -> Self {
        Self::new(clock, Arc::new(SeededRandomness::new(seed)), Arc::new(TokioSpawner))
    }

    /// The same, but a sleep moves the clock instead of taking time. Not for an engine with maintenance: its loop would
    /// move the clock forever.
    #[must_use]
    pub fn travelling(clock: Arc<TravellingClock>, seed: u64) -> Self {
        let spawner = TravellingSpawner { clock: Arc::clone(&clock) };
        Self::new(clock, Arc::new(SeededRandomness::new(seed)), Arc::new(spawner))
    }

    /// Creates an environment from its parts.
    #[must_use]
    pub fn new(
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        spawner: Arc<dyn Spawner>,
    ) -> Self {
        Self { clock, randomness, spawner, scripts: None }
    }

    /// The same environment, in which stored procedures, triggers and user-defined functions can run.
    #[must_use]
    pub fn with_scripts(self, scripts: Arc<dyn ScriptRuntime>) -> Self {
        Self { scripts: Some(scripts), ..self }
    }

    pub(crate) fn scripts(&self) -> Option<Arc<dyn ScriptRuntime>> {
        self.scripts.clone()
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> TimestampMs {
        self.clock.now()
    }

    /// Time since a fixed point in the past; only differences are meaningful.
    #[must_use]
    pub fn stopwatch(&self) -> Duration {
        self.clock.stopwatch()
    }

    /// A random number.
    #[must_use]
    pub fn random(&self) -> u64 {
        self.randomness.next()
    }

    /// Runs a task concurrently with the caller.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.spawner.spawn(Box::pin(task));
    }

    /// Runs work that takes long, without holding up tasks.
    pub(crate) fn compute(&self, work: BoxedWork) {
        self.spawner.compute(work);
    }

    /// Waits.
    pub async fn sleep(&self, duration: Duration) {
        self.spawner.sleep(duration).await;
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Environment")
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    fn now(&self) -> TimestampMs {
        let since_epoch =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        TimestampMs(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    fn stopwatch(&self) -> Duration {
        // An `Instant` has no zero; the first call is as good as any.
        static STARTED: OnceLock<Instant> = OnceLock::new();
        STARTED.get_or_init(Instant::now).elapsed()
    }
}

/// A clock for tests: it moves only by [`TravellingClock::travel`].
#[derive(Debug)]
pub struct TravellingClock {
    now_ms: AtomicU64,
}

impl TravellingClock {
    /// A clock that shows `start`.
    #[must_use]
    pub fn starting_at(start: TimestampMs) -> Arc<Self> {
        Arc::new(Self { now_ms: AtomicU64::new(start.0) })
    }

    /// Sets the clock, also back.
    pub fn set(&self, to: TimestampMs) {
        self.now_ms.store(to.0, Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn travel(&self, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.now_ms.fetch_add(by_ms, Ordering::SeqCst);
    }
}

impl Clock for TravellingClock {
    fn now(&self) -> TimestampMs {
        TimestampMs(self.now_ms.load(Ordering::SeqCst))
    }
}

/// Randomness seeded by the operating system through the standard library's hasher keys.
#[derive(Clone, Copy, Debug)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn next(&self) -> u64 {
        use std::hash::{BuildHasher, Hasher, RandomState};
        // The standard library keeps two random keys per thread and increments one for each `RandomState`; hashing
        // nothing mixes them. Good enough for resource ids and samples, not for secrets.
        RandomState::new().build_hasher().finish()
    }
}

/// Randomness that repeats for the same seed: for tests.
#[derive(Debug)]
pub struct SeededRandomness {
    rng: Mutex<fastrand::Rng>,
}

impl SeededRandomness {
    /// A sequence determined by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { rng: Mutex::new(fastrand::Rng::with_seed(seed)) }
    }
}

impl Randomness for SeededRandomness {
    fn next(&self) -> u64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).u64(..)
    }
}

/// Tasks on the tokio runtime the engine was opened in.
#[derive(Clone, Copy, Debug)]
pub struct TokioSpawner;

impl Spawner for TokioSpawner {
    fn spawn(&self, task: BoxedTask) {
        tokio::spawn(task);
    }

    fn sleep(&self, duration: Duration) -> BoxedTask {
        Box::pin(tokio::time::sleep(duration))
    }

    fn compute(&self, work: BoxedWork) {
        tokio::task::spawn_blocking(work);
    }
}

/// Tasks on the tokio runtime; a sleep moves a clock instead of taking time.
#[derive(Clone, Debug)]
struct TravellingSpawner {
    clock: Arc<TravellingClock>,
}

impl Spawner for TravellingSpawner {
    fn spawn(&self, task: BoxedTask) {
        tokio::spawn(task);
    }

    fn sleep(&self, duration: Duration) -> BoxedTask {
        let clock = Arc::clone(&self.clock);
        Box::pin(async move {
            // The clock moves when the sleep is polled, so sleeps that nobody awaits do not change the time.
            clock.travel(duration);
            tokio::task::yield_now().await;
        })
    }
}
