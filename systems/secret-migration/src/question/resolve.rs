//! What a workload asks: which backend, which paths. With an etag, and a wait for the next change.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest;
use serde::{Deserialize, Serialize};

use crate::domain::{SecretBackend, TrackedWorkload, WorkloadKey};
use crate::error::Result;
use crate::migration::SecretMigration;

/// Where a workload gets its secrets from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedSecrets {
    /// The backend.
    #[schema(value_type = String)]
    pub backend: SecretBackend,
    /// The address of the backend, if it is not the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The paths there.
    pub paths: Vec<ResolvedSecretPath>,
    /// Changes when anything above does, and not when only the status does.
    pub etag: String,
}

/// One path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedSecretPath {
    /// The path, with the mount in Vault.
    pub path: String,
    /// The keys.
    pub keys: Vec<String>,
}

impl ResolvedSecrets {
    fn of(workload: &TrackedWorkload) -> Self {
        let backend = workload.secret_backend;
        let (address, paths): (_, Vec<ResolvedSecretPath>) = match (backend, &workload.smp_secrets)
        {
            (SecretBackend::Smp, Some(secrets)) => {
                let paths = secrets.items.iter().map(|item| ResolvedSecretPath {
                    path: item.path.clone(),
                    keys: item.keys.clone(),
                });
                (secrets.address.clone(), paths.collect())
            }
            _ => {
                let secrets = &workload.hashi_secrets;
                let paths = secrets.items.iter().map(|item| ResolvedSecretPath {
                    path: format!("{}/{}", secrets.mount_of(item), item.path),
                    keys: item.keys.clone(),
                });
                (secrets.address.clone(), paths.collect())
            }
        };
        let text = serde_json::to_string(&(
            backend,
            &address,
            &paths.iter().map(|p| (&p.path, &p.keys)).collect::<Vec<_>>(),
        ));
        let digest = digest::digest(&digest::SHA256, text.unwrap_or_default().as_bytes());
        let etag = URL_SAFE_NO_PAD.encode(digest.as_ref().get(..12).unwrap_or_default());
        Self { backend, address, paths, etag: format!("\"{etag}\"") }
    }
}

impl SecretMigration {
    /// Where a workload gets its secrets from.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn resolve(&self, key: &WorkloadKey) -> Result<ResolvedSecrets> {
        Ok(ResolvedSecrets::of(self.core.read_workload(key).await?.workload()))
    }

    /// The same, as soon as its etag is another one; `None` if the time passes without a change.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn resolve_change(
        &self,
        key: &WorkloadKey,
        known: &str,
        wait: Duration,
    ) -> Result<Option<ResolvedSecrets>> {
        let environment = &self.core.environment;
        let begin = environment.stopwatch();
        // Before the first look: a write between the look and the wait then ends the wait at once.
        let mut listener = self.core.watch.listen();
        loop {
            let resolved = self.resolve(key).await?;
            if resolved.etag != known {
                return Ok(Some(resolved));
            }
            if environment.stopwatch().saturating_sub(begin) >= wait {
                return Ok(None);
            }
            listener.next_look().await;
        }
    }
}
