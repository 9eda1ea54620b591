//! Reading items by partition key and id.

use model::{ItemId, PartitionKey};
use serde::de::DeserializeOwned;

use crate::answer::{Answer, Etag, SessionToken};
use crate::call::{At, Body, Request};
use crate::error::Result;
use crate::resource::Container;

use super::Item;

/// Passed with a read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The read must see at least what this token has seen. Inside one program nothing has to be passed.
    pub session_token: Option<SessionToken>,
}

impl Container {
    /// Reads one item.
    ///
    /// # Errors
    /// `NotFound`; `Unexpected` when it is no `T`.
    pub async fn read<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
    ) -> Result<Answer<Item<T>>> {
        self.read_with(partition_key, id, ReadOptions::default()).await
    }

    /// Reads one item with options.
    ///
    /// # Errors
    /// Those of [`Container::read`]; `Unavailable` when the account has not seen what the session token has.
    pub async fn read_with<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        options: ReadOptions,
    ) -> Result<Answer<Item<T>>> {
        let account = self.account();
        let reply = account.send_read(self.link_ref(), partition_key, id, options.session_token);
        Item::of_reply(reply.await?)
    }

    /// Reads one item unless it still has this etag; none then.
    ///
    /// # Errors
    /// Those of [`Container::read`].
    pub async fn read_unless<T: DeserializeOwned>(
        &self,
        partition_key: &PartitionKey,
        id: &str,
        etag: &Etag,
    ) -> Result<Answer<Option<Item<T>>>> {
        let at = self.at(partition_key, id)?;
        let read = Request::Read { at, session_token: None, unless: Some(etag.clone()) };
        Item::of_conditional_reply(self.account().send(&read).await?)
    }

    /// Reads several items; those that do not exist are left out, and their order is not that of the names.
    ///
    /// # Errors
    /// `Unexpected` when one is no `T`.
    pub async fn read_many<T: DeserializeOwned>(
        &self,
        names: &[(PartitionKey, &str)],
    ) -> Result<Answer<Vec<Item<T>>>> {
        let items = names.iter().map(|(key, id)| Ok((key.clone(), ItemId::new(*id)?)));
        let items = items.collect::<Result<_>>()?;
        let read = Request::ReadMany { container: self.link(), items, session_token: None };
        let reply = self.account().send(&read).await?;
        reply.answer(|body| body_items(body))
    }

    pub(crate) fn at(&self, partition_key: &PartitionKey, id: &str) -> Result<At> {
        let id = ItemId::new(id)?;
        Ok(At { container: self.link(), partition_key: partition_key.clone(), id })
    }
}

fn body_items<T: DeserializeOwned>(body: Body) -> Result<Vec<Item<T>>> {
    body.into_items()?.into_iter().map(Item::from_text).collect()
}
