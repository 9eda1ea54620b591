//! A registered container: how the items of a subject are found, counted, deleted and exported.

use std::fmt;

use client::{Container, ErrorKind, Item, PartitionKey, PartitionKeyDefinition, QueryPageOptions};
use client::{Json, Page, Query, Result};
use model::Object;
use serde::de::IgnoredAny;

/// A container that contains items of subjects.
pub struct SubjectContainer {
    name: String,
    container: Container,
    lookup: SubjectLookup,
    redact: Box<dyn Fn(&mut Object) + Send + Sync>,
}

type SubjectQuery = Box<dyn Fn(&str) -> Query + Send + Sync>;

/// How the items of a subject are found.
enum SubjectLookup {
    PartitionKey,
    Query(SubjectQuery),
}

impl SubjectContainer {
    /// A container whose partition key is the subject. The name appears in certificates and exports.
    #[must_use]
    pub fn by_partition_key(name: impl Into<String>, container: &Container) -> Self {
        Self::new(name.into(), container, SubjectLookup::PartitionKey)
    }

    /// A container whose items of a subject are found by a query, which must return whole items (`SELECT *`).
    #[must_use]
    pub fn by_query(
        name: impl Into<String>,
        container: &Container,
        query: impl Fn(&str) -> Query + Send + Sync + 'static,
    ) -> Self {
        Self::new(name.into(), container, SubjectLookup::Query(Box::new(query)))
    }

    fn new(name: String, container: &Container, lookup: SubjectLookup) -> Self {
        Self { name, container: container.clone(), lookup, redact: Box::new(|_| ()) }
    }

    /// Redacts every item in an export.
    #[must_use]
    pub fn redacted(self, redact: impl Fn(&mut Object) + Send + Sync + 'static) -> Self {
        Self { redact: Box::new(redact), ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn redact(&self, item: &mut Object) {
        (self.redact)(item);
    }

    /// One page of the subject's items.
    pub(super) async fn page(
        &self,
        subject: &str,
        continuation: Option<String>,
    ) -> Result<Page<Item<IgnoredAny>>> {
        let query = match &self.lookup {
            SubjectLookup::PartitionKey => Query::text("SELECT * FROM c").within(subject.into()),
            SubjectLookup::Query(query) => query(subject),
        };
        let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
        Ok(self.container.query_page(&query, options).await?.value)
    }

    /// The number of items of the subject.
    pub(super) async fn count(&self, subject: &str) -> Result<u64> {
        if let SubjectLookup::PartitionKey = self.lookup {
            let query = Query::text("SELECT VALUE COUNT(1) FROM c").within(subject.into());
            // A page of an aggregate may be empty; the sum covers all of its rows.
            return Ok(self.container.query::<u64>(&query).await?.value.into_iter().sum());
        }
        let mut count = 0;
        let mut continuation = None;
        loop {
            let page = self.page(subject, continuation).await?;
            count += u64::try_from(page.rows.len()).unwrap_or(u64::MAX);
            if page.continuation.is_none() {
                return Ok(count);
            }
            continuation = page.continuation;
        }
    }

    /// Deletes every item of the subject. If it fails, some may be deleted already.
    pub(super) async fn delete(&self, subject: &str) -> Result<()> {
        if let SubjectLookup::PartitionKey = self.lookup {
            self.container.delete_partition(&subject.into()).await?;
            return Ok(());
        }
        let definition = self.container.read_properties().await?.value.partition_key;
        let mut continuation = None;
        loop {
            let page = self.page(subject, continuation).await?;
            for item in &page.rows {
                let (key, id) = address_of(item, &definition)?;
                match self.container.delete(&key, &id, None).await {
                    // Already deleted, by this erasure before a crash or by its owner.
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            if page.continuation.is_none() {
                return Ok(());
            }
            continuation = page.continuation;
        }
    }
}

/// The partition key and id of an item.
fn address_of(
    item: &Item<IgnoredAny>,
    definition: &PartitionKeyDefinition,
) -> Result<(PartitionKey, String)> {
    let item = item.stored()?;
    let id = item.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    Ok((definition.extract(&item), id))
}

impl fmt::Debug for SubjectContainer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SubjectContainer({}, {})", self.name, self.container.path())
    }
}
