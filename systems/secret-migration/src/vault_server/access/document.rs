//! Reading and writing the documents of the container `vault_access`.

use client::{ErrorKind, Query};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::reply::VaultResult;
use super::super::server::VaultCore;

impl VaultCore {
    pub(crate) async fn read_access<T: DeserializeOwned>(
        &self,
        kind: &str,
        id: &str,
    ) -> VaultResult<Option<T>> {
        match self.containers.access.read::<T>(&kind.into(), id).await {
            Ok(read) => Ok(Some(read.value.into_value())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) async fn write_access<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        document: &T,
    ) -> VaultResult<()> {
        self.containers.access.upsert(&kind.into(), document, None).await?;
        Ok(())
    }

    pub(crate) async fn delete_access(&self, kind: &str, id: &str) -> VaultResult<()> {
        match self.containers.access.delete(&kind.into(), id, None).await {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// All documents of a kind.
    pub(crate) async fn list_access<T: DeserializeOwned>(&self, kind: &str) -> VaultResult<Vec<T>> {
        let query = Query::text("SELECT * FROM c ORDER BY c.id").within(kind.into());
        Ok(self.containers.access.query(&query).await?.value)
    }
}
