//! Mappings of namespaces, the clusters that are known, and how fresh their mappings are.

use client::Query;
use serde::{Deserialize, Serialize};

use crate::domain::{ClusterName, NamespaceMapping, NamespaceName, UtcTimestamp};
use crate::error::{Error, ErrorKind, Result};
use crate::migration::SecretMigration;
use crate::store::read_if_there;

/// The clusters that were scanned or synchronised, in one document.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ClusterList {
    pub(crate) id: String,
    pub(crate) clusters: Vec<ClusterName>,
}

/// When the mappings of a cluster were last complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyncMark {
    pub(crate) id: String,
    pub(crate) last_full_sync_at: UtcTimestamp,
}

pub(crate) const CLUSTER_LIST: &str = "clusters";

impl SyncMark {
    pub(crate) fn id_of(cluster: &ClusterName) -> String {
        format!("sync:{cluster}")
    }
}

impl SecretMigration {
    /// The mapping of a namespace: a point read.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn mapping(
        &self,
        cluster: &ClusterName,
        namespace: &NamespaceName,
    ) -> Result<NamespaceMapping> {
        Ok(self.charged_mapping(cluster, namespace).await?.0)
    }

    /// The same, with its request charge.
    ///
    /// # Errors
    /// `NotFound`; those of the account.
    pub async fn charged_mapping(
        &self,
        cluster: &ClusterName,
        namespace: &NamespaceName,
    ) -> Result<(NamespaceMapping, f64)> {
        let id = NamespaceMapping::id_of(cluster, namespace);
        let namespaces = &self.core.containers.namespaces;
        match read_if_there(namespaces, &cluster.partition_key(), &id).await? {
            Some(read) => Ok((read.value.into_value(), read.charge)),
            None => Err(Error::not_found(format!(
                "the namespace {namespace} of {cluster} has no mapping"
            ))),
        }
    }

    /// All mappings of a cluster.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn mappings(&self, cluster: &ClusterName) -> Result<Vec<NamespaceMapping>> {
        let query = Query::text("SELECT * FROM c").within(cluster.partition_key());
        Ok(self.core.containers.namespaces.query(&query).await?.value)
    }

    /// The mappings of a namespace in every cluster. It asks all partitions: whoever knows the cluster uses
    /// [`Self::mapping`].
    ///
    /// # Errors
    /// Those of the account.
    pub async fn mappings_of(&self, namespace: &NamespaceName) -> Result<Vec<NamespaceMapping>> {
        let query = Query::text("SELECT * FROM c WHERE c.namespace = @namespace")
            .parameter("@namespace", namespace.as_str())
            .fan_out("the cluster of the namespace is not known");
        Ok(self.core.containers.namespaces.query(&query).await?.value)
    }

    /// The clusters that were scanned or synchronised.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn clusters(&self) -> Result<Vec<ClusterName>> {
        let leases = &self.core.containers.leases;
        let list = read_if_there::<ClusterList>(leases, &CLUSTER_LIST.into(), CLUSTER_LIST).await?;
        Ok(list.map(|read| read.value.into_value().clusters).unwrap_or_default())
    }

    /// Why the mappings of a cluster cannot be relied on; `None` while they can.
    ///
    /// # Errors
    /// Those of the account.
    pub async fn stale_mapping(&self, cluster: &ClusterName) -> Result<Option<String>> {
        let (leases, id) = (&self.core.containers.leases, SyncMark::id_of(cluster));
        let mark = read_if_there::<SyncMark>(leases, &id.as_str().into(), &id).await?;
        let Some(mark) = mark else {
            return Ok(Some(format!(
                "stale mapping: the namespaces of {cluster} were never synchronised"
            )));
        };
        let last = mark.value.value.last_full_sync_at;
        let is_stale = self.core.now().since(last) > self.core.settings.mapping_age_max();
        Ok(is_stale.then(|| {
            format!("stale mapping: the namespaces of {cluster} were last synchronised at {last}")
        }))
    }

    /// The mapping for a migration.
    pub(crate) async fn require_mapping(
        &self,
        cluster: &ClusterName,
        namespace: &NamespaceName,
    ) -> Result<NamespaceMapping> {
        self.mapping(cluster, namespace).await.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(ErrorKind::MappingMissing, error.to_string()),
            _ => error,
        })
    }
}
