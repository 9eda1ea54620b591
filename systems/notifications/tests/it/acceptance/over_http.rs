//! The HTTP interface on a socket, on an account connected over HTTP to a server; and every scenario run that way.

use std::path::Path;

use async_trait::async_trait;
use client::{Account, Environment};
use engine::Engine;
use notifications::Notifications;
use serde_json::{Value, json};

use super::ask::{Ask, AskResult, Refused, Way};
use super::scenarios::both_ways;
use super::server::Server;
use crate::site::{Interface, fields};

pub(crate) struct OverHttp {
    interface: Interface,
}

both_ways!(OverHttp);

#[async_trait]
impl Way for OverHttp {
    type Server = Server;

    async fn account(engine: &Engine) -> (Account, Server) {
        let server = Server::start(engine).await;
        (server.connect().await, server)
    }

    async fn place(_: &Path) -> (String, Server) {
        let server = Server::start(&Engine::in_memory().await.unwrap()).await;
        (server.connection_string.clone(), server)
    }

    async fn drive(system: &Notifications, environment: &Environment) -> Self {
        Self { interface: Interface::of(system, environment).await }
    }

    async fn ask(&self, ask: Ask<'_>) -> AskResult {
        let (caller, method, path, body) = route(ask);
        let (status, mut answer) = self.interface.call(caller, method, &path, body).await;
        let expected: &[u16] = match ask {
            Ask::Send(_) | Ask::Erase(_) => &[202],
            Ask::Register(..) => &[200, 201],
            _ => &[200],
        };
        if !expected.contains(&status) {
            assert!((400..600).contains(&status), "{ask:?}: {status} {answer}");
            return Err(Refused { status, fields: fields(&answer), text: answer.to_string() });
        }
        if let Ask::Register(..) = ask {
            answer["new"] = json!(status == 201);
        }
        Ok(answer)
    }
}

/// Who calls, and what.
fn route(ask: Ask<'_>) -> (&str, &'static str, String, Option<Value>) {
    let own = |rest: &str| format!("/api/notifications{rest}");
    let nothing = || Some(json!({}));
    match ask {
        Ask::Send(body) => ("service", "POST", own("/send"), Some(body.clone())),
        Ask::List(user) => (user, "GET", own("?limit=100"), None),
        Ask::Unread(user) => (user, "GET", own("/unread-count"), None),
        Ask::Read(user, id) => (user, "POST", own(&format!("/{id}/read")), nothing()),
        Ask::Dismiss(user, id) => (user, "POST", own(&format!("/{id}/dismiss")), nothing()),
        Ask::Preferences(user) => (user, "GET", own("/preferences"), None),
        Ask::Prefer(user, change) => (user, "PUT", own("/preferences"), Some(change.clone())),
        Ask::Register(user, body) => (user, "POST", own("/devices"), Some(body.clone())),
        Ask::Devices(user) => (user, "GET", own("/devices"), None),
        Ask::Revoke(user, device) => {
            (user, "POST", own(&format!("/devices/{device}/revoke")), nothing())
        }
        Ask::Events(status, "") => ("admin", "GET", format!("/admin/events?status={status}"), None),
        Ask::Events(status, token) => {
            let path = format!("/admin/events?status={status}&continuationToken={token}");
            ("admin", "GET", path, None)
        }
        Ask::Retry(id) => ("admin", "POST", format!("/admin/events/{id}/retry"), nothing()),
        Ask::Stats => ("admin", "GET", "/admin/stats".to_owned(), None),
        Ask::Erase(user) => (user, "DELETE", format!("/api/privacy/users/{user}"), None),
    }
}
