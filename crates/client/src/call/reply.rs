//! What a place replies: the body as text, and what every answer carries.
//!
//! Owns taking a body apart. A body of another kind than was asked for is an error of its own, never a default.

use bytes::Bytes;
use model::{ContainerProperties, DatabaseId, FeedRange, PartitionKey, Throughput};

use crate::answer::{ActivityId, Answer, Etag, SessionToken};
use crate::change_feed::ChangeOperation;
use crate::error::{Error, Result};
use crate::item::BatchAnswer;

/// The reply to a [`super::Request`].
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) body: Body,
    pub(crate) charge: f64,
    pub(crate) etag: Option<Etag>,
    pub(crate) session_token: Option<SessionToken>,
    pub(crate) activity_id: ActivityId,
}

/// The body, by what was asked for.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Nothing,
    /// The text of one item.
    Item(Bytes),
    /// The caller's version is still the newest.
    NotModified,
    Items(Vec<Bytes>),
    Container(Box<ContainerProperties>),
    Databases(Vec<DatabaseId>),
    Containers(Vec<ContainerProperties>),
    /// None for an owner without throughput of its own.
    Throughput(Option<Throughput>),
    Count(u64),
    Rows {
        rows: Vec<Bytes>,
        continuation: Option<String>,
    },
    Batch(Vec<BatchAnswer>),
    Changes {
        changes: Vec<OneChange>,
        continuation: String,
        more: bool,
    },
    FeedRanges(Vec<FeedRange>),
}

/// One change of a feed, with texts instead of values.
#[derive(Clone, Debug)]
pub(crate) struct OneChange {
    /// None where the feed of newest versions does not tell.
    pub(crate) operation: Option<ChangeOperation>,
    pub(crate) id: Option<String>,
    pub(crate) partition_key: Option<PartitionKey>,
    pub(crate) current: Option<Bytes>,
    pub(crate) previous: Option<Bytes>,
}

impl Reply {
    /// The answer with a value made of the body.
    pub(crate) fn answer<T>(self, take: impl FnOnce(Body) -> Result<T>) -> Result<Answer<T>> {
        Ok(Answer {
            value: take(self.body)?,
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        })
    }

    /// The answer of a call that gives nothing back.
    pub(crate) fn done(self) -> Answer<()> {
        Answer {
            value: (),
            charge: self.charge,
            etag: self.etag,
            session_token: self.session_token,
            activity_id: self.activity_id,
        }
    }
}

impl Body {
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

    pub(crate) fn into_batch(self) -> Result<Vec<BatchAnswer>> {
        match self {
            Self::Batch(answers) => Ok(answers),
            other => Err(other.unexpected("the answers of a batch")),
        }
    }

    pub(crate) fn into_feed_ranges(self) -> Result<Vec<FeedRange>> {
        match self {
            Self::FeedRanges(ranges) => Ok(ranges),
            other => Err(other.unexpected("feed ranges")),
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Error {
        Error::unexpected(format!("the account answered {self:?} where {wanted} was asked for"))
    }
}
