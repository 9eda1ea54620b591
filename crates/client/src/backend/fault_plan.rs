//! Injected faults: what a network or a busy account can do to a call.
//!
//! Owns the plan of faults. Does not own their effect: `faulty` executes the plan, below the retries.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault. For plans such as "the second request".
    None,
    /// The throughput is exhausted; the request is not executed.
    Throttled {
        /// The delay that the account asks for.
        delay: Duration,
    },
    /// The account is not available; the request is not executed, but the caller cannot know.
    Unavailable,
    /// No response in time; the request is not executed, but the caller cannot know.
    Timeout {
        /// How long the caller waits.
        after: Duration,
    },
    /// The request is executed, but its response is lost.
    LostResponse,
    /// The account refuses the request as invalid; it is not executed.
    BadRequest,
    /// The process stops before the request is executed: the call never returns.
    StopBefore,
    /// The process stops after the request is executed: the call never returns.
    StopAfter,
}

/// A plan of faults, shared with the account that it applies to; see [`crate::Account::with_faults`].
#[derive(Clone, Debug, Default)]
pub struct Faults {
    plan: Arc<Mutex<CallFaultPlan>>,
}

#[derive(Debug, Default)]
struct CallFaultPlan {
    next: VecDeque<(Option<&'static str>, Fault)>,
    injected: u64,
    stops: u64,
    requests: BTreeMap<&'static str, usize>,
    queries: BTreeSet<&'static str>,
    mutated: BTreeMap<&'static str, QueryMutation>,
}

/// How a query is changed on its way to the account, for tests that notice a missing condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryMutation {
    /// Another text.
    Text(&'static str),
    /// The whole container instead of a part of it.
    WholeContainer,
}

impl Faults {
    /// An empty plan.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fault for the next request that no earlier fault applies to.
    pub fn next(&self, fault: Fault) {
        self.lock().next.push_back((None, fault));
    }

    /// Adds a fault for the next request with this name, such as `create` or `read changes`.
    pub fn next_of(&self, name: &'static str, fault: Fault) {
        self.lock().next.push_back((Some(name), fault));
    }

    /// Number of faults that were injected.
    #[must_use]
    pub fn injected(&self) -> u64 {
        self.lock().injected
    }

    /// Runs a future until it completes or reaches a stop. Returns `None` after a stop, which drops the future like a
    /// crash.
    pub async fn until_stopped<T>(&self, program: impl Future<Output = T>) -> Option<T> {
        // Counted and not a flag, so that a second run with the same plan begins anew.
        let stops = self.lock().stops;
        let mut program = std::pin::pin!(program);
        std::future::poll_fn(|context| match program.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            // Asked after each poll: the call that stops is polled inside the program and stays pending.
            Poll::Pending if self.lock().stops > stops => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Number of faults that were not injected yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.lock().next.len()
    }

    /// Number of requests with this name, including those that failed by a fault.
    #[must_use]
    pub fn requests(&self, name: &str) -> usize {
        self.lock().requests.get(name).copied().unwrap_or_default()
    }

    /// The texts of all queries that were sent.
    #[must_use]
    pub fn queries(&self) -> Vec<&'static str> {
        self.lock().queries.iter().copied().collect()
    }

    /// From now on, changes the queries with this text.
    pub fn mutate_query(&self, text: &'static str, mutation: QueryMutation) {
        self.lock().mutated.insert(text, mutation);
    }

    /// Takes note of a query; returns how it is changed.
    pub(crate) fn mutation(&self, text: &'static str) -> Option<QueryMutation> {
        let mut plan = self.lock();
        plan.queries.insert(text);
        plan.mutated.get(text).copied()
    }

    /// Takes the fault for a request with this name.
    pub(crate) fn take(&self, name: &'static str) -> Fault {
        let mut plan = self.lock();
        *plan.requests.entry(name).or_default() += 1;
        let fits = |(only, _): &(Option<&'static str>, Fault)| only.is_none_or(|only| only == name);
        // The first that fits, not the first: a fault for another name waits for its own request.
        let index = plan.next.iter().position(fits);
        let fault = index.and_then(|index| plan.next.remove(index)).map(|(_, fault)| fault);
        let fault = fault.unwrap_or(Fault::None);
        plan.injected += u64::from(fault != Fault::None);
        fault
    }

    /// The call of a stopped process: it never returns.
    pub(crate) async fn stop(&self) -> std::convert::Infallible {
        self.lock().stops += 1;
        std::future::pending().await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CallFaultPlan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
