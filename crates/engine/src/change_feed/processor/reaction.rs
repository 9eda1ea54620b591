//! What the embedder gives: the code that handles changes, and what it is told about them.
//!
//! Owns the contract and the guard that turns a panic of the reaction into its error.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use async_trait::async_trait;
use model::EpkRange;

use super::lease::Instance;
use crate::change_feed::Change;

/// Handles changes. Every change comes at least once, so handling one twice must do no harm.
#[async_trait]
pub trait Reaction: Send + Sync {
    /// Handles changes of one epk range, in their order. When this returns well they are never delivered again, unless
    /// the checkpoint after it fails. The future is dropped where it waits when the lease is lost.
    async fn react(&self, changes: &[Change], context: &Context) -> Result<(), ReactionError>;
}

/// Where changes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Name of the processor.
    pub processor: String,
    /// The instance that calls.
    pub instance: Instance,
    /// The epk range of the lease.
    pub range: EpkRange,
    /// Which attempt at this page this is, from 1.
    pub attempt: u32,
}

/// Why changes were not handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReactionError {
    message: String,
    blame: Blame,
}

/// What a reaction holds responsible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// Something in what it was given; which, must be found out.
    Unknown,
    /// The change at this index.
    Change(usize),
    /// Nothing it was given.
    Surroundings,
}

impl ReactionError {
    /// The page failed; after the last attempt the changes at fault are searched and parked.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), blame: Blame::Unknown }
    }

    /// The change at `index` failed; after the last attempt it is parked.
    pub fn poison(index: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), blame: Blame::Change(index) }
    }

    /// No change is at fault, something the reaction needs is away: the page is retried without end, nothing is parked.
    pub fn transient(message: impl Into<String>) -> Self {
        Self { message: message.into(), blame: Blame::Surroundings }
    }

    /// What went wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn blame(&self) -> Blame {
        self.blame
    }
}

impl fmt::Display for ReactionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ReactionError {}

impl From<crate::Error> for ReactionError {
    fn from(error: crate::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Calls the reaction. A panic is an error like any other: without this guard it would end the task and leave a lease
/// that is renewed but never read.
pub(crate) async fn call(
    reaction: &dyn Reaction,
    changes: &[Change],
    context: &Context,
) -> Result<(), ReactionError> {
    let mut running = pin!(reaction.react(changes, context));
    poll_fn(|task| {
        let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(task)));
        polled.unwrap_or_else(|panic| Poll::Ready(Err(ReactionError::new(sentence(&*panic)))))
    })
    .await
}

fn sentence(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the reaction panicked: {}", text.unwrap_or("no message"))
}
