//! The response of a backend: a body, and the metadata that every response has.
//!
//! Owns converting it to a typed [`AccountResponse`]. A body of an unexpected kind is an error, never a default value.

use bytes::Bytes;
use engine::Environment;
use engine::change_feed::ChangeOperation;
use model::{ContainerProperties, DatabaseId, FeedRange, PartitionKey, Throughput};
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::item::{BatchItemResult, Item};
use crate::response::{AccountResponse, ActivityId, ClientSessionToken, EntityTag};

/// The response to a [`super::BackendRequest`].
#[derive(Clone, Debug)]
pub(crate) struct BackendResponse {
    pub(crate) body: ResponseBody,
    pub(crate) charge: f64,
    pub(crate) etag: Option<EntityTag>,
    pub(crate) session_token: Option<ClientSessionToken>,
    pub(crate) activity_id: ActivityId,
}

/// The body, depending on the request.
#[derive(Clone, Debug)]
pub(crate) enum ResponseBody {
    Nothing,
    /// The text of one item.
    Item(Bytes),
    /// The caller already has the current version.
    NotModified,
    Items(Vec<Bytes>),
    Container(Box<ContainerProperties>),
    Databases(Vec<DatabaseId>),
    Containers(Vec<ContainerProperties>),
    /// `None` for an owner without dedicated throughput.
    Throughput(Option<Throughput>),
    Count(u64),
    Rows {
        rows: Vec<Bytes>,
        continuation: Option<String>,
    },
    Batch(Vec<BatchItemResult>),
    Changes {
        changes: Vec<RawChange>,
        continuation: String,
        more: bool,
    },
    FeedRanges(Vec<FeedRange>),
}

/// One change of a feed, with the text of items instead of typed values.
#[derive(Clone, Debug)]
pub(crate) struct RawChange {
    /// `None` in the mode of latest versions, which does not report the operation.
    pub(crate) operation: Option<ChangeOperation>,
    pub(crate) id: Option<String>,
    pub(crate) partition_key: Option<PartitionKey>,
    pub(crate) current: Option<Bytes>,
    pub(crate) previous: Option<Bytes>,
}

impl BackendResponse {
    /// The response to a write that was executed by an attempt whose response was lost.
    pub(crate) fn empty(environment: &Environment) -> Self {
        Self {
            body: ResponseBody::Nothing,
            charge: 0.0,
            etag: None,
            session_token: None,
            activity_id: ActivityId::random(environment),
        }
    }

    /// Converts the body to a value.
    pub(crate) fn try_map<T>(
        self,
        convert: impl FnOnce(ResponseBody) -> Result<T>,
    ) -> Result<AccountResponse<T>> {
        Ok(AccountResponse {
            value: convert(self.body)?,
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        })
    }

    /// The response without its body.
    pub(crate) fn without_body(self) -> AccountResponse<()> {
        AccountResponse {
            value: (),
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        }
    }

    /// The response about one item.
    pub(crate) fn into_item<T: DeserializeOwned>(self) -> Result<AccountResponse<Item<T>>> {
        let etag = self.etag.clone();
        self.try_map(|body| Item::from_parts(body.into_item()?, etag))
    }

    /// The response about one item; `None` when the caller already has the current version.
    pub(crate) fn into_modified_item<T: DeserializeOwned>(
        self,
    ) -> Result<AccountResponse<Option<Item<T>>>> {
        let etag = self.etag.clone();
        self.try_map(|body| match body {
            ResponseBody::NotModified => Ok(None),
            other => Item::from_parts(other.into_item()?, etag).map(Some),
        })
    }
}

impl ResponseBody {
    pub(crate) fn into_item(self) -> Result<Bytes> {
        match self {
            Self::Item(text) => Ok(text),
            other => Err(other.unexpected("an item")),
        }
    }

    pub(crate) fn into_items(self) -> Result<Vec<Bytes>> {
        match self {
            Self::Items(texts) => Ok(texts),
            other => Err(other.unexpected("items")),
        }
    }

    pub(crate) fn into_container(self) -> Result<ContainerProperties> {
        match self {
            Self::Container(properties) => Ok(*properties),
            other => Err(other.unexpected("a container")),
        }
    }

    pub(crate) fn into_databases(self) -> Result<Vec<DatabaseId>> {
        match self {
            Self::Databases(ids) => Ok(ids),
            other => Err(other.unexpected("databases")),
        }
    }

    pub(crate) fn into_containers(self) -> Result<Vec<ContainerProperties>> {
        match self {
            Self::Containers(properties) => Ok(properties),
            other => Err(other.unexpected("containers")),
        }
    }

    pub(crate) fn into_throughput(self) -> Result<Option<Throughput>> {
        match self {
            Self::Throughput(throughput) => Ok(throughput),
            other => Err(other.unexpected("throughput")),
        }
    }

    pub(crate) fn into_count(self) -> Result<u64> {
        match self {
            Self::Count(count) => Ok(count),
            other => Err(other.unexpected("a count")),
        }
    }

    pub(crate) fn into_batch(self) -> Result<Vec<BatchItemResult>> {
        match self {
            Self::Batch(results) => Ok(results),
            other => Err(other.unexpected("the results of a batch")),
        }
    }

    pub(crate) fn into_feed_ranges(self) -> Result<Vec<FeedRange>> {
        match self {
            Self::FeedRanges(ranges) => Ok(ranges),
            other => Err(other.unexpected("feed ranges")),
        }
    }

    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        Error::unexpected(format!("the account returned {self:?} instead of {expected}"))
    }
}
