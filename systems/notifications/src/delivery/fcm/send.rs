//! One push to one device over FCM.
//!
//! Owns the request and the second try with a new access token. Does not retry otherwise; the dispatcher does.

use std::sync::Arc;

use client::Clock;
use jsonwebtoken::EncodingKey;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use service::settings::ProviderSettingsError;

use super::access_token::{AccessToken, AccessTokens};
use super::message;
use super::response::{FcmResponse, interpret};
use crate::delivery::http;
use crate::delivery::pem;
use crate::delivery::push::{DeliveryResult, Push};
use crate::delivery::settings::{FcmSettings, require, timeout};
use crate::domain::Device;

/// The FCM provider.
pub(crate) struct FcmProvider {
    http: reqwest::Client,
    url: String,
    access_tokens: AccessTokens,
    clock: Arc<dyn Clock>,
}

impl FcmProvider {
    /// Validates the settings. Nothing is sent yet.
    pub(crate) fn open(
        settings: &FcmSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ProviderSettingsError> {
        require("Fcm:ProjectId", &settings.project_id)?;
        require("Fcm:ClientEmail", &settings.client_email)?;
        require("Fcm:PrivateKey", settings.private_key.expose())?;
        let endpoint = http::parse_endpoint("Fcm:Endpoint", &settings.endpoint)?;
        http::parse_endpoint("Fcm:TokenEndpoint", &settings.token_endpoint)?;
        let timeout = timeout("Fcm:TimeoutSeconds", settings.timeout_seconds)?;
        let key =
            EncodingKey::from_rsa_pem(pem::unescape_newlines(&settings.private_key).as_bytes());
        let key = key.map_err(|_| {
            let wrong = "is not an RSA private key in PEM form; use `private_key` of the service account's file";
            ProviderSettingsError::new("Fcm:PrivateKey", wrong)
        })?;
        let build = |endpoint: &str| {
            http::trust_ca_file(http::builder(endpoint, timeout), "Fcm:CaFile", &settings.ca_file)
        };
        let client = build(endpoint)?;
        let token_client = build(&settings.token_endpoint)?;
        let token_client = http::build("Fcm:TokenEndpoint", token_client)?;
        Ok(Self {
            http: http::build("Fcm:Endpoint", client)?,
            url: format!("{endpoint}/v1/projects/{}/messages:send", settings.project_id),
            access_tokens: AccessTokens::new(settings, token_client, key, Arc::clone(&clock)),
            clock,
        })
    }

    pub(crate) async fn push(&self, device: &Device, push: &Push) -> DeliveryResult {
        self.try_push(device, push).await.unwrap_or_else(|result| result)
    }

    /// Both sides of the `Result` are the result of the push; the error side ends early, with `?`.
    async fn try_push(
        &self,
        device: &Device,
        push: &Push,
    ) -> Result<DeliveryResult, DeliveryResult> {
        let now_seconds = self.clock.now().0 / 1000;
        let body =
            message::encode(push, device.push_token.secret(), now_seconds).map_err(|bytes| {
                DeliveryResult::Permanent {
                    reason: format!("fcm: {bytes} bytes without any text are more than allowed"),
                }
            })?;
        let first = self.access_tokens.current().await?;
        if let FcmResponse::Result(result) = self.try_token(&first, body.clone()).await? {
            return Ok(result);
        }
        // Names the refused token: of several pushes that fail together, only one requests a new token.
        let second = self.access_tokens.replace_refused(&first).await?;
        Ok(match self.try_token(&second, body).await? {
            FcmResponse::Result(result) => result,
            FcmResponse::AccessTokenRefused => DeliveryResult::Alarm {
                reason: "fcm: a new access token is refused too; check the service account"
                    .to_owned(),
            },
        })
    }

    async fn try_token(
        &self,
        token: &AccessToken,
        body: String,
    ) -> Result<FcmResponse, DeliveryResult> {
        // Marked as sensitive, so that no log of the HTTP client contains it.
        let bearer = http::sensitive_header(&format!("Bearer {}", token.expose()));
        let bearer = bearer.ok_or_else(|| DeliveryResult::Alarm {
            reason: "fcm token endpoint: an access token that is not a header value".to_owned(),
        })?;
        let response = self
            .http
            .post(&self.url)
            .header(AUTHORIZATION, bearer)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send()
            .await
            .map_err(|error| http::no_response("fcm", "Fcm", &error))?;
        let status = response.status().as_u16();
        let retry_after = http::retry_after(response.headers(), self.clock.as_ref());
        let body = match response.bytes().await {
            Ok(body) => body,
            // The status alone says that it was accepted. A refusal has to be read in full, so it is tried again.
            Err(_) if (200..300).contains(&status) => bytes::Bytes::new(),
            Err(error) => return Err(http::no_response("fcm", "Fcm", &error)),
        };
        Ok(interpret(status, &body, retry_after))
    }
}
