//! A handle to a container, and the calls about the container itself.
//!
//! Owns creating it, and reading and replacing its properties and throughput. Calls about its items have their own
//! files.

use std::sync::Arc;

use engine::ContainerLink;
use engine::operation::ThroughputOwner;
use model::{ContainerId, ContainerProperties, FeedRange, PartitionKeyDefinition, Throughput};

use crate::account::Account;
use crate::error::{ErrorKind, Result};
use crate::request::{BackendRequest, ResponseBody};
use crate::response::AccountResponse;

use super::Database;

/// A handle to a container, which need not exist. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Container {
    account: Account,
    link: Arc<ContainerLink>,
}

impl Container {
    pub(crate) fn new(account: Account, database: &str, container: &str) -> Result<Self> {
        Ok(Self { account, link: Arc::new(ContainerLink::new(database, container)?) })
    }

    /// The path `database/container`.
    #[must_use]
    pub fn path(&self) -> String {
        self.link.to_string()
    }

    /// The account.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// A handle to its database.
    ///
    /// # Errors
    /// None in practice: the id was validated when this handle was created.
    pub fn database(&self) -> Result<Database> {
        self.account.database(self.link.database.as_str())
    }

    /// The same container through another handle to its account, for example one with another retry policy.
    #[must_use]
    pub fn through(&self, account: &Account) -> Self {
        Self { account: account.clone(), link: self.link() }
    }

    /// Whether both handles refer to the same container of the same opened account. Two connections to one endpoint
    /// count as two accounts.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.link == other.link && self.account.is_same(&other.account)
    }

    pub(crate) fn link_ref(&self) -> &Arc<ContainerLink> {
        &self.link
    }

    pub(crate) fn link(&self) -> Arc<ContainerLink> {
        Arc::clone(&self.link)
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &ContainerId {
        &self.link.container
    }

    fn owner(&self) -> ThroughputOwner {
        ThroughputOwner::Container(ContainerLink::clone(&self.link))
    }

    /// Properties for a new container with this id and partition key, and the service's defaults otherwise.
    #[must_use]
    pub fn properties(&self, partition_key: PartitionKeyDefinition) -> ContainerProperties {
        ContainerProperties::new(self.link.container.clone(), partition_key)
    }

    /// Creates the container, with dedicated throughput if given. If it exists, returns its current properties, which
    /// may differ from the given ones.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// use planisphere_client::{PartitionKeyDefinition, TimeToLive};
    ///
    /// let baskets = database.container("baskets")?;
    /// let mut properties = baskets.properties(PartitionKeyDefinition::single("/customer")?);
    /// properties.default_time_to_live = TimeToLive::Seconds(3600);
    /// baskets.create_if_missing(properties, None).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when its database is missing, `BadRequest` for invalid properties.
    pub async fn create_if_missing(
        &self,
        properties: ContainerProperties,
        throughput: Option<Throughput>,
    ) -> Result<AccountResponse<ContainerProperties>> {
        match self.read_properties().await {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
        let properties = Box::new(properties);
        let create =
            BackendRequest::CreateContainer { container: self.link(), properties, throughput };
        match self.account.send(&create).await {
            Ok(reply) => reply.try_map(ResponseBody::into_container),
            // Another caller created it in the meantime.
            Err(error) if error.kind() == ErrorKind::Conflict => self.read_properties().await,
            Err(error) => Err(error),
        }
    }

    /// Reads its properties.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// let properties = orders.read_properties().await?.value;
    /// assert_eq!(properties.partition_key.paths()[0].as_str(), "/customer");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn read_properties(&self) -> Result<AccountResponse<ContainerProperties>> {
        let read = BackendRequest::ReadContainer { container: self.link() };
        self.account.send(&read).await?.try_map(ResponseBody::into_container)
    }

    /// Replaces its properties, such as the time to live and the indexing policy.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// use planisphere_client::TimeToLive;
    ///
    /// let mut properties = orders.read_properties().await?.value;
    /// properties.default_time_to_live = TimeToLive::Seconds(60);
    /// orders.replace_properties(properties).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadRequest` for a change that is not allowed, such as another partition key; `NotFound`.
    pub async fn replace_properties(
        &self,
        properties: ContainerProperties,
    ) -> Result<AccountResponse<ContainerProperties>> {
        let properties = Box::new(properties);
        let replace = BackendRequest::ReplaceContainer { container: self.link(), properties };
        self.account.send(&replace).await?.try_map(ResponseBody::into_container)
    }

    /// Reads its dedicated throughput; `None` when it has none.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// let throughput = orders.read_throughput().await?.value;
    /// assert!(throughput.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn read_throughput(&self) -> Result<AccountResponse<Option<Throughput>>> {
        let read = BackendRequest::ReadThroughput { owner: self.owner() };
        self.account.send(&read).await?.try_map(ResponseBody::into_throughput)
    }

    /// Replaces its dedicated throughput.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// use planisphere_client::Throughput;
    ///
    /// orders.replace_throughput(Throughput::manual(1000)?).await?;
    /// assert_eq!(orders.read_throughput().await?.value, Some(Throughput::Manual(1000)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it has no dedicated throughput, `BadRequest` for less than the minimum.
    pub async fn replace_throughput(
        &self,
        throughput: Throughput,
    ) -> Result<AccountResponse<Option<Throughput>>> {
        let replace = BackendRequest::ReplaceThroughput { owner: self.owner(), throughput };
        self.account.send(&replace).await?.try_map(ResponseBody::into_throughput)
    }

    /// Feed ranges that together cover the container: currently one per physical partition.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// # let orders = database.container("orders")?;
    /// # let key = planisphere_client::PartitionKeyDefinition::single("/customer")?;
    /// # orders.create_if_missing(orders.properties(key), None).await?;
    /// # let ann = planisphere_client::PartitionKey::from("ann");
    /// // Read the parts of a container concurrently, for example with one worker per range.
    /// assert_eq!(orders.feed_ranges().await?.value.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn feed_ranges(&self) -> Result<AccountResponse<Vec<FeedRange>>> {
        let read = BackendRequest::FeedRanges { container: self.link() };
        self.account.send(&read).await?.try_map(ResponseBody::into_feed_ranges)
    }
}
