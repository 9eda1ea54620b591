//! Where the secrets of a namespace go: the document of `namespace_metadata`.

use serde::{Deserialize, Serialize};
use service::work::UtcTimestamp;

use super::name::{ClusterName, NamespaceName};

/// The `ttl` of a document that never expires.
const NEVER_EXPIRES: i64 = -1;

/// The mapping of a namespace to the new platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceMapping {
    /// `cluster:namespace`.
    pub id: String,
    /// The cluster, the partition key.
    #[schema(value_type = String)]
    pub cluster: ClusterName,
    /// The namespace.
    #[schema(value_type = String)]
    pub namespace: NamespaceName,
    /// The address of the platform, if it is not the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smp_address: Option<String>,
    /// The folder of the namespace on the platform.
    pub smp_path: String,
    /// Such as `prod`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// It was made for a test and goes away by itself.
    pub temporary: bool,
    /// When it was last synchronised. The time to live of a temporary one counts from here, because the store counts it
    /// from the last write and each synchronisation is one.
    #[schema(value_type = String)]
    pub synced_at: UtcTimestamp,
    /// When the cluster created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub source_created_at: Option<UtcTimestamp>,
    /// Seconds to live, or -1 for a permanent namespace: a synchronisation that stops for a day must not take the
    /// mappings of production with it.
    pub ttl: i64,
}

/// A mapping as a synchronisation or an operator states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MappingInput {
    /// The address of the platform, if it is not the configured one.
    #[serde(default)]
    pub smp_address: Option<String>,
    /// The folder of the namespace on the platform.
    pub smp_path: String,
    /// Such as `prod`.
    #[serde(default)]
    pub environment: Option<String>,
    /// It was made for a test and goes away by itself.
    #[serde(default)]
    pub temporary: bool,
    /// When the cluster created it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub source_created_at: Option<UtcTimestamp>,
}

impl NamespaceMapping {
    /// The id of the mapping of a namespace.
    #[must_use]
    pub fn id_of(cluster: &ClusterName, namespace: &NamespaceName) -> String {
        format!("{cluster}:{namespace}")
    }

    /// The document of a mapping that is synchronised now.
    #[must_use]
    pub fn new(
        cluster: &ClusterName,
        namespace: &NamespaceName,
        input: MappingInput,
        temporary_seconds: u32,
        now: UtcTimestamp,
    ) -> Self {
        Self {
            id: Self::id_of(cluster, namespace),
            cluster: cluster.clone(),
            namespace: namespace.clone(),
            smp_address: input.smp_address,
            smp_path: input.smp_path,
            environment: input.environment,
            temporary: input.temporary,
            synced_at: now,
            source_created_at: input.source_created_at,
            ttl: if input.temporary { i64::from(temporary_seconds) } else { NEVER_EXPIRES },
        }
    }

    /// The path on the platform for a path in Vault. The mount is part of it: two mounts may have the same path.
    #[must_use]
    pub fn target_path(&self, mount: &str, path: &str) -> String {
        format!("{}/{mount}/{path}", self.smp_path.trim_matches('/'))
    }
}

impl MappingInput {
    /// What is wrong with it: the field and the rule.
    #[must_use]
    pub fn invalid_field(&self) -> Option<(&'static str, String)> {
        let path = self.smp_path.trim_matches('/');
        let is_wrong = |part: &str| part.is_empty() || part == "." || part == "..";
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if path.is_empty() || path.split('/').any(is_wrong) || !path.chars().all(fits) {
            let shown: String = self.smp_path.chars().take(80).collect();
            return Some(("smpPath", format!("'{shown}' is no path such as apps/shop")));
        }
        let address = self.smp_address.as_deref().unwrap_or("https://");
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        (!is_web).then(|| ("smpAddress", format!("'{address}' is no http or https address")))
    }
}
