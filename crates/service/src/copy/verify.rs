//! Whether the target holds what the source holds, and nothing else.
//!
//! Owns the comparison: counts and hashes of all items first, in memory that does not grow with them; then, for the
//! slices that differ, item by item. The target is read before the source, so that an item written to both meanwhile
//! counts as missing, which is harmless, and not as extra. Both sides should be at rest: what changes during the
//! comparison is told as a difference.

use std::collections::HashMap;

use client::{Container, EntityTag, Json, PartitionKey, Query, QueryPageOptions};
use serde_json::value::RawValue;

use super::convert::own;
use super::error::CopyError;
use super::plan::Copy;
use super::slices::{Digest, Fingerprint};

/// Items of the target held at once while differences are looked for.
const HELD_ITEMS_MAX: u64 = 200_000;
/// How many differences are named; all are counted.
const NAMED_MAX: usize = 20;

/// What happens to items of the target that the source does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExtra {
    /// They are told.
    Tell,
    /// They are deleted, unless somebody writes them meanwhile.
    Delete,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Items of the source, without those that have no place in the target.
    pub source_items: u64,
    /// Items of the target when it was read.
    pub target_items: u64,
    /// Items of the source that have no place in the target.
    pub refused: u64,
    /// Items only the source holds.
    pub missing: u64,
    /// Items that say something else in the target.
    pub different: u64,
    /// Items of the source that have the same id and partition key in the target as another one.
    pub clashing: u64,
    /// Items only the target holds, and still holds.
    pub extra: u64,
    /// Items only the target held, deleted now.
    pub deleted: u64,
    /// The first differences.
    pub first: Vec<Difference>,
    /// Request units spent on both sides.
    pub request_units: f64,
}

/// One item that is not the same on both sides, named as in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is wrong with it.
    pub kind: DifferenceKind,
    /// Its id.
    pub id: String,
    /// Its partition key in the target, as JSON.
    pub partition_key: String,
}

/// What is wrong with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Only the source holds it.
    Missing,
    /// The target says something else.
    Different,
    /// Two items of the source have this place in the target.
    Clashing,
    /// Only the target holds it.
    Extra,
}

/// An item of the target, until the source is found to hold it too.
struct Held {
    content: u128,
    is_found: bool,
    id: String,
    partition_key: PartitionKey,
    etag: Option<String>,
}

impl Verification {
    /// Whether the target now holds what the source holds, and nothing else.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.missing + self.different + self.clashing + self.extra == 0
    }

    fn name(&mut self, kind: DifferenceKind, id: &str, key: &PartitionKey) {
        let counted = match kind {
            DifferenceKind::Missing => &mut self.missing,
            DifferenceKind::Different => &mut self.different,
            DifferenceKind::Clashing => &mut self.clashing,
            DifferenceKind::Extra => &mut self.extra,
        };
        *counted += 1;
        if self.first.len() < NAMED_MAX {
            let partition_key = key.to_json().to_string();
            self.first.push(Difference { kind, id: id.to_owned(), partition_key });
        }
    }
}

impl Copy {
    /// Compares source and target, item by item where their sums differ.
    ///
    /// # Errors
    /// `Call` when a side cannot be read.
    pub async fn verify(
        &self,
        on_extra: OnExtra,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Verification, CopyError> {
        let started = self.pace.total();
        let mut found = Verification::default();
        let mut seen = 0;
        let (mut target, mut source) = (Digest::new(), Digest::new());
        self.each_of_target(&mut |_, fingerprint| {
            target.add(fingerprint);
            seen += 1;
            progress(seen);
        })
        .await?;
        found.refused = self
            .each_of_source(&mut |_, fingerprint| {
                source.add(fingerprint);
                seen += 1;
                progress(seen);
            })
            .await?;
        (found.source_items, found.target_items) = (source.items(), target.items());
        for slices in source.differing(&target, HELD_ITEMS_MAX) {
            self.compare(&slices, on_extra, &mut found).await?;
        }
        found.request_units = self.pace.total() - started;
        Ok(found)
    }

    /// Names the differences in these slices.
    async fn compare(
        &self,
        slices: &[usize],
        on_extra: OnExtra,
        found: &mut Verification,
    ) -> Result<(), CopyError> {
        let mut held: HashMap<u128, Held> = HashMap::new();
        self.each_of_target(&mut |item, fingerprint| {
            if slices.binary_search(&fingerprint.slice()).is_ok() {
                held.insert(fingerprint.place, Held::new(item, fingerprint));
            }
        })
        .await?;
        self.each_of_source(&mut |item, fingerprint| {
            if slices.binary_search(&fingerprint.slice()).is_err() {
                return;
            }
            let kind = match held.get_mut(&fingerprint.place) {
                None => DifferenceKind::Missing,
                Some(held) if held.is_found => DifferenceKind::Clashing,
                Some(held) => {
                    held.is_found = true;
                    if held.content == fingerprint.content {
                        return;
                    }
                    DifferenceKind::Different
                }
            };
            found.name(kind, item.id, item.partition_key);
        })
        .await?;
        for extra in held.into_values().filter(|held| !held.is_found) {
            match on_extra {
                OnExtra::Delete if self.delete(&extra).await? => found.deleted += 1,
                _ => found.name(DifferenceKind::Extra, &extra.id, &extra.partition_key),
            }
        }
        Ok(())
    }

    /// Deletes an extra item unless somebody wrote it meanwhile; whether it is gone.
    async fn delete(&self, extra: &Held) -> Result<bool, CopyError> {
        self.pace.wait().await;
        let etag = extra.etag.as_deref().map(EntityTag::from_text);
        match self.to.delete(&extra.partition_key, &extra.id, etag.as_ref()).await {
            Ok(answer) => {
                self.pace.pay(answer.charge);
                Ok(true)
            }
            Err(error) if error.kind() == client::ErrorKind::NotFound => Ok(true),
            Err(error) if error.kind() == client::ErrorKind::Precondition => Ok(false),
            Err(error) => Err(CopyError::call(format!("deleting '{}'", extra.id))(error)),
        }
    }

    async fn each_of_target(
        &self,
        visit: &mut (dyn FnMut(Seen<'_>, Fingerprint) + Send),
    ) -> Result<(), CopyError> {
        self.each(&self.to, &mut |stored| {
            let item = own(stored);
            let partition_key = self.conversion.to.extract(&item);
            let id = item.get("id").and_then(Json::as_str).unwrap_or_default();
            let etag = stored.get("_etag").and_then(Json::as_str);
            let fingerprint = Fingerprint::of(&partition_key, id, &item);
            visit(Seen { id, partition_key: &partition_key, etag }, fingerprint);
        })
        .await
    }

    /// Visits the items of the source as the target should hold them; how many have no place there.
    async fn each_of_source(
        &self,
        visit: &mut (dyn FnMut(Seen<'_>, Fingerprint) + Send),
    ) -> Result<u64, CopyError> {
        let mut refused = 0;
        self.each(&self.from, &mut |stored| match self.conversion.convert(stored) {
            Ok(item) => {
                let fingerprint = Fingerprint::of(&item.partition_key, &item.id, &item.item);
                let seen = Seen { id: &item.id, partition_key: &item.partition_key, etag: None };
                visit(seen, fingerprint);
            }
            Err(_) => refused += 1,
        })
        .await?;
        Ok(refused)
    }

    /// Visits every item of a container once.
    async fn each(
        &self,
        container: &Container,
        visit: &mut (dyn FnMut(&Json) + Send),
    ) -> Result<(), CopyError> {
        let all = Query::text("SELECT * FROM c").fan_out("verifying a copy reads every item");
        let mut options = QueryPageOptions::default();
        loop {
            self.pace.wait().await;
            let page = container.query_page::<Box<RawValue>>(&all, options).await;
            let failed = CopyError::call(format!("reading {}", container.path()));
            let page = page.map_err(failed)?;
            self.pace.pay(page.charge);
            for row in &page.value.rows {
                let item = Json::parse(row.get().as_bytes()).map_err(|error| {
                    CopyError::Plan(format!("an item of {} is no JSON: {error}", container.path()))
                })?;
                visit(&item);
            }
            match page.value.continuation {
                None => return Ok(()),
                continuation => {
                    options = QueryPageOptions { continuation, ..QueryPageOptions::default() }
                }
            }
        }
    }
}

/// An item on its way past.
#[derive(Clone, Copy)]
struct Seen<'item> {
    id: &'item str,
    partition_key: &'item PartitionKey,
    etag: Option<&'item str>,
}

impl Held {
    fn new(seen: Seen<'_>, fingerprint: Fingerprint) -> Self {
        Self {
            content: fingerprint.content,
            is_found: false,
            id: seen.id.to_owned(),
            partition_key: seen.partition_key.clone(),
            etag: seen.etag.map(ToOwned::to_owned),
        }
    }
}
