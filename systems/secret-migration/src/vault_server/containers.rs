//! The containers of the server.
//!
//! | container | partition key | time to live | why this partition key |
//! |---|---|---|---|
//! | `vault_secrets` | `/mount` | off | a version and the metadata of its path are one transaction |
//! | `vault_access` | `/kind` | by item | few policies and roles; an expired token goes by itself |

use client::{Account, Container, TimeToLive};
use model::{IncludedPath, IndexPath, IndexingPolicy};
use service::schema::{ContainerSchema, DatabaseSchema, Schema, SchemaApplyError};

use crate::error::{Error, Result};

/// The containers.
#[derive(Clone, Debug)]
pub(super) struct VaultContainers {
    pub(super) secrets: Container,
    pub(super) access: Container,
}

const SECRETS: &str = "vault_secrets";
const ACCESS: &str = "vault_access";

impl VaultContainers {
    pub(super) async fn create(account: &Account, database: &str) -> Result<Self> {
        let schema = schema(database).map_err(client::Error::from)?;
        match schema.apply(account).await {
            Ok(_) => {}
            Err(SchemaApplyError::Account { error, .. }) => return Err(error.into()),
            Err(refused) => return Err(Error::invalid(refused.to_string())),
        }
        let database = account.database(database)?;
        Ok(Self { secrets: database.container(SECRETS)?, access: database.container(ACCESS)? })
    }
}

fn schema(database: &str) -> model::Result<Schema> {
    // Sealed values are long and never searched for: only the paths are indexed.
    let included = IncludedPath::new(IndexPath::parse("/path/?")?);
    let mut policy = IndexingPolicy { included: vec![included], ..IndexingPolicy::default() };
    policy.excluded.push(IndexPath::root());
    let secrets = ContainerSchema::new(SECRETS, &["/mount"])?.with_indexing_policy(policy);
    let access = ContainerSchema::new(ACCESS, &["/kind"])?.with_time_to_live(TimeToLive::NoDefault);
    Schema::new([DatabaseSchema::new(database, vec![secrets, access])?])
}
