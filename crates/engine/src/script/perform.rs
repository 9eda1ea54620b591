//! The operations of a script, performed in its session.
//!
//! Owns the conversion of what a script asks for into writes and queries, and of errors into the numbers that scripts
//! know. An error of one operation goes to the script, which decides; only what concerns the store ends the script.

use ::query::Parameters;
use model::charge::{nothing_found, point_read};
use model::{
    EtagPattern, FeedRange, IndexingDirective, ItemId, Json, Lsn, MeasuredJson, Precondition,
    RequestCharge,
};

use super::session::{ScriptSession, SessionEnd};
use crate::error::{Error, ErrorKind, Result};
use crate::item::{ItemWrite, ItemWriteResult, NewItem, check, item_key, renamed_from};
use crate::key_layout::ItemKey;
use crate::operation::PageOptions;
use crate::query::QueryItems;
use crate::record::ItemRecord;
use crate::response::ItemResource;
use crate::script_runtime::{ScriptAnswer, ScriptItemName, ScriptOperation, ScriptPage};

/// An operation that was performed, or an error for the script.
type Performed = std::result::Result<ScriptAnswer, SessionEnd>;

impl ScriptSession {
    pub(super) async fn perform(&mut self, operation: ScriptOperation) -> Performed {
        let failed = match self.try_perform(operation).await {
            Err(SessionEnd::Failed(error)) => error,
            other => return other,
        };
        let Some(number) = error_number(failed.kind()) else { return Err(failed.into()) };
        let mut body = model::Object::new();
        body.insert("Errors", Json::Array(vec![Json::from(failed.full_message())]));
        let message = Json::Object(body).to_string();
        Ok(ScriptAnswer::Failed { number, message })
    }

    async fn try_perform(&mut self, operation: ScriptOperation) -> Performed {
        match operation {
            ScriptOperation::Create { item, indexing } => {
                let (new, indexed) = (self.new_item(&item)?, self.indexed(indexing.as_deref())?);
                self.write(ItemWrite::Create { new, indexed, explain: false }).await
            }
            ScriptOperation::Upsert { item, etag, indexing } => {
                let (new, indexed) = (self.new_item(&item)?, self.indexed(indexing.as_deref())?);
                let precondition = if_match(etag);
                self.write(ItemWrite::Upsert { new, precondition, indexed, explain: false }).await
            }
            ScriptOperation::Replace { name, item, etag, indexing } => {
                let id = self.item_id(name).await?;
                let (new, indexed) = (self.new_item(&item)?, self.indexed(indexing.as_deref())?);
                let (renamed_from, precondition) = (renamed_from(&id, &new), if_match(etag));
                let explain = false;
                let write =
                    ItemWrite::Replace { new, renamed_from, precondition, indexed, explain };
                self.write(write).await
            }
            ScriptOperation::Delete { name, etag } => {
                let (key, precondition) = (self.item_key(name).await?, if_match(etag));
                self.write(ItemWrite::Delete { key, precondition, explain: false }).await
            }
            ScriptOperation::Read { name, unless_etag } => {
                let key = self.item_key(name).await?;
                let etag = unless_etag.filter(|etag| !etag.is_empty());
                let precondition =
                    etag.map(|etag| Precondition::IfNoneMatch(EtagPattern::parse(&etag)));
                self.write(ItemWrite::Read { key, precondition }).await
            }
            ScriptOperation::Query { text, parameters, page } => {
                self.rows(text, parameters.as_deref(), page).await
            }
            ScriptOperation::List { page } => {
                self.rows("SELECT * FROM c".to_owned(), None, page).await
            }
        }
    }

    async fn write(&mut self, write: ItemWrite) -> Performed {
        let level = self.engine.charges().read_level(None);
        let is_read = matches!(write, ItemWrite::Read { .. });
        let result = self.apply(write).await;
        let charge = match &result {
            Ok(ItemWriteResult::Found(record)) => point_read(record.own_bytes(), level),
            Ok(ItemWriteResult::NotModified(_)) => nothing_found(level),
            Err(SessionEnd::Failed(_)) if is_read => nothing_found(level),
            _ => RequestCharge::ZERO,
        };
        self.read_charge += charge;
        Ok(match result? {
            ItemWriteResult::Written { item, .. } => ScriptAnswer::Item(text_of(item.record)?),
            ItemWriteResult::Found(record) => ScriptAnswer::Item(text_of(record)?),
            ItemWriteResult::Deleted { .. } => ScriptAnswer::Nothing { not_modified: false },
            ItemWriteResult::NotModified(_) => ScriptAnswer::Nothing { not_modified: true },
        })
    }

    async fn rows(
        &mut self,
        text: String,
        parameters: Option<&str>,
        page: ScriptPage,
    ) -> Performed {
        let mut operation = QueryItems::new(self.container.link.clone(), text);
        operation.feed_range = FeedRange::PartitionKey(self.partition_key.clone());
        operation.parameters = parameters.map(read_parameters).transpose()?.unwrap_or_default();
        operation.page = PageOptions { items_max: page.items_max, continuation: page.continuation };
        let page = self.query(operation).await?;
        let row = |row: &bytes::Bytes| String::from_utf8_lossy(row).into_owned();
        let rows = page.rows.iter().map(row).collect();
        Ok(ScriptAnswer::Page { rows, continuation: page.continuation })
    }

    /// Checks a new item; it must belong to the logical partition of the request.
    pub(super) fn new_item(&self, text: &str) -> Result<NewItem> {
        let item = MeasuredJson::parse(text.as_bytes()).map_err(|error| {
            Error::invalid(format!("The document body is not valid JSON: {error}."))
        })?;
        let item = self.engine.stored_form(item);
        check(&self.container.identity, Some(&self.partition_key), item).map_err(|error| {
            if error.kind() != ErrorKind::PartitionKeyMismatch {
                return error;
            }
            Error::new(
                error.kind(),
                format!(
                    "Requests originating from scripts cannot reference partition keys other than the one for which \
                     client request was submitted. {}",
                    error.message()
                ),
            )
        })
    }

    fn indexed(&self, directive: Option<&str>) -> Result<bool> {
        let directive = directive.filter(|directive| !directive.is_empty());
        let directive = directive.map(IndexingDirective::parse).transpose()?.unwrap_or_default();
        Ok(self.compiled.indexes(directive))
    }

    async fn item_key(&mut self, name: ScriptItemName) -> std::result::Result<ItemKey, SessionEnd> {
        let id = self.item_id(name).await?;
        Ok(item_key(&self.container.identity, &self.partition_key, &id)?)
    }

    /// The id of an item. One that is named by its resource id is searched for: nothing leads from it to the id.
    async fn item_id(&mut self, name: ScriptItemName) -> std::result::Result<ItemId, SessionEnd> {
        let rid = match name {
            ScriptItemName::Id(id) => return Ok(ItemId::new(id).map_err(Error::from)?),
            ScriptItemName::ResourceId(rid) => rid,
        };
        let text = "SELECT VALUE c.id FROM c WHERE c._rid = @rid".to_owned();
        let mut operation = QueryItems::new(self.container.link.clone(), text);
        operation.feed_range = FeedRange::PartitionKey(self.partition_key.clone());
        operation.parameters.push("@rid", Some(Json::from(rid.as_str())));
        loop {
            let page = self.query(operation.clone()).await?;
            let id = page.rows.first().and_then(|row| Json::parse(row).ok());
            if let Some(id) = id.as_ref().and_then(Json::as_str) {
                return Ok(ItemId::new(id).map_err(Error::from)?);
            }
            let Some(continuation) = page.continuation else {
                let message = "Entity with the specified id does not exist in the system.";
                let message = format!("{message} The resource id is {rid}.");
                return Err(Error::new(ErrorKind::NotFound, message).into());
            };
            operation.page.continuation = Some(continuation);
        }
    }
}

/// The item as the script sees it.
pub(super) fn text_of(record: ItemRecord) -> Result<String> {
    let item = ItemResource::from_record(record, Lsn::ZERO);
    match String::from_utf8(item.into_text().into()) {
        Ok(text) => Ok(text),
        Err(_) => Err(Error::corrupt("a stored item is not text")),
    }
}

fn if_match(etag: Option<String>) -> Option<Precondition> {
    let etag = etag.filter(|etag| !etag.is_empty());
    etag.map(|etag| Precondition::IfMatch(EtagPattern::parse(&etag)))
}

/// Parameters as a query document has them: `[{"name": "@x", "value": 1}]`.
fn read_parameters(text: &str) -> Result<Parameters> {
    let invalid = || {
        Error::invalid("The parameters of a query must be an array of objects with name and value.")
    };
    let Ok(Json::Array(list)) = Json::parse(text.as_bytes()) else { return Err(invalid()) };
    let mut parameters = Parameters::new();
    for each in list {
        let name = each.get("name").and_then(Json::as_str).ok_or_else(invalid)?;
        parameters.push(name, each.get("value").cloned());
    }
    Ok(parameters)
}

/// The number under which a script knows an error; none if the script cannot go on.
fn error_number(kind: ErrorKind) -> Option<u16> {
    match kind {
        ErrorKind::Invalid
        | ErrorKind::PartitionKeyMismatch
        | ErrorKind::BadQuery
        | ErrorKind::ContinuationRefused
        | ErrorKind::ScriptFailed { .. }
        | ErrorKind::Immutable(_)
        | ErrorKind::Unsupported => Some(400),
        ErrorKind::NotFound => Some(404),
        ErrorKind::OutOfTime => Some(408),
        ErrorKind::Conflict => Some(409),
        ErrorKind::PreconditionFailed => Some(412),
        ErrorKind::TooLarge => Some(413),
        ErrorKind::OwnerNotFound
        | ErrorKind::SessionNotAvailable
        | ErrorKind::PartitionGone
        | ErrorKind::Throttled { .. }
        | ErrorKind::Unavailable
        | ErrorKind::Corrupt => None,
    }
}
