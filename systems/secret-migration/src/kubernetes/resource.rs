//! The resources that a scan needs: those that run pods, those that name secrets, and namespaces.

/// A resource of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KubernetesResource {
    /// Its path below the address.
    pub(super) path: &'static str,
    /// Its version and kind, which objects in lists do not have.
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    /// A cluster may be without it.
    pub(super) is_optional: bool,
}

const fn own(
    path: &'static str,
    api_version: &'static str,
    kind: &'static str,
) -> KubernetesResource {
    KubernetesResource { path, api_version, kind, is_optional: false }
}

const fn added(
    path: &'static str,
    api_version: &'static str,
    kind: &'static str,
) -> KubernetesResource {
    KubernetesResource { path, api_version, kind, is_optional: true }
}

const CSI: &str = "secrets-store.csi.x-k8s.io/v1";
const EXTERNAL: &str = "external-secrets.io/v1";
const EXTERNAL_OLD: &str = "external-secrets.io/v1beta1";
const OPERATOR: &str = "secrets.hashicorp.com/v1beta1";

pub(super) const RESOURCES: [KubernetesResource; 15] = [
    own("api/v1/namespaces", "v1", "Namespace"),
    own("apis/apps/v1/deployments", "apps/v1", "Deployment"),
    own("apis/apps/v1/statefulsets", "apps/v1", "StatefulSet"),
    own("apis/apps/v1/daemonsets", "apps/v1", "DaemonSet"),
    own("apis/batch/v1/cronjobs", "batch/v1", "CronJob"),
    own("apis/batch/v1/jobs", "batch/v1", "Job"),
    added("apis/secrets-store.csi.x-k8s.io/v1/secretproviderclasses", CSI, "SecretProviderClass"),
    added("apis/external-secrets.io/v1/externalsecrets", EXTERNAL, "ExternalSecret"),
    added("apis/external-secrets.io/v1beta1/externalsecrets", EXTERNAL_OLD, "ExternalSecret"),
    added("apis/external-secrets.io/v1/secretstores", EXTERNAL, "SecretStore"),
    added("apis/external-secrets.io/v1beta1/secretstores", EXTERNAL_OLD, "SecretStore"),
    added("apis/external-secrets.io/v1/clustersecretstores", EXTERNAL, "ClusterSecretStore"),
    added(
        "apis/external-secrets.io/v1beta1/clustersecretstores",
        EXTERNAL_OLD,
        "ClusterSecretStore",
    ),
    added("apis/secrets.hashicorp.com/v1beta1/vaultstaticsecrets", OPERATOR, "VaultStaticSecret"),
    added("apis/secrets.hashicorp.com/v1beta1/vaultdynamicsecrets", OPERATOR, "VaultDynamicSecret"),
];
