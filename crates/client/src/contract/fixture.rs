//! Where the cases play: an account with a database of its own and a few containers.
//!
//! Owns their making. Cases share them and keep apart by partition keys that no other case and no other run uses, so
//! that the suite is cheap on an account that costs money.

use model::{ContainerProperties, PartitionKeyDefinition, TimeToLive};

use crate::account::Account;
use crate::error::Result;
use crate::resource::{Container, Database};

/// An account ready for the cases.
#[derive(Clone, Debug)]
pub struct ContractFixture {
    pub(super) account: Account,
    pub(super) database: Database,
    /// Partitioned by `/customer`.
    pub(super) orders: Container,
    /// Partitioned by `/world` and `/kind`.
    pub(super) places: Container,
    /// Partitioned by `/id`.
    pub(super) leases: Container,
    run: u64,
}

impl ContractFixture {
    /// Makes what is missing in the database `planisphere-contract` of an account.
    ///
    /// # Errors
    /// Those of creating the database and its containers.
    pub async fn prepare(account: &Account) -> Result<Self> {
        let database = account.database("planisphere-contract")?;
        database.create_if_missing(None).await?;
        let orders = database.container("orders")?;
        let mut properties = orders.properties(PartitionKeyDefinition::single("/customer")?);
        properties.default_time_to_live = TimeToLive::NoDefault;
        orders.create_if_missing(properties, None).await?;
        let places = database.container("places")?;
        let key = PartitionKeyDefinition::hierarchical(&["/world", "/kind"])?;
        places.create_if_missing(places.properties(key), None).await?;
        let leases = database.container("leases")?;
        let properties: ContainerProperties =
            leases.properties(PartitionKeyDefinition::single("/id")?);
        leases.create_if_missing(properties, None).await?;
        let run = account.environment().random();
        Ok(Self { account: account.clone(), database, orders, places, leases, run })
    }

    /// A name no other run has used.
    pub(super) fn fresh(&self, name: &str) -> String {
        format!("{name}-{:016x}", self.run)
    }
}
