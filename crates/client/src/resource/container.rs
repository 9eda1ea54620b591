//! A handle on a container, and the calls about the container itself.
//!
//! Owns creating, reading and replacing properties. The calls about its items are in `item`, `query` and
//! `change_feed`.

use std::sync::Arc;

use engine::ContainerLink;
use engine::operation::ThroughputOwner;
use model::{ContainerId, ContainerProperties, FeedRange, PartitionKeyDefinition, Throughput};

use crate::account::Account;
use crate::answer::Answer;
use crate::call::{Body, Request};
use crate::error::{ErrorKind, Result};

use super::Database;

/// A container of a database, whether it exists or not. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Container {
    account: Account,
    link: Arc<ContainerLink>,
}

impl Container {
    pub(crate) fn new(account: Account, database: &str, container: &str) -> Result<Self> {
        Ok(Self { account, link: Arc::new(ContainerLink::new(database, container)?) })
    }

    /// Its database and its name, as `database/container`.
    #[must_use]
    pub fn path(&self) -> String {
        self.link.to_string()
    }

    /// The account it belongs to.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// A handle on its database.
    ///
    /// # Errors
    /// None in practice: the name was checked when the container was named.
    pub fn database(&self) -> Result<Database> {
        self.account.database(self.link.database.as_str())
    }

    /// The same container, asked through another value of its account, such as one with another retry policy.
    #[must_use]
    pub fn through(&self, account: &Account) -> Self {
        Self { account: account.clone(), link: self.link() }
    }

    /// Whether both handles are on one container of one opened account. Two connections to one endpoint are two
    /// accounts here.
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

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &ContainerId {
        &self.link.container
    }

    fn owner(&self) -> ThroughputOwner {
        ThroughputOwner::Container(ContainerLink::clone(&self.link))
    }

    /// Properties for a new container of this name, with every choice but the partition key left as the service does.
    #[must_use]
    pub fn properties(&self, partition_key: PartitionKeyDefinition) -> ContainerProperties {
        ContainerProperties::new(self.link.container.clone(), partition_key)
    }

    /// Creates it, with throughput of its own if given, or gives what is there: compare before you rely on it.
    ///
    /// # Errors
    /// `NotFound` when its database is missing, `BadRequest` for properties that break a rule.
    pub async fn create_if_missing(
        &self,
        properties: ContainerProperties,
        throughput: Option<Throughput>,
    ) -> Result<Answer<ContainerProperties>> {
        match self.read_properties().await {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
        let properties = Box::new(properties);
        let create = Request::CreateContainer { container: self.link(), properties, throughput };
        match self.account.send(&create).await {
            Ok(reply) => reply.answer(Body::into_container),
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::Conflict => self.read_properties().await,
            Err(error) => Err(error),
        }
    }

    /// Its properties now.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn read_properties(&self) -> Result<Answer<ContainerProperties>> {
        let read = Request::ReadContainer { container: self.link() };
        self.account.send(&read).await?.answer(Body::into_container)
    }

    /// Replaces its properties: time to live, indexing policy.
    ///
    /// # Errors
    /// `BadRequest` for a change that is not allowed, such as another partition key; `NotFound`.
    pub async fn replace_properties(
        &self,
        properties: ContainerProperties,
    ) -> Result<Answer<ContainerProperties>> {
        let properties = Box::new(properties);
        let replace = Request::ReplaceContainer { container: self.link(), properties };
        self.account.send(&replace).await?.answer(Body::into_container)
    }

    /// The throughput it has of its own; none when it has none.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn read_throughput(&self) -> Result<Answer<Option<Throughput>>> {
        let read = Request::ReadThroughput { owner: self.owner() };
        self.account.send(&read).await?.answer(Body::into_throughput)
    }

    /// Replaces the throughput it has of its own.
    ///
    /// # Errors
    /// `NotFound` when it has none of its own, `BadRequest` below what it must have.
    pub async fn replace_throughput(
        &self,
        throughput: Throughput,
    ) -> Result<Answer<Option<Throughput>>> {
        let replace = Request::ReplaceThroughput { owner: self.owner(), throughput };
        self.account.send(&replace).await?.answer(Body::into_throughput)
    }

    /// Parts that together are the container: one for each physical partition now.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn feed_ranges(&self) -> Result<Answer<Vec<FeedRange>>> {
        let read = Request::FeedRanges { container: self.link() };
        self.account.send(&read).await?.answer(Body::into_feed_ranges)
    }
}
