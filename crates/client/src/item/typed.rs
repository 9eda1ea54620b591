//! An item as a serde type, beside the text it came from.
//!
//! Owns the pairing: the value is for the program, the text keeps what the type does not know. The names in the text
//! are those of serde, so a type says the stored names exactly.

use bytes::Bytes;
use model::{Json, TimestampSeconds};
use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::answer::{Answer, Etag};
use crate::call::{Body, Reply};
use crate::error::{Error, Result};

use super::merge::merged;

/// An item as it was read or written, as a `T`.
#[derive(Clone, Debug)]
pub struct Item<T> {
    /// The item as a value. Change it and [`crate::Container::save`] the item: what `T` does not know stays.
    pub value: T,
    text: Bytes,
    etag: Option<Etag>,
}

/// The system properties this crate looks at.
#[derive(Deserialize)]
struct System {
    #[serde(rename = "_etag")]
    etag: Option<String>,
    #[serde(rename = "_ts")]
    timestamp: Option<u64>,
}

impl<T> Item<T> {
    /// The whole stored text, system properties and those `T` does not know included.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The whole stored item, as [`Item::text`].
    ///
    /// # Errors
    /// `Unexpected` when the account sent no JSON.
    pub fn stored(&self) -> Result<Json> {
        Json::parse(&self.text)
            .map_err(|error| Error::unexpected("the stored item is no JSON").with_source(error))
    }

    /// Names this state of the item; none when the account did not say.
    #[must_use]
    pub fn etag(&self) -> Option<Etag> {
        self.etag.clone().or_else(|| self.system()?.etag.map(Etag::from_text))
    }

    /// Second of the last write: where the time to live counts from.
    #[must_use]
    pub fn timestamp(&self) -> Option<TimestampSeconds> {
        self.system()?.timestamp.map(TimestampSeconds)
    }

    /// The value alone.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }

    /// The text alone.
    pub(crate) fn untyped(&self) -> Item<IgnoredAny> {
        Item { value: IgnoredAny, text: self.text.clone(), etag: self.etag.clone() }
    }

    fn system(&self) -> Option<System> {
        serde_json::from_slice(&self.text).ok()
    }
}

impl Item<IgnoredAny> {
    /// The item as another type: for readers of many items, of which one that is damaged must not stop the others.
    ///
    /// # Errors
    /// `Unexpected` when it is no `T`.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<Item<T>> {
        Item::new(self.text.clone(), self.etag.clone())
    }
}

impl<T: DeserializeOwned> Item<T> {
    pub(crate) fn from_text(text: Bytes) -> Result<Self> {
        Self::new(text, None)
    }

    fn new(text: Bytes, etag: Option<Etag>) -> Result<Self> {
        let value = serde_json::from_slice(&text).map_err(|error| {
            let kind = std::any::type_name::<T>();
            Error::unexpected(format!("the stored item is no {kind}")).with_source(error)
        })?;
        Ok(Self { value, text, etag })
    }

    /// The answer about one item.
    pub(crate) fn of_reply(reply: Reply) -> Result<Answer<Self>> {
        let etag = reply.etag.clone();
        reply.answer(|body| Self::new(body.into_item()?, etag))
    }

    /// The same, or none when the caller's version is still the newest.
    pub(crate) fn of_conditional_reply(reply: Reply) -> Result<Answer<Option<Self>>> {
        let etag = reply.etag.clone();
        reply.answer(|body| match body {
            Body::NotModified => Ok(None),
            other => Self::new(other.into_item()?, etag).map(Some),
        })
    }
}

/// A row that is a whole item, of `SELECT * FROM c`, can be read with its etag: `container.query::<Item<T>>(...)`.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let text = Bytes::from(String::from(Box::<str>::from(text)));
        Self::from_text(text).map_err(D::Error::custom)
    }
}

impl<T: DeserializeOwned + Serialize> Item<T> {
    /// The stored item with the changes made to the value since: what is to be written.
    pub(crate) fn to_json(&self) -> Result<Json> {
        let stored = self.stored()?;
        let before: T = serde_json::from_slice(&self.text).map_err(|error| {
            Error::unexpected("the stored item can no longer be read").with_source(error)
        })?;
        Ok(merged(&stored, &to_json(&before)?, &to_json(&self.value)?))
    }
}

/// A value as the JSON that is stored.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Json> {
    let text = serde_json::to_vec(value).map_err(|error| {
        Error::bad_request("the value cannot be written as JSON").with_source(error)
    })?;
    Json::parse(&text).map_err(|error| {
        Error::bad_request("the value cannot be stored as JSON").with_source(error)
    })
}
