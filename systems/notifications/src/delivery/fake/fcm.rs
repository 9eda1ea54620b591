//! A fake FCM: the token endpoint and the endpoint for messages. It validates the requests to both.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use client::Clock;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http_message::{FakeResponse, ReceivedRequest};
use super::keys;
use super::script::{Script, ScriptedFault};
use super::server::{FakeEndpoint, FakeServer, ServerAction, respond_by_script};
use crate::delivery::settings::FcmSettings;
use service::settings::Secret;

const PROJECT: &str = "demo-project";
const ACCOUNT: &str = "sender@demo-project.iam.gserviceaccount.com";
const TOKEN_PATH: &str = "/token";
const SCOPE: &str = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT: &str = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer";
const ACCESS_TOKEN_SECONDS: u64 = 3599;
const ASSERTION_SECONDS_MAX: u64 = 3600;
const PAYLOAD_BYTES_MAX: usize = 4096;

/// A running fake FCM; it stops when it is dropped.
pub struct FakeFcm {
    server: FakeServer,
    endpoint: Arc<FcmSite>,
}

/// How FCM refuses a message, with the status and the body of the real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FcmRefusal {
    /// 404: the token is no longer valid.
    Unregistered,
    /// 400: the token is malformed.
    InvalidToken,
    /// 400: something else in the message.
    InvalidArgument,
    /// 403: the token is of another sender.
    SenderIdMismatch,
    /// 429, with a wait in seconds or without.
    QuotaExceeded(Option<u64>),
    /// 500.
    Internal,
    /// 503, with a wait in seconds or without.
    Unavailable(Option<u64>),
    /// 401: the credentials of FCM for APNs or web push are wrong.
    ThirdPartyAuth,
    /// 401 without a code of FCM: the access token is refused.
    Unauthenticated,
    /// 403 without a code of FCM: the account may not send.
    PermissionDenied,
}

impl FakeFcm {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let endpoint = Arc::new(FcmSite {
            clock,
            messages: Script::default(),
            tokens: Script::default(),
            access_tokens: Mutex::default(),
        });
        let server = FakeServer::start(Arc::clone(&endpoint) as Arc<dyn FakeEndpoint>).await?;
        Ok(Self { server, endpoint })
    }

    /// Settings that direct pushes to this server.
    #[must_use]
    pub fn settings(&self) -> FcmSettings {
        FcmSettings {
            project_id: PROJECT.to_owned(),
            client_email: ACCOUNT.to_owned(),
            private_key: Secret::new(&keys::rsa().private_pem),
            endpoint: self.server.url(),
            token_endpoint: format!("{}{TOKEN_PATH}", self.server.url()),
            ..FcmSettings::default()
        }
    }

    /// The script and the records of the endpoint for messages; a target is a push token, the collapse id is the tag.
    #[must_use]
    pub fn messages(&self) -> &Script {
        &self.endpoint.messages
    }

    /// The script and the records of the token endpoint; the target is the account.
    #[must_use]
    pub fn tokens(&self) -> &Script {
        &self.endpoint.tokens
    }
}

impl From<FcmRefusal> for ScriptedFault {
    fn from(refusal: FcmRefusal) -> Self {
        Self::Respond(refusal.response())
    }
}

struct FcmSite {
    clock: Arc<dyn Clock>,
    messages: Script,
    tokens: Script,
    /// The access tokens with their expiry, in seconds.
    access_tokens: Mutex<BTreeMap<String, u64>>,
}

#[derive(Deserialize)]
struct SignedAssertion {
    iss: String,
    scope: String,
    aud: String,
    iat: u64,
    exp: u64,
}

#[async_trait]
impl FakeEndpoint for FcmSite {
    async fn handle(&self, received: ReceivedRequest) -> ServerAction {
        if received.path == TOKEN_PATH {
            return self.grant(received).await;
        }
        let message = received.json().get("message").cloned().unwrap_or_default();
        let token = text(&message, "/token").to_owned();
        let rejection = self.validate_message(&received, &message);
        let tag = text(&message, "/android/notification/tag").to_owned();
        let accept = || {
            let name = |number| format!("projects/{PROJECT}/messages/{number}");
            let name = self.messages.accept(&token, &tag, name);
            FakeResponse::json(200, &json!({ "name": name }))
        };
        respond_by_script(&self.messages, received, &token, rejection, accept).await
    }
}

impl FcmSite {
    async fn grant(&self, received: ReceivedRequest) -> ServerAction {
        let rejection = self.validate_assertion(&received).err().map(|sentence| {
            let body = json!({ "error": "invalid_grant", "error_description": sentence });
            (sentence, FakeResponse::json(400, &body))
        });
        let accept = || {
            let token = self.tokens.accept(ACCOUNT, "", |number| format!("access-{number}"));
            let ends_at = self.now_seconds() + ACCESS_TOKEN_SECONDS;
            self.access_tokens().insert(token.clone(), ends_at);
            let body = json!({
                "access_token": token,
                "expires_in": ACCESS_TOKEN_SECONDS,
                "token_type": "Bearer",
            });
            FakeResponse::json(200, &body)
        };
        respond_by_script(&self.tokens, received, ACCOUNT, rejection, accept).await
    }

    fn validate_assertion(&self, received: &ReceivedRequest) -> Result<(), String> {
        let body = std::str::from_utf8(&received.body).unwrap_or_default();
        let is_form = received.header("content-type") == "application/x-www-form-urlencoded";
        let Some((GRANT, assertion)) = body.split_once("&assertion=").filter(|_| is_form) else {
            return Err(format!("not a form with {GRANT} and an assertion"));
        };
        let mut validation = Validation::new(Algorithm::RS256);
        // The claims of time are checked below, by the clock of this fake.
        validation.validate_exp = false;
        validation.validate_aud = false;
        let key = DecodingKey::from_rsa_der(&keys::rsa().public_der);
        let claims = jsonwebtoken::decode::<SignedAssertion>(assertion, &key, &validation)
            .map_err(|error| format!("the assertion is not valid: {error}"))?
            .claims;
        // A test may have put TLS in front of this server, so both schemes are valid.
        let host = received.header("host");
        let audiences = ["http", "https"].map(|scheme| format!("{scheme}://{host}{TOKEN_PATH}"));
        let now = self.now_seconds();
        let checks = [
            (claims.iss == ACCOUNT, "iss is not the account"),
            (claims.scope.split(' ').any(|scope| scope == SCOPE), "scope is not messaging"),
            (audiences.contains(&claims.aud), "aud is not this endpoint"),
            (claims.iat <= now && now < claims.exp, "iat and exp do not enclose now"),
            (claims.exp - claims.iat <= ASSERTION_SECONDS_MAX, "more than an hour"),
        ];
        match checks.iter().find(|(holds, _)| !holds) {
            Some((_, sentence)) => Err((*sentence).to_owned()),
            None => Ok(()),
        }
    }

    fn validate_message(
        &self,
        received: &ReceivedRequest,
        message: &Value,
    ) -> Option<(String, FakeResponse)> {
        if received.method != "POST"
            || received.path != format!("/v1/projects/{PROJECT}/messages:send")
        {
            return Some(("not the path of messages".to_owned(), FakeResponse::status(404)));
        }
        if !self.is_access_token_valid(received.header("authorization")) {
            let response = FcmRefusal::Unauthenticated.response();
            return Some((
                "not an access token of this endpoint, or an expired one".to_owned(),
                response,
            ));
        }
        let sentence = find_violation(message)?;
        Some((sentence, FcmRefusal::InvalidArgument.response()))
    }

    fn is_access_token_valid(&self, authorization: &str) -> bool {
        let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
        let now = self.now_seconds();
        self.access_tokens().get(token).is_some_and(|ends_at| *ends_at > now)
    }

    fn access_tokens(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.access_tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_seconds(&self) -> u64 {
        self.clock.now().0 / 1000
    }
}

/// What is wrong with the message itself.
fn find_violation(message: &Value) -> Option<String> {
    let mut rest = message.clone();
    let members = rest.as_object_mut()?;
    // The token is not part of the size that FCM limits.
    let token = members.remove("token").unwrap_or_default();
    let bytes = rest.to_string().len();
    let data = message.get("data").and_then(Value::as_object);
    let is_reserved =
        |name: &String| name == "from" || name == "message_type" || name.starts_with("google");
    let names = ["token", "notification", "data", "android", "apns"];
    let is_known = |name: &String| names.contains(&name.as_str());
    let seconds = text(message, "/android/ttl").strip_suffix('s').unwrap_or_default();
    let checks = [
        (token.as_str().is_some_and(|token| !token.is_empty()), "no token".to_owned()),
        (bytes <= PAYLOAD_BYTES_MAX, format!("{bytes} bytes")),
        (message.as_object()?.keys().all(is_known), "an unknown member".to_owned()),
        (data.is_some_and(|data| data.values().all(Value::is_string)), "data not texts".to_owned()),
        (data.is_some_and(|data| !data.keys().any(is_reserved)), "a reserved name".to_owned()),
        (!text(message, "/notification/title").is_empty(), "no title".to_owned()),
        (["HIGH", "NORMAL"].contains(&text(message, "/android/priority")), "priority".to_owned()),
        (seconds.parse::<u64>().is_ok(), "ttl without s".to_owned()),
    ];
    checks.into_iter().find(|(holds, _)| !holds).map(|(_, sentence)| sentence)
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

impl FcmRefusal {
    /// The response, in the form of the real endpoint.
    #[must_use]
    pub fn response(self) -> FakeResponse {
        let (status, name, code) = match self {
            Self::Unregistered => (404, "NOT_FOUND", "UNREGISTERED"),
            Self::InvalidToken | Self::InvalidArgument => {
                (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
            }
            Self::SenderIdMismatch => (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
            Self::QuotaExceeded(_) => (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
            Self::Internal => (500, "INTERNAL", "INTERNAL"),
            Self::Unavailable(_) => (503, "UNAVAILABLE", "UNAVAILABLE"),
            Self::ThirdPartyAuth => (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
            Self::Unauthenticated => (401, "UNAUTHENTICATED", ""),
            Self::PermissionDenied => (403, "PERMISSION_DENIED", ""),
        };
        let mut details = Vec::new();
        if !code.is_empty() {
            let kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
            details.push(json!({ "@type": kind, "errorCode": code }));
        }
        let field = match self {
            Self::InvalidToken => Some("message.token"),
            Self::InvalidArgument => Some("message.data"),
            _ => None,
        };
        if let Some(field) = field {
            let kind = "type.googleapis.com/google.rpc.BadRequest";
            let violation = json!({ "field": field, "description": "refused by the script" });
            details.push(json!({ "@type": kind, "fieldViolations": [violation] }));
        }
        let error = json!({ "code": status, "message": name, "status": name, "details": details });
        let reply = FakeResponse::json(status, &json!({ "error": error }));
        match self {
            Self::QuotaExceeded(Some(seconds)) | Self::Unavailable(Some(seconds)) => {
                reply.header("retry-after", &seconds.to_string())
            }
            _ => reply,
        }
    }
}
