//! One push to one device over FCM.
//!
//! Owns the request and the second attempt with a new access token. Does not own any further attempt; the dispatcher
//! does.

use std::sync::Arc;

use client::Clock;
use jsonwebtoken::EncodingKey;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use tokio::sync::Mutex;

use super::access_token::{AccessToken, AccessTokens};
use super::answer::{Verdict, judge};
use super::message;
use crate::delivery::http;
use crate::delivery::pem;
use crate::delivery::settings::{FcmSettings, SettingsError, require, timeout};
use crate::delivery::words::{Push, PushResult};
use crate::words::Device;

/// The provider, ready to send.
pub(crate) struct Fcm {
    http: reqwest::Client,
    url: String,
    access_tokens: AccessTokens,
    clock: Arc<dyn Clock>,
}

impl Fcm {
    /// Checks the settings and gets ready; nothing is sent yet.
    pub(crate) fn open(
        settings: &FcmSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SettingsError> {
        require("Fcm:ProjectId", &settings.project_id)?;
        require("Fcm:ClientEmail", &settings.client_email)?;
        require("Fcm:PrivateKey", settings.private_key.expose())?;
        let endpoint = http::endpoint("Fcm:Endpoint", &settings.endpoint)?;
        http::endpoint("Fcm:TokenEndpoint", &settings.token_endpoint)?;
        let timeout = timeout("Fcm:TimeoutSeconds", settings.timeout_seconds)?;
        let key = EncodingKey::from_rsa_pem(pem::text(&settings.private_key).as_bytes());
        let key = key.map_err(|_| {
            let wrong = "is no RSA private key in PEM form; take `private_key` of the service account's file";
            SettingsError::new("Fcm:PrivateKey", wrong)
        })?;
        let trusting = |endpoint: &str| {
            http::trusting(http::builder(endpoint, timeout), "Fcm:CaFile", &settings.ca_file)
        };
        let client = trusting(endpoint)?;
        let token_client = trusting(&settings.token_endpoint)?;
        Ok(Self {
            http: http::build("Fcm:Endpoint", client)?,
            url: format!("{endpoint}/v1/projects/{}/messages:send", settings.project_id),
            access_tokens: AccessTokens {
                http: http::build("Fcm:TokenEndpoint", token_client)?,
                endpoint: settings.token_endpoint.clone(),
                client_email: settings.client_email.clone(),
                key,
                clock: Arc::clone(&clock),
                kept: Mutex::new(None),
            },
            clock,
        })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> PushResult {
        self.attempts(device, push).await.unwrap_or_else(|result| result)
    }

    /// Either side is the result; the error side is where it ends early.
    async fn attempts(&self, device: &Device, push: &Push) -> Result<PushResult, PushResult> {
        let now_seconds = self.clock.now().0 / 1000;
        let body =
            message::encode(push, device.push_token.secret(), now_seconds).map_err(|bytes| {
                PushResult::Permanent {
                    reason: format!("fcm: {bytes} bytes without any text are too many"),
                }
            })?;
        let first = self.access_tokens.current().await?;
        if let Verdict::Result(result) = self.attempt(&first, body.clone()).await? {
            return Ok(result);
        }
        let second = self.access_tokens.instead_of(&first).await?;
        Ok(match self.attempt(&second, body).await? {
            Verdict::Result(result) => result,
            Verdict::AccessTokenRefused => PushResult::Alarm {
                reason: "fcm: a new access token is refused too; check the service account"
                    .to_owned(),
            },
        })
    }

    async fn attempt(&self, token: &AccessToken, body: String) -> Result<Verdict, PushResult> {
        let bearer = http::sensitive(&format!("Bearer {}", token.text.expose()));
        let bearer = bearer.ok_or_else(|| PushResult::Alarm {
            reason: "fcm token endpoint: an access token that is no header value".to_owned(),
        })?;
        let response = self
            .http
            .post(&self.url)
            .header(AUTHORIZATION, bearer)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await
            .map_err(|error| http::unanswered("fcm", "Fcm", &error))?;
        let status = response.status().as_u16();
        let asked = http::retry_after(response.headers(), self.clock.as_ref());
        let body = match response.bytes().await {
            Ok(body) => body,
            // The status alone says that it was taken; a refusal is better heard again in full.
            Err(_) if (200..300).contains(&status) => bytes::Bytes::new(),
            Err(error) => return Err(http::unanswered("fcm", "Fcm", &error)),
        };
        Ok(judge(status, &body, asked))
    }
}
