//! What a scenario can ask of the system, as plain data, and what it is told: the same in every way to drive it.

use std::path::Path;

use async_trait::async_trait;
use client::{Account, Environment};
use engine::Engine;
use notifications::Notifications;
use serde_json::Value;

/// One request of a user, a service or an operator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask<'a> {
    /// A service sends; the body of the route.
    Send(&'a Value),
    /// The user's list, newest first, up to a hundred.
    List(&'a str),
    Unread(&'a str),
    Read(&'a str, &'a str),
    Dismiss(&'a str, &'a str),
    Preferences(&'a str),
    Prefer(&'a str, &'a Value),
    /// The body of the route; the answer also says whether the device was `new`.
    Register(&'a str, &'a Value),
    Devices(&'a str),
    Revoke(&'a str, &'a str),
    /// A page of the events of a status, or of the dead ones; the text of the page before's continuation, or nothing.
    Events(&'a str, &'a str),
    Retry(&'a str),
    Stats,
    Erase(&'a str),
}

/// What is told: the body of the route, or the refusal.
pub(crate) type Told = Result<Value, Refused>;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// As the HTTP interface has it.
    pub(crate) status: u16,
    /// The fields that are wrong, sorted.
    pub(crate) fields: Vec<String>,
    /// Everything that was said.
    pub(crate) text: String,
}

/// A way to drive the system.
#[async_trait]
pub(crate) trait Way: Send + Sync + Sized + 'static {
    /// Keeps alive what stands between the account and the engine.
    type Server: Send + Sync + 'static;

    /// An account on this engine.
    async fn account(engine: &Engine) -> (Account, Self::Server);

    /// An account that more than one process can open, one after the other, as one setting names it.
    async fn place(folder: &Path) -> (String, Self::Server);

    async fn drive(system: &Notifications, environment: &Environment) -> Self;

    async fn ask(&self, ask: Ask<'_>) -> Told;
}
