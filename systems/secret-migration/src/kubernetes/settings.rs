//! How the interface of a cluster is reached: the settings group `Kubernetes`.

use serde::{Deserialize, Serialize};
use service::settings::{Secret, SettingsSection, SettingsValidator};

/// The settings of one cluster's interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default, deny_unknown_fields)]
pub struct KubernetesSettings {
    /// The name that the tracker gives the cluster; it is not scanned if this is empty.
    pub cluster: String,
    /// The address of its interface.
    pub address: String,
    /// The bearer token of the service account.
    pub token: Secret,
    /// A file with the token, which is read again every minute: clusters replace it. It holds nothing but the
    /// token, and wins over `Token`.
    pub token_file: String,
    /// A file with certificates to trust instead of those of the system, which is read again every minute.
    pub ca_file: String,
    /// Objects per page of a list.
    pub page_size: u32,
    /// Seconds after which a watch is ended and begun again.
    pub watch_seconds: u32,
}

impl Default for KubernetesSettings {
    fn default() -> Self {
        Self {
            cluster: String::new(),
            address: "https://kubernetes.default.svc".to_owned(),
            token: Secret::default(),
            token_file: String::new(),
            ca_file: String::new(),
            page_size: 500,
            watch_seconds: 290,
        }
    }
}

impl SettingsSection for KubernetesSettings {
    fn validate(&self, validator: &mut SettingsValidator) {
        validator.require_range("PageSize", self.page_size, 1..=5_000);
        // Below five minutes: `kube` refuses a watch that may outlive the time limit of common load balancers.
        validator.require_range("WatchSeconds", self.watch_seconds, 1..=294);
    }
}
