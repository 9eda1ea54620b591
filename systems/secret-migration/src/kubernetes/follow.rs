//! Scanning a cluster once, and again after its changes.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use serde_json::Value;
use service::http::ShutdownSignal;
use tokio::sync::Notify;

use crate::error::Result;
use crate::migration::SecretMigration;
use crate::scan::ScanReport;

use super::api::KubernetesApi;
use super::resource::RESOURCES;
use super::watch::WatchedResource;

/// Changes come in bursts; the scan waits for the end of one.
const SETTLE: Duration = Duration::from_millis(500);
/// The pause between two watches of a resource.
const AGAIN: Duration = Duration::from_millis(50);
/// The pause after a failure, and before a resource that the cluster lacks is asked for again.
const RETRY: Duration = Duration::from_secs(5);

impl SecretMigration {
    /// Scans a cluster by its interface.
    ///
    /// # Errors
    /// Those of [`KubernetesApi::list_all`], before anything is written; those of [`SecretMigration::scan`].
    pub async fn scan_kubernetes(&self, api: &KubernetesApi, by: &str) -> Result<ScanReport> {
        let objects = api.list_all().await?;
        let mount = &self.core.settings.default_mount;
        self.scan(api.cluster(), &objects, mount, by).await
    }

    /// Scans a cluster now and after every change of it, until the stop signal.
    pub async fn follow_kubernetes(&self, api: &KubernetesApi, shutdown: &ShutdownSignal) {
        let resources = RESOURCES.map(WatchedResource::new);
        let changed = Notify::new();
        let watching = async {
            let mut watches: FuturesUnordered<_> =
                resources.iter().map(|resource| self.keep_up(api, resource, &changed)).collect();
            while watches.next().await.is_some() {}
        };
        let scanning = async {
            loop {
                changed.notified().await;
                self.core.environment.sleep(SETTLE).await;
                let Some(objects) = snapshot(&resources) else { continue };
                let mount = &self.core.settings.default_mount;
                if let Err(error) = self.scan(api.cluster(), &objects, mount, "scanner").await {
                    tracing::warn!(cluster = %api.cluster(), %error, "a scan failed");
                    self.core.environment.sleep(RETRY).await;
                    changed.notify_one();
                }
            }
        };
        tokio::select! {
            () = watching => {}
            () = scanning => {}
            () = shutdown.triggered() => {}
        }
    }

    /// Lists and watches one resource for ever.
    async fn keep_up(&self, api: &KubernetesApi, resource: &WatchedResource, changed: &Notify) {
        loop {
            let step = async {
                let listed = resource.list_if_lost(api).await?;
                if listed {
                    changed.notify_one();
                }
                if resource.is_listed() {
                    resource.watch(api, || changed.notify_one()).await?;
                    // An interface that ends every watch at once must not be asked without a pause.
                    self.core.environment.sleep(AGAIN).await;
                } else {
                    self.core.environment.sleep(RETRY).await;
                }
                Ok::<(), crate::error::Error>(())
            };
            if let Err(error) = step.await {
                tracing::warn!(cluster = %api.cluster(), %error, "a watch failed");
                self.core.environment.sleep(RETRY).await;
            }
        }
    }
}

/// All objects; `None` while a list that must be read is not there yet: half of a cluster would look vanished.
fn snapshot(resources: &[WatchedResource]) -> Option<Vec<Value>> {
    let mut objects = Vec::new();
    for resource in resources {
        if !resource.is_known() {
            return None;
        }
        objects.extend(resource.objects());
    }
    Some(objects)
}
