//! A fake webhook receiver. It verifies signatures like a real one.

use std::sync::Arc;

use async_trait::async_trait;
use client::Clock;
use serde_json::Value;

use super::http_message::{FakeResponse, ReceivedRequest};
use super::script::Script;
use super::server::{FakeEndpoint, FakeServer, ServerAction, respond_by_script};
use crate::delivery::settings::WebhookSettings;
use crate::delivery::webhook::WebhookSigner;
use service::settings::Secret;

const SECRET: &str = "whsec_ZGVtbyBzZWNyZXQgb2YgdGhlIGZha2UgcmVjZWl2ZXI=";

/// A running receiver; it stops when it is dropped.
pub struct FakeWebhook {
    server: FakeServer,
    endpoint: Arc<WebhookSite>,
}

impl FakeWebhook {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let signature = WebhookSigner::new(&Secret::new(SECRET)).map_err(std::io::Error::other)?;
        let endpoint = Arc::new(WebhookSite {
            clock,
            signature,
            pushes: Script::default(),
            challenges: Script::default(),
        });
        let server = FakeServer::start(Arc::clone(&endpoint) as Arc<dyn FakeEndpoint>).await?;
        Ok(Self { server, endpoint })
    }

    /// Settings that allow requests to this receiver.
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

    /// The script for challenges.
    #[must_use]
    pub fn challenges(&self) -> &Script {
        &self.endpoint.challenges
    }

    /// The script and the recorded pushes; a target is a path.
    #[must_use]
    pub fn pushes(&self) -> &Script {
        &self.endpoint.pushes
    }
}

struct WebhookSite {
    clock: Arc<dyn Clock>,
    signature: WebhookSigner,
    pushes: Script,
    challenges: Script,
}

#[async_trait]
impl FakeEndpoint for WebhookSite {
    async fn handle(&self, received: ReceivedRequest) -> ServerAction {
        let path = received.path.clone();
        let id = received.header("webhook-id").to_owned();
        let body = received.json();
        let collapse_id = body.pointer("/data/collapseId").and_then(Value::as_str);
        let collapse_id = collapse_id.unwrap_or_default().to_owned();
        let is_valid = self.signature.verify(
            &id,
            received.header("webhook-timestamp"),
            &received.body,
            received.header("webhook-signature"),
            self.clock.now().0 / 1000,
        );
        let rejection = (!is_valid)
            .then(|| ("the signature is not valid".to_owned(), FakeResponse::status(401)));
        // A receiver that agrees repeats the challenge.
        if let Some(challenge) = body.pointer("/data/challenge").filter(|_| is_valid) {
            let response = FakeResponse::json(200, &serde_json::json!({ "challenge": challenge }));
            return respond_by_script(&self.challenges, received, &path, None, || response).await;
        }
        let accept = || {
            self.pushes.accept(&path, &collapse_id, |_| id.clone());
            FakeResponse::status(204)
        };
        respond_by_script(&self.pushes, received, &path, rejection, accept).await
    }
}
