//! A handle to a database, and the calls about the database itself.

use engine::operation::ThroughputOwner;
use model::{ContainerProperties, DatabaseId, Throughput};

use crate::account::Account;
use crate::error::{ErrorKind, Result};
use crate::request::{BackendRequest, ResponseBody};
use crate::response::AccountResponse;

use super::Container;

/// A handle to a database, which need not exist.
#[derive(Clone, Debug)]
pub struct Database {
    account: Account,
    id: DatabaseId,
}

impl Account {
    /// A handle to a database, which need not exist.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// let database = account.database("shop")?;
    /// assert_eq!(database.id().as_str(), "shop");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadRequest` for an invalid id.
    pub fn database(&self, id: &str) -> Result<Database> {
        Database::new(self.clone(), id)
    }
}

impl Database {
    fn new(account: Account, id: &str) -> Result<Self> {
        Ok(Self { account, id: DatabaseId::new(id)? })
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &DatabaseId {
        &self.id
    }

    /// The account.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    fn owner(&self) -> ThroughputOwner {
        ThroughputOwner::Database(self.id.clone())
    }

    /// Creates the database, with throughput shared by its containers if given. Returns whether it was created.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// let database = account.database("shop")?;
    /// assert!(database.create_if_missing(None).await?.value);
    /// assert!(!database.create_if_missing(None).await?.value);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Throttled`, `Unauthorized`, `Unavailable`.
    pub async fn create_if_missing(
        &self,
        throughput: Option<Throughput>,
    ) -> Result<AccountResponse<bool>> {
        match self.read().await {
            Ok(response) => return Ok(response.map(|()| false)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let create = BackendRequest::CreateDatabase { id: self.id.clone(), throughput };
        match self.account.send(&create).await {
            Ok(response) => Ok(response.without_body().map(|()| true)),
            // Another caller created it in the meantime.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                Ok(self.read().await?.map(|()| false))
            }
            Err(error) => Err(error),
        }
    }

    /// Checks that it exists.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// use planisphere_client::ErrorKind;
    ///
    /// database.read().await?;
    /// let missing = account.database("missing")?.read().await.unwrap_err();
    /// assert_eq!(missing.kind(), ErrorKind::NotFound);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it does not.
    pub async fn read(&self) -> Result<AccountResponse<()>> {
        let read = BackendRequest::ReadDatabase { id: self.id.clone() };
        Ok(self.account.send(&read).await?.without_body())
    }

    /// Lists the properties of its containers, sorted by id.
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
    /// let containers = database.list_containers().await?.value;
    /// assert_eq!(containers[0].id.as_str(), "orders");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn list_containers(&self) -> Result<AccountResponse<Vec<ContainerProperties>>> {
        let list = BackendRequest::ListContainers { database: self.id.clone() };
        self.account.send(&list).await?.try_map(ResponseBody::into_containers)
    }

    /// Reads its dedicated throughput; `None` when it has none.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// assert_eq!(database.read_throughput().await?.value, None);
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
    /// # Errors
    /// `NotFound` when it has no dedicated throughput, `BadRequest` for less than the minimum.
    pub async fn replace_throughput(
        &self,
        throughput: Throughput,
    ) -> Result<AccountResponse<Option<Throughput>>> {
        let replace = BackendRequest::ReplaceThroughput { owner: self.owner(), throughput };
        self.account.send(&replace).await?.try_map(ResponseBody::into_throughput)
    }

    /// A handle to one of its containers, which need not exist.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let account = planisphere_client::Account::open("memory").await?;
    /// # let database = account.database("shop")?;
    /// # database.create_if_missing(None).await?;
    /// let orders = database.container("orders")?;
    /// assert_eq!(orders.path(), "shop/orders");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `BadRequest` for an invalid id.
    pub fn container(&self, id: &str) -> Result<Container> {
        Container::new(self.account.clone(), self.id.as_str(), id)
    }
}
