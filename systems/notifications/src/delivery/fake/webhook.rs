//! A receiver of webhooks on this machine.
//!
//! Owns the check of the signature as a receiver does it. Does not own what a receiver would do next.

use std::sync::Arc;

use async_trait::async_trait;
use client::Clock;
use serde_json::Value;

use super::exchange::{Received, Reply};
use super::script::Script;
use super::server::{Answer, Server, Site, act};
use crate::delivery::settings::WebhookSettings;
use crate::delivery::webhook::Signature;
use service::settings::Secret;

const SECRET: &str = "whsec_ZGVtbyBzZWNyZXQgb2YgdGhlIGZha2UgcmVjZWl2ZXI=";

/// A running receiver; it ends when it is dropped.
pub struct FakeWebhook {
    server: Server,
    site: Arc<WebhookSite>,
}

impl FakeWebhook {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let signature = Signature::new(&Secret::new(SECRET)).map_err(std::io::Error::other)?;
        let site = Arc::new(WebhookSite { clock, signature, pushes: Script::default() });
        let server = Server::start(Arc::clone(&site) as Arc<dyn Site>).await?;
        Ok(Self { server, site })
    }

    /// Settings with which delivery may come here.
    #[must_use]
    pub fn settings(&self) -> WebhookSettings {
        WebhookSettings {
            secret: Secret::new(SECRET),
            allow_private_addresses: true,
            ..WebhookSettings::default()
        }
    }

    /// A URL of this receiver.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.url())
    }

    /// Script and records; a target is a path.
    #[must_use]
    pub fn pushes(&self) -> &Script {
        &self.site.pushes
    }
}

struct WebhookSite {
    clock: Arc<dyn Clock>,
    signature: Signature,
    pushes: Script,
}

#[async_trait]
impl Site for WebhookSite {
    async fn answer(&self, received: Received) -> Answer {
        let path = received.path.clone();
        let id = received.header("webhook-id").to_owned();
        let body = received.json();
        let collapse_id = body.pointer("/data/collapseId").and_then(Value::as_str);
        let collapse_id = collapse_id.unwrap_or_default().to_owned();
        let holds = self.signature.verify(
            &id,
            received.header("webhook-timestamp"),
            &received.body,
            received.header("webhook-signature"),
            self.clock.now().0 / 1000,
        );
        let wrong =
            (!holds).then(|| ("the signature does not hold".to_owned(), Reply::status(401)));
        let accept = || {
            self.pushes.accept(&path, &collapse_id, |_| id.clone());
            Reply::status(204)
        };
        act(&self.pushes, received, &path, wrong, accept).await
    }
}
