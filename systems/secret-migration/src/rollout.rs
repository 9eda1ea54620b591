//! What happens around the switch on the side of the workload: a restart, and whether it is healthy afterwards.
//!
//! Owns the trait, the rollout that does nothing, and the one that calls web hooks.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::domain::{SecretBackend, WorkloadKey};

/// Whether a workload is healthy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RolloutHealth {
    /// It is.
    Healthy,
    /// Nobody knows yet.
    Waiting,
    /// It is not, and waiting does not help.
    Failing(String),
}

/// Restarts workloads and knows whether they are healthy.
#[async_trait]
pub trait Rollout: Send + Sync {
    /// Makes the workload take up its secrets from the backend. `change` is the same when the same switch is triggered
    /// again by another worker, so that a restart can be made once.
    ///
    /// # Errors
    /// Why it cannot be triggered.
    async fn trigger(
        &self,
        workload: &WorkloadKey,
        backend: SecretBackend,
        change: u64,
    ) -> Result<(), String>;

    /// Whether the workload is healthy.
    async fn health(&self, workload: &WorkloadKey) -> RolloutHealth;
}

/// Workloads notice the switch by themselves (resolver, agent); nothing is restarted, and all are taken for healthy.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRollout;

#[async_trait]
impl Rollout for NoRollout {
    async fn trigger(&self, _: &WorkloadKey, _: SecretBackend, _: u64) -> Result<(), String> {
        Ok(())
    }

    async fn health(&self, _: &WorkloadKey) -> RolloutHealth {
        RolloutHealth::Healthy
    }
}

/// The settings group `Rollout`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct RolloutSettings {
    /// Is called with POST after the switch; nothing is if it is empty.
    pub trigger_url: String,
    /// Is asked with GET until it answers 200 (healthy) or 500 (failing); nothing is if it is empty.
    pub health_url: String,
}

/// Calls web hooks. `{cluster}`, `{namespace}` and `{name}` in an address stand for the workload.
#[derive(Clone, Debug)]
pub struct HookRollout {
    settings: RolloutSettings,
    client: reqwest::Client,
}

impl HookRollout {
    /// With these addresses.
    #[must_use]
    pub fn new(settings: RolloutSettings, client: reqwest::Client) -> Self {
        Self { settings, client }
    }
}

fn fill(template: &str, workload: &WorkloadKey) -> String {
    template
        .replace("{cluster}", workload.cluster.as_str())
        .replace("{namespace}", workload.namespace.as_str())
        .replace("{name}", workload.name.as_str())
}

#[async_trait]
impl Rollout for HookRollout {
    async fn trigger(
        &self,
        workload: &WorkloadKey,
        backend: SecretBackend,
        change: u64,
    ) -> Result<(), String> {
        if self.settings.trigger_url.is_empty() {
            return Ok(());
        }
        let body = serde_json::json!({
            "cluster": workload.cluster, "namespace": workload.namespace,
            "workload": workload.name, "backend": backend, "change": change,
        });
        let url = fill(&self.settings.trigger_url, workload);
        let sent = self.client.post(url).json(&body).send().await;
        let status = sent.map_err(|error| error.without_url().to_string())?.status();
        if status.is_success() { Ok(()) } else { Err(format!("the hook answers {status}")) }
    }

    async fn health(&self, workload: &WorkloadKey) -> RolloutHealth {
        if self.settings.health_url.is_empty() {
            return RolloutHealth::Healthy;
        }
        match self.client.get(fill(&self.settings.health_url, workload)).send().await {
            Ok(answer) if answer.status() == reqwest::StatusCode::OK => RolloutHealth::Healthy,
            Ok(answer) if answer.status() == reqwest::StatusCode::INTERNAL_SERVER_ERROR => {
                RolloutHealth::Failing("the health hook answers 500".to_owned())
            }
            _ => RolloutHealth::Waiting,
        }
    }
}
