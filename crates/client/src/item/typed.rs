//! An item as a serde type, together with the text it was read from.
//!
//! The program uses the typed value; the text keeps the properties that the type does not know. Property names are
//! those of serde.

use bytes::Bytes;
use model::{ItemId, Json, TimestampSeconds};
use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::response::EntityTag;

use super::merge::{MergedItem, merge};

/// An item that was read or written, deserialized into a `T`.
#[derive(Clone, Debug)]
pub struct Item<T> {
    /// The typed value. Change it and [`crate::Container::save`] the item: properties that `T` does not know are kept.
    pub value: T,
    text: Bytes,
    etag: Option<EntityTag>,
}

/// The system properties that this crate reads.
#[derive(Deserialize)]
struct SystemProperties {
    #[serde(rename = "_etag")]
    etag: Option<String>,
    #[serde(rename = "_ts")]
    timestamp: Option<u64>,
}

impl<T> Item<T> {
    /// The complete stored text, including system properties and properties that `T` does not know.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The complete stored item, parsed from [`Item::text`].
    ///
    /// # Errors
    /// `Unexpected` when the account did not send JSON.
    pub fn stored(&self) -> Result<Json> {
        Json::parse(&self.text)
            .map_err(|error| Error::unexpected("the stored item is not JSON").caused_by(&error))
    }

    /// Identifies this version of the item; `None` when the account did not return it.
    #[must_use]
    pub fn etag(&self) -> Option<EntityTag> {
        // The header first. Rows of queries and feeds have no header, but their text contains the etag.
        self.etag.clone().or_else(|| self.system_properties()?.etag.map(EntityTag::from_text))
    }

    /// Time of the last write. The time to live starts here.
    #[must_use]
    pub fn timestamp(&self) -> Option<TimestampSeconds> {
        self.system_properties()?.timestamp.map(TimestampSeconds)
    }

    /// The typed value.
    #[must_use]
    pub fn into_value(self) -> T {
        self.value
    }

    /// The item without a typed value.
    pub(crate) fn untyped(&self) -> Item<IgnoredAny> {
        Item { value: IgnoredAny, text: self.text.clone(), etag: self.etag.clone() }
    }

    fn system_properties(&self) -> Option<SystemProperties> {
        serde_json::from_slice(&self.text).ok()
    }
}

impl Item<IgnoredAny> {
    /// Deserializes the item into another type. Readers of many items use this so that one malformed item does not fail
    /// all.
    ///
    /// # Errors
    /// `Unexpected` when it cannot be deserialized into `T`.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<Item<T>> {
        Item::from_parts(self.text.clone(), self.etag.clone())
    }
}

impl<T: DeserializeOwned> Item<T> {
    pub(crate) fn from_text(text: Bytes) -> Result<Self> {
        Self::from_parts(text, None)
    }

    pub(crate) fn from_parts(text: Bytes, etag: Option<EntityTag>) -> Result<Self> {
        let value = serde_json::from_slice(&text).map_err(|error| {
            let kind = std::any::type_name::<T>();
            Error::unexpected(format!("the stored item is no {kind}")).caused_by(&error)
        })?;
        Ok(Self { value, text, etag })
    }
}

/// Rows of `SELECT * FROM c` are complete items and can be read with their etags: `container.query::<Item<T>>(...)`.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        // As raw text, so that properties the type does not know survive.
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let text = Bytes::from(String::from(Box::<str>::from(text)));
        Self::from_text(text).map_err(D::Error::custom)
    }
}

impl<T: DeserializeOwned + Serialize> Item<T> {
    /// The item to write: the stored item with the changes made to the value since it was read. The text is parsed
    /// once; both versions of the value are converted without text.
    pub(crate) fn merge_changes(&self) -> Result<MergedItem> {
        let stored = self.stored()?;
        // The value as it was read is not kept: most items are never saved. It is rebuilt from the text when it is
        // needed.
        let before: T = stored.deserialize_into().map_err(|error| {
            Error::unexpected("the stored item can no longer be read").caused_by(&error)
        })?;
        let (before, after) = (to_json(&before)?, to_json(&self.value)?);
        Ok(merge(stored, &before, after))
    }
}

/// Converts a value to the JSON that is stored.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Json> {
    Json::from_serialize(value)
        .map_err(|error| Error::bad_request("the value cannot be stored as JSON").caused_by(&error))
}

/// The id of an item.
pub(crate) fn item_id(item: &Json) -> Result<ItemId> {
    let id = item.get("id").and_then(Json::as_str).ok_or_else(|| {
        Error::bad_request("an item needs a property 'id' that is a string; add it to the type")
    })?;
    Ok(ItemId::new(id)?)
}
