//! A fake APNs, over HTTP/2 without TLS. It validates headers, provider tokens and payloads.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use client::Clock;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http_message::{FakeResponse, ReceivedRequest};
use super::keys;
use super::script::{Script, ScriptedFault};
use super::server::{FakeEndpoint, FakeServer, ServerAction, respond_by_script};
use crate::delivery::settings::ApnsSettings;
use service::settings::Secret;

const TEAM: &str = "DEMOTEAM01";
const KEY: &str = "DEMOKEY001";
const TOPIC: &str = "org.example.demo";
const PAYLOAD_BYTES_MAX: usize = 4096;
const COLLAPSE_ID_BYTES_MAX: usize = 64;
const TOKEN_SECONDS_MAX: u64 = 60 * 60;
const TOKEN_UPDATE_SECONDS_MIN: u64 = 20 * 60;

/// A running fake APNs; it stops when it is dropped.
pub struct FakeApns {
    server: FakeServer,
    endpoint: Arc<ApnsSite>,
}

/// How APNs refuses a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApnsRefusal {
    /// The HTTP status.
    pub status: u16,
    /// The reason, as APNs names it.
    pub reason: &'static str,
    /// With 410: since when the token is not valid, in milliseconds.
    pub timestamp_ms: Option<u64>,
}

impl FakeApns {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let endpoint =
            Arc::new(ApnsSite { clock, pushes: Script::default(), last_token: Mutex::default() });
        let server = FakeServer::start(Arc::clone(&endpoint) as Arc<dyn FakeEndpoint>).await?;
        Ok(Self { server, endpoint })
    }

    /// Settings that direct pushes to this server.
    #[must_use]
    pub fn settings(&self) -> ApnsSettings {
        ApnsSettings {
            team_id: TEAM.to_owned(),
            key_id: KEY.to_owned(),
            private_key: Secret::new(&keys::ec().private_pem),
            topic: TOPIC.to_owned(),
            endpoint: self.server.url(),
            ..ApnsSettings::default()
        }
    }

    /// The script and the recorded pushes; a target is a push token.
    #[must_use]
    pub fn pushes(&self) -> &Script {
        &self.endpoint.pushes
    }

    /// The number of connections opened so far.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.server.connections()
    }

    /// Waits until so many connections were closed.
    pub async fn until_connections_closed(&self, count: u64) {
        self.server.until_closed(count).await;
    }

    /// Sends GOAWAY on the next connections instead of processing their first request.
    pub fn goaway_next_connections(&self, count: usize) {
        self.server.goaway_next(count);
    }
}

impl ApnsRefusal {
    /// A refusal without a time.
    #[must_use]
    pub const fn new(status: u16, reason: &'static str) -> Self {
        Self { status, reason, timestamp_ms: None }
    }

    /// The response, in the form of the real endpoint.
    #[must_use]
    pub fn response(self) -> FakeResponse {
        let mut body = json!({ "reason": self.reason });
        if let (Some(members), Some(timestamp)) = (body.as_object_mut(), self.timestamp_ms) {
            members.insert("timestamp".to_owned(), timestamp.into());
        }
        FakeResponse::json(self.status, &body)
    }
}

impl From<ApnsRefusal> for ScriptedFault {
    fn from(refusal: ApnsRefusal) -> Self {
        Self::Respond(refusal.response())
    }
}

struct ApnsSite {
    clock: Arc<dyn Clock>,
    pushes: Script,
    /// The last provider token and when it was first used, in seconds.
    last_token: Mutex<Option<(String, u64)>>,
}

#[derive(Deserialize)]
struct SignedClaims {
    iss: String,
    iat: u64,
}

/// A violation for the records, and the response of the real endpoint.
type Rejection = (&'static str, ApnsRefusal);

#[async_trait]
impl FakeEndpoint for ApnsSite {
    async fn handle(&self, received: ReceivedRequest) -> ServerAction {
        let token = received.path.strip_prefix("/3/device/").unwrap_or_default().to_owned();
        let rejection = self.validate_request(&received, &token).err();
        let rejection =
            rejection.map(|(violation, refusal)| (violation.to_owned(), refusal.response()));
        let id = received.header("apns-id").to_owned();
        let collapse_id = received.header("apns-collapse-id").to_owned();
        let accept = || {
            let id = self.pushes.accept(&token, &collapse_id, |_| id.clone());
            FakeResponse::status(200).header("apns-id", &id)
        };
        respond_by_script(&self.pushes, received, &token, rejection, accept).await
    }
}

impl ApnsSite {
    fn validate_request(&self, received: &ReceivedRequest, token: &str) -> Result<(), Rejection> {
        let require = |holds: bool, violation, status, reason| {
            if holds { Ok(()) } else { Err((violation, ApnsRefusal::new(status, reason))) }
        };
        let number = |name| received.header(name).parse::<u64>().is_ok();
        let collapse_id = received.header("apns-collapse-id");
        require(received.is_http2, "not over HTTP/2", 400, "BadPath")?;
        require(received.method == "POST", "not a POST", 405, "MethodNotAllowed")?;
        require(!token.is_empty() && !token.contains('/'), "no device", 400, "MissingDeviceToken")?;
        self.validate_token(received.header("authorization"))?;
        let topic = received.header("apns-topic");
        require(topic == TOPIC, "another topic", 400, "TopicDisallowed")?;
        let kind = received.header("apns-push-type");
        require(kind == "alert", "not an alert", 400, "InvalidPushType")?;
        let priority = received.header("apns-priority");
        require(["10", "5"].contains(&priority), "another priority", 400, "BadPriority")?;
        require(number("apns-expiration"), "no expiration", 400, "BadExpirationDate")?;
        let fits = collapse_id.len() <= COLLAPSE_ID_BYTES_MAX;
        require(fits, "a long collapse id", 400, "BadCollapseId")?;
        require(is_uuid(received.header("apns-id")), "apns-id is no UUID", 400, "BadMessageId")?;
        let alert = received.json().pointer("/aps/alert/title").and_then(Value::as_str).is_some();
        require(alert, "no alert", 400, "PayloadEmpty")?;
        let fits = received.body.len() <= PAYLOAD_BYTES_MAX;
        require(fits, "a long payload", 413, "PayloadTooLarge")
    }

    fn validate_token(&self, authorization: &str) -> Result<(), Rejection> {
        let invalid = ApnsRefusal::new(403, "InvalidProviderToken");
        let Some(text) = authorization.strip_prefix("bearer ") else {
            return Err(("no provider token", ApnsRefusal::new(403, "MissingProviderToken")));
        };
        let mut validation = Validation::new(Algorithm::ES256);
        // There is no `exp`; the age is checked by the clock of this fake.
        validation.validate_exp = false;
        validation.required_spec_claims.clear();
        let key = DecodingKey::from_ec_der(&keys::ec().public_der);
        let token = jsonwebtoken::decode::<SignedClaims>(text, &key, &validation)
            .map_err(|_| ("the provider token is not valid", invalid))?;
        if token.header.kid.as_deref() != Some(KEY) || token.claims.iss != TEAM {
            return Err(("another key or team", invalid));
        }
        let now = self.clock.now().0 / 1000;
        if token.claims.iat > now {
            return Err(("a provider token of the future", invalid));
        }
        if now - token.claims.iat > TOKEN_SECONDS_MAX {
            let refusal = ApnsRefusal::new(403, "ExpiredProviderToken");
            return Err(("an old provider token", refusal));
        }
        self.validate_token_update(text, now)
    }

    /// APNs accepts a new token at most every twenty minutes.
    fn validate_token_update(&self, text: &str, now: u64) -> Result<(), Rejection> {
        let mut last = self.last_token.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref() {
            Some((known, _)) if known == text => Ok(()),
            Some((_, since)) if now - since < TOKEN_UPDATE_SECONDS_MIN => {
                let refusal = ApnsRefusal::new(429, "TooManyProviderTokenUpdates");
                Err(("a new provider token too soon", refusal))
            }
            _ => {
                *last = Some((text.to_owned(), now));
                Ok(())
            }
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}
