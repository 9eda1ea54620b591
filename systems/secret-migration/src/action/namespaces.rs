//! Mappings of namespaces: one by an operator, or all of a cluster by a synchronisation.

use crate::domain::{ClusterName, MappingInput, NamespaceMapping, NamespaceName};
use crate::error::{Error, Result};
use crate::migration::SecretMigration;
use crate::question::{CLUSTER_LIST, ClusterList, SyncMark};

impl SecretMigration {
    /// Writes the mapping of a namespace for a person, whom the audit names. Each write renews the life of a temporary
    /// one.
    ///
    /// # Errors
    /// `Invalid` with the wrong field; those of the account.
    pub async fn put_mapping(
        &self,
        cluster: &ClusterName,
        namespace: &NamespaceName,
        input: MappingInput,
        by: &str,
    ) -> Result<NamespaceMapping> {
        let mapping = self.write_mapping(cluster, namespace, input).await?;
        let subject = format!("namespace:{namespace}");
        self.core.audit_action(cluster, subject, "put mapping", by).await;
        Ok(mapping)
    }

    async fn write_mapping(
        &self,
        cluster: &ClusterName,
        namespace: &NamespaceName,
        input: MappingInput,
    ) -> Result<NamespaceMapping> {
        if let Some((field, why)) = input.invalid_field() {
            return Err(Error::invalid_field(field, why));
        }
        let seconds = self.core.settings.namespace_ttl_seconds;
        let mapping = NamespaceMapping::new(cluster, namespace, input, seconds, self.core.now());
        self.core.containers.namespaces.upsert(&cluster.partition_key(), &mapping, None).await?;
        Ok(mapping)
    }

    /// Writes the mappings of all namespaces of a cluster, and notes that they are complete.
    ///
    /// # Errors
    /// `Invalid` with the wrong field, before anything is written; those of the account.
    pub async fn sync_namespaces(
        &self,
        cluster: &ClusterName,
        namespaces: Vec<(NamespaceName, MappingInput)>,
    ) -> Result<u64> {
        if let Some((field, why)) = namespaces.iter().find_map(|(_, input)| input.invalid_field()) {
            return Err(Error::invalid_field(field, why));
        }
        self.register_cluster(cluster).await?;
        let mut count = 0;
        for (namespace, input) in namespaces {
            self.write_mapping(cluster, &namespace, input).await?;
            count += 1;
        }
        // Last: a synchronisation that stops half-way must not count as complete.
        let id = SyncMark::id_of(cluster);
        let mark = SyncMark { id: id.clone(), last_full_sync_at: self.core.now() };
        self.core.containers.leases.upsert(&id.as_str().into(), &mark, None).await?;
        Ok(count)
    }

    /// Adds a cluster to the list of known ones.
    pub(crate) async fn register_cluster(&self, cluster: &ClusterName) -> Result<()> {
        if self.clusters().await?.contains(cluster) {
            return Ok(());
        }
        let leases = &self.core.containers.leases;
        let list = ClusterList { id: CLUSTER_LIST.to_owned(), clusters: Vec::new() };
        match leases.create(&CLUSTER_LIST.into(), &list).await {
            Ok(_) => {}
            Err(error) if error.kind() == client::ErrorKind::Conflict => {}
            Err(error) => return Err(error.into()),
        }
        leases
            .modify(&CLUSTER_LIST.into(), CLUSTER_LIST, |list: &mut ClusterList| {
                if !list.clusters.contains(cluster) {
                    list.clusters.push(cluster.clone());
                    list.clusters.sort();
                }
                Ok::<(), Error>(())
            })
            .await?;
        Ok(())
    }
}
