//! A handle on a database.

use engine::operation::ThroughputOwner;
use model::{ContainerProperties, DatabaseId, Throughput};

use crate::account::Account;
use crate::answer::Answer;
use crate::call::{Body, Request};
use crate::error::{ErrorKind, Result};

use super::Container;

/// A database of an account, whether it exists or not.
#[derive(Clone, Debug)]
pub struct Database {
    account: Account,
    id: DatabaseId,
}

impl Database {
    pub(crate) fn new(account: Account, id: &str) -> Result<Self> {
        Ok(Self { account, id: DatabaseId::new(id)? })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &DatabaseId {
        &self.id
    }

    /// The account it belongs to.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    fn owner(&self) -> ThroughputOwner {
        ThroughputOwner::Database(self.id.clone())
    }

    /// Creates it, with throughput shared by its containers if given. The value says whether it was missing.
    ///
    /// # Errors
    /// `Throttled`, `Unauthorized`, `Unavailable`.
    pub async fn create_if_missing(&self, throughput: Option<Throughput>) -> Result<Answer<bool>> {
        match self.read().await {
            Ok(answer) => return Ok(answer.map(|()| false)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let create = Request::CreateDatabase { id: self.id.clone(), throughput };
        match self.account.send(&create).await {
            Ok(reply) => Ok(reply.done().map(|()| true)),
            // Somebody else was faster.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                Ok(self.read().await?.map(|()| false))
            }
            Err(error) => Err(error),
        }
    }

    /// Asks whether it exists.
    ///
    /// # Errors
    /// `NotFound` when it does not.
    pub async fn read(&self) -> Result<Answer<()>> {
        let read = Request::ReadDatabase { id: self.id.clone() };
        Ok(self.account.send(&read).await?.done())
    }

    /// The properties of the containers it has, by name.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn list_containers(&self) -> Result<Answer<Vec<ContainerProperties>>> {
        let list = Request::ListContainers { database: self.id.clone() };
        self.account.send(&list).await?.answer(Body::into_containers)
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

    /// A handle on one of its containers, whether it exists or not.
    ///
    /// # Errors
    /// `BadRequest` for a name that breaks the rules for names.
    pub fn container(&self, id: &str) -> Result<Container> {
        Container::new(self.account.clone(), self.id.as_str(), id)
    }
}
