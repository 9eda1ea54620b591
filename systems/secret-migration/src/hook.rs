//! Web hooks: failures, rollbacks and the ends of waves, sent to an address of the operator.
//!
//! A call is tried three times in the background; a process that ends meanwhile may lose it. The audit has everything.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::Environment;
use ring::hmac;
use serde::{Deserialize, Serialize};
use serde_json::json;
use service::settings::{Secret, SettingsSection, SettingsValidator};

use crate::domain::UtcTimestamp;
use crate::error::{Error, Result};

const TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The header with the signature: HMAC-SHA-256 of the body, in base64.
const SIGNATURE: &str = "x-planisphere-signature";

/// The settings group `Hooks`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct HookSettings {
    /// Is called with POST; nothing is if it is empty.
    pub url: String,
    /// The key of the signature; calls are not signed if it is not set.
    pub secret: Secret,
    /// The body is a message for Slack, `{"text": ...}`.
    pub slack: bool,
}

/// The event that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookEvent {
    /// An attempt failed; another follows.
    #[serde(rename = "workload.failed")]
    WorkloadFailed,
    /// The last attempt failed; somebody has to look.
    #[serde(rename = "workload.held")]
    WorkloadHeld,
    /// It was switched back because it was not healthy.
    #[serde(rename = "workload.rolled-back")]
    WorkloadRolledBack,
    /// The stop rule has stopped a wave.
    #[serde(rename = "wave.stopped")]
    WaveStopped,
    /// A wave has nothing left to do.
    #[serde(rename = "wave.finished")]
    WaveFinished,
}

/// Calls the hook of the operator.
pub(crate) struct Hooks {
    settings: HookSettings,
    http: reqwest::Client,
    environment: Environment,
}

impl SettingsSection for HookSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        let is_web = self.url.is_empty() || self.url.starts_with("http");
        validator.require("Url", is_web, "an http or https address");
    }
}

impl Hooks {
    pub(crate) fn open(settings: HookSettings, environment: Environment) -> Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(10)).build();
        let http = http.map_err(|error| Error::invalid(format!("Hooks: {error}")))?;
        Ok(Self { settings, http, environment })
    }

    /// Sends an event in the background.
    pub(crate) fn notify(&self, event: HookEvent, subject: &str, reason: &str) {
        if self.settings.url.is_empty() {
            return;
        }
        let at = UtcTimestamp::now(&self.environment);
        let body = if self.settings.slack {
            let event = serde_json::to_value(event).unwrap_or_default();
            let event = event.as_str().unwrap_or_default();
            json!({ "text": format!("{event}: {subject} {reason}") })
        } else {
            json!({ "event": event, "subject": subject, "reason": reason, "at": at })
        };
        let body = body.to_string();
        let mut request = self.http.post(&self.settings.url);
        if self.settings.secret.is_set() {
            let secret = self.settings.secret.expose().as_bytes();
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), body.as_bytes());
            request = request.header(SIGNATURE, STANDARD.encode(tag));
        }
        let request = request.header("content-type", "application/json").body(body);
        let environment = self.environment.clone();
        self.environment.spawn(async move {
            for number in 0..TRIES {
                let Some(request) = request.try_clone() else { return };
                match request.send().await {
                    Ok(answer) if answer.status().is_success() => return,
                    Ok(answer) => {
                        tracing::warn!(status = answer.status().as_u16(), "a hook was refused");
                    }
                    Err(error) => {
                        tracing::warn!(error = %error.without_url(), "a hook was not reached");
                    }
                }
                environment.sleep(FIRST_PAUSE * 2_u32.pow(number)).await;
            }
        });
    }
}
