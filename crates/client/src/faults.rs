//! Failures on purpose, from one place: what a network and a busy account do to a call.
//!
//! Owns the plan of faults. Does not own their effect: `place/faulty` does what the plan says, below the retries.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: the request goes through. For plans such as "the second one".
    None,
    /// Throughput is spent; nothing is done.
    Throttled {
        /// What the account asks for.
        delay: Duration,
    },
    /// The account is not there; nothing is done, and the caller cannot know.
    Unavailable,
    /// No answer comes within the time; nothing is done, and the caller cannot know.
    Timeout {
        /// How long the caller waits.
        after: Duration,
    },
    /// The request is done, and its answer is lost.
    LostAnswer,
    /// The program ends before the request is done: the call never returns, until it is dropped.
    StopBefore,
    /// The program ends after the request is done: the call never returns, until it is dropped.
    StopAfter,
}

/// A plan of faults, shared with the account that suffers them; see [`crate::Account::with_faults`].
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    next: VecDeque<(Option<&'static str>, Fault)>,
    suffered: u64,
    stops: u64,
    requests: BTreeMap<&'static str, usize>,
}

impl Faults {
    /// No faults yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next request that no earlier fault takes suffers this one.
    pub fn next(&self, fault: Fault) {
        self.lock().next.push_back((None, fault));
    }

    /// The next request of this name, such as `create` or `read changes`, suffers this fault.
    pub fn next_of(&self, name: &'static str, fault: Fault) {
        self.lock().next.push_back((Some(name), fault));
    }

    /// How many faults were suffered.
    #[must_use]
    pub fn suffered(&self) -> u64 {
        self.lock().suffered
    }

    /// Runs a program until it ends or meets a stop; none after a stop, which drops it as a crash would.
    pub async fn until_stopped<T>(&self, program: impl Future<Output = T>) -> Option<T> {
        let stops = self.lock().stops;
        let mut program = std::pin::pin!(program);
        std::future::poll_fn(|context| match program.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if self.lock().stops > stops => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// How many faults wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().next.len()
    }

    /// How often a request of this name reached the account or its faults.
    #[must_use]
    pub fn requests(&self, name: &str) -> usize {
        self.lock().requests.get(name).copied().unwrap_or_default()
    }

    /// The fault of a request of this name.
    pub(crate) fn take(&self, name: &'static str) -> Fault {
        let mut plan = self.lock();
        *plan.requests.entry(name).or_default() += 1;
        let fits = |(only, _): &(Option<&'static str>, Fault)| only.is_none_or(|only| only == name);
        let place = plan.next.iter().position(fits);
        let fault = place.and_then(|place| plan.next.remove(place)).map(|(_, fault)| fault);
        let fault = fault.unwrap_or(Fault::None);
        plan.suffered += u64::from(fault != Fault::None);
        fault
    }

    /// The call of a program that ended: it never returns.
    pub(crate) async fn stop(&self) -> std::convert::Infallible {
        self.lock().stops += 1;
        std::future::pending().await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
