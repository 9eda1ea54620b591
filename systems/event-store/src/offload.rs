//! Where the payloads of large states are kept: an object store.
//!
//! Owns the trait and its two implementations on `object_store`: a folder, and memory. Objects are named by tenant,
//! projector, version and revision, and are never overwritten: an old state stays readable until it is replaced.

use async_trait::async_trait;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};

use crate::error::{Error, ErrorKind, Result};

/// Keeps objects by key.
#[async_trait]
pub trait PayloadStore: Send + Sync {
    /// Its name, which states refer to.
    fn name(&self) -> &'static str;

    /// Writes an object.
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<()>;

    /// Reads an object; `NotFound` if there is none.
    async fn get(&self, key: &str) -> Result<Vec<u8>>;

    /// Deletes an object, if it exists.
    async fn delete(&self, key: &str) -> Result<()>;
}

/// Objects in memory.
#[derive(Debug, Default)]
pub struct MemoryPayloads(InMemory);

/// Objects as files of a folder.
#[derive(Debug)]
pub struct FolderPayloads(LocalFileSystem);

impl FolderPayloads {
    /// The folder, which is created if it is missing.
    ///
    /// # Errors
    /// `Invalid` when it cannot be created.
    pub fn open(folder: &std::path::Path) -> Result<Self> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::invalid(format!("the folder {} cannot be used: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(&error))?;
        Ok(Self(store))
    }
}

async fn put(store: &dyn ObjectStore, key: &str, bytes: Vec<u8>) -> Result<()> {
    store.put(&Path::from(key), PutPayload::from(bytes)).await.map_err(failed)?;
    Ok(())
}

async fn get(store: &dyn ObjectStore, key: &str) -> Result<Vec<u8>> {
    let found = store.get(&Path::from(key)).await.map_err(failed)?;
    Ok(found.bytes().await.map_err(failed)?.to_vec())
}

async fn delete(store: &dyn ObjectStore, key: &str) -> Result<()> {
    match store.delete(&Path::from(key)).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: object_store::Error) -> Error {
    let kind = match &error {
        object_store::Error::NotFound { .. } => ErrorKind::NotFound,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, format!("the object store failed: {error}")).caused_by(error)
}

macro_rules! payload_store {
    ($type:ty, $name:literal) => {
        #[async_trait]
        impl PayloadStore for $type {
            fn name(&self) -> &'static str {
                $name
            }

            async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<()> {
                put(&self.0, key, bytes).await
            }

            async fn get(&self, key: &str) -> Result<Vec<u8>> {
                get(&self.0, key).await
            }

            async fn delete(&self, key: &str) -> Result<()> {
                delete(&self.0, key).await
            }
        }
    };
}

payload_store!(MemoryPayloads, "memory");
payload_store!(FolderPayloads, "folder");
