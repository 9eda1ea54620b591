//! A registered container: how the items of a subject are found, counted, deleted and shown.
//!
//! Owns these four on one container. Does not own their order.

use std::fmt;

use client::{Container, ErrorKind, Item, PartitionKey, PartitionKeyDefinition, QueryPageOptions};
use client::{Json, Page, Query, Result};
use model::Object;
use serde::de::IgnoredAny;

/// A container that holds items of subjects.
pub struct Registration {
    name: String,
    container: Container,
    way: Way,
    redact: Box<dyn Fn(&mut Object) + Send + Sync>,
}

type QueryOfSubject = Box<dyn Fn(&str) -> Query + Send + Sync>;

/// How the items of a subject are found.
enum Way {
    PartitionKey,
    Query(QueryOfSubject),
}

impl Registration {
    /// A container whose partition key is the subject. The name stands in certificates and exports.
    #[must_use]
    pub fn by_partition_key(name: impl Into<String>, container: &Container) -> Self {
        Self::new(name.into(), container, Way::PartitionKey)
    }

    /// A container whose items of a subject are found by a query that gives whole items (`SELECT *`).
    #[must_use]
    pub fn by_query(
        name: impl Into<String>,
        container: &Container,
        query: impl Fn(&str) -> Query + Send + Sync + 'static,
    ) -> Self {
        Self::new(name.into(), container, Way::Query(Box::new(query)))
    }

    fn new(name: String, container: &Container, way: Way) -> Self {
        Self { name, container: container.clone(), way, redact: Box::new(|_| ()) }
    }

    /// What to hide of every item in an export.
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
        let query = match &self.way {
            Way::PartitionKey => Query::text("SELECT * FROM c").within(subject.into()),
            Way::Query(query) => query(subject),
        };
        let options = QueryPageOptions { continuation, ..QueryPageOptions::default() };
        Ok(self.container.query_page(&query, options).await?.value)
    }

    /// How many items of the subject there are.
    pub(super) async fn count(&self, subject: &str) -> Result<u64> {
        if let Way::PartitionKey = self.way {
            let query = Query::text("SELECT VALUE COUNT(1) FROM c").within(subject.into());
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

    /// Deletes every item of the subject. Some may be gone when it fails.
    pub(super) async fn delete(&self, subject: &str) -> Result<()> {
        if let Way::PartitionKey = self.way {
            self.container.delete_partition(&subject.into()).await?;
            return Ok(());
        }
        let definition = self.container.read_properties().await?.value.partition_key;
        let mut continuation = None;
        loop {
            let page = self.page(subject, continuation).await?;
            for item in &page.rows {
                let (key, id) = name_of(item, &definition)?;
                match self.container.delete(&key, &id, None).await {
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

/// Where an item is.
fn name_of(
    item: &Item<IgnoredAny>,
    definition: &PartitionKeyDefinition,
) -> Result<(PartitionKey, String)> {
    let item = item.stored()?;
    let id = item.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    Ok((definition.extract(&item), id))
}

impl fmt::Debug for Registration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Registration({}, {})", self.name, self.container.path())
    }
}
