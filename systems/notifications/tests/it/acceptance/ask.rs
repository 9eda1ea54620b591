//! The requests and results of a scenario as plain data, the same for both interfaces.

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
    /// The body of the route; the result also says whether the device was `new`.
    Register(&'a str, &'a Value),
    Devices(&'a str),
    Revoke(&'a str, &'a str),
    /// A page of the events of a status, or of the dead ones, after the continuation of the previous page.
    Events(&'a str, &'a str),
    Retry(&'a str),
    Stats,
    Erase(&'a str),
}

/// The result: the body of the route, or the refusal.
pub(crate) type AskResult = Result<Value, Refused>;

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The status of the HTTP interface.
    pub(crate) status: u16,
    /// The wrong fields, sorted.
    pub(crate) fields: Vec<String>,
    /// The whole text.
    pub(crate) text: String,
}

/// An interface that the scenarios are run through.
#[async_trait]
pub(crate) trait Way: Send + Sync + Sized + 'static {
    /// Keeps the server between the account and the engine running.
    type Server: Send + Sync + 'static;

    /// An account on this engine.
    async fn account(engine: &Engine) -> (Account, Self::Server);

    /// An account that more than one process can open, one after the other, as one setting names it.
    async fn place(folder: &Path) -> (String, Self::Server);

    async fn drive(system: &Notifications, environment: &Environment) -> Self;

    async fn ask(&self, ask: Ask<'_>) -> AskResult;
}
