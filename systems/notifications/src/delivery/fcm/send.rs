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
use super::message;
use super::response::{FcmResponse, interpret};
use crate::delivery::http;
use crate::delivery::pem;
use crate::delivery::push::{Push, PushResult};
use crate::delivery::settings::{FcmSettings, ProviderSettingsError, require, timeout};
use crate::domain::Device;

/// The provider, ready to send.
pub(crate) struct FcmProvider {
    http: reqwest::Client,
    url: String,
    access_tokens: AccessTokens,
    clock: Arc<dyn Clock>,
}

impl FcmProvider {
    /// Checks the settings and gets ready; nothing is sent yet.
    pub(crate) fn open(
        settings: &FcmSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("FcmProvider:ProjectId", &settings.project_id)?;
        require("FcmProvider:ClientEmail", &settings.client_email)?;
        require("FcmProvider:PrivateKey", settings.private_key.expose())?;
        let endpoint = http::parse_endpoint("FcmProvider:Endpoint", &settings.endpoint)?;
        http::parse_endpoint("FcmProvider:TokenEndpoint", &settings.token_endpoint)?;
        let timeout = timeout("FcmProvider:TimeoutSeconds", settings.timeout_seconds)?;
        let key =
            EncodingKey::from_rsa_pem(pem::unescape_newlines(&settings.private_key).as_bytes());
        let key = key.map_err(|_| {
            let wrong = "is no RSA private key in PEM form; take `private_key` of the service account's file";
            ProviderSettingsError::new("FcmProvider:PrivateKey", wrong)
        })?;
        let trusting = |endpoint: &str| {
            http::trust_ca_file(
                http::builder(endpoint, timeout),
                "FcmProvider:CaFile",
                &settings.ca_file,
            )
        };
        let client = trusting(endpoint)?;
        let token_client = trusting(&settings.token_endpoint)?;
        Ok(Self {
            http: http::build("FcmProvider:Endpoint", client)?,
            url: format!("{endpoint}/v1/projects/{}/messages:send", settings.project_id),
            access_tokens: AccessTokens {
                http: http::build("FcmProvider:TokenEndpoint", token_client)?,
                endpoint: settings.token_endpoint.clone(),
                client_email: settings.client_email.clone(),
                key,
                clock: Arc::clone(&clock),
                cached: Mutex::new(None),
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
        if let FcmResponse::Result(result) = self.attempt(&first, body.clone()).await? {
            return Ok(result);
        }
        let second = self.access_tokens.replace_refused(&first).await?;
        Ok(match self.attempt(&second, body).await? {
            FcmResponse::Result(result) => result,
            FcmResponse::AccessTokenRefused => PushResult::Alarm {
                reason: "fcm: a new access token is refused too; check the service account"
                    .to_owned(),
            },
        })
    }

    async fn attempt(&self, token: &AccessToken, body: String) -> Result<FcmResponse, PushResult> {
        let bearer = http::sensitive_header(&format!("Bearer {}", token.text.expose()));
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
            .map_err(|error| http::no_response("fcm", "FcmProvider", &error))?;
        let status = response.status().as_u16();
        let asked = http::retry_after(response.headers(), self.clock.as_ref());
        let body = match response.bytes().await {
            Ok(body) => body,
            // The status alone says that it was taken; a refusal is better heard again in full.
            Err(_) if (200..300).contains(&status) => bytes::Bytes::new(),
            Err(error) => return Err(http::no_response("fcm", "FcmProvider", &error)),
        };
        Ok(interpret(status, &body, asked))
    }
}
