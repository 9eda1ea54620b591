//! Verifies that the target holds exactly the items of the source.
//!
//! Owns the comparison: first the digests of all items, in constant memory; then, for the slices that differ, item by
//! item. The target is read before the source, so that an item written to both meanwhile counts as missing, which is
//! harmless, and not as extra, which could delete it. Nothing should write meanwhile: what changes during the
//! comparison is reported as a difference.

use std::collections::HashMap;

use client::{Container, EntityTag, Json, PartitionKey, Query, QueryPageOptions};
use serde_json::value::RawValue;

use super::convert::strip_system_properties;
use super::error::CopyError;
use super::plan::ContainerCopy;
use super::slices::{ContainerDigest, ItemHashes};

/// Maximum number of items of the target in memory while slices are compared.
const COMPARED_ITEMS_MAX: u64 = 200_000;
/// Maximum number of differences that are listed; all are counted.
const LISTED_MAX: usize = 20;

/// What to do with items that exist only in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExtraItem {
    /// Report them.
    Report,
    /// Delete them, unless they are written meanwhile.
    Delete,
}

/// The result of a verification.
#[derive(Clone, Debug, Default)]
pub struct CopyVerification {
    /// Number of items in the source, without those the target cannot hold.
    pub source_items: u64,
    /// Number of items in the target when it was read.
    pub target_items: u64,
    /// Number of items in the source that the target cannot hold.
    pub refused: u64,
    /// Number of items only in the source.
    pub missing: u64,
    /// Number of items with different content.
    pub different: u64,
    /// Number of items of the source that would have the same address in the target as another one.
    pub clashing: u64,
    /// Number of items only in the target, and not deleted.
    pub extra: u64,
    /// Number of items only in the target that were deleted.
    pub deleted: u64,
    /// The first differences.
    pub first: Vec<Difference>,
    /// Request units spent on both sides.
    pub request_units: f64,
}

/// One item that differs, by its address in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// Its id.
    pub id: String,
    /// Its partition key in the target, as JSON.
    pub partition_key: String,
}

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It exists only in the source.
    Missing,
    /// Its content differs.
    Different,
    /// Two items of the source have this address in the target.
    Clashing,
    /// It exists only in the target.
    Extra,
}

/// An item of the target, to be matched with one of the source.
struct TargetEntry {
    content: u128,
    is_matched: bool,
    id: String,
    partition_key: PartitionKey,
    etag: Option<String>,
}

impl CopyVerification {
    /// Whether the target now holds exactly the items of the source.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.missing + self.different + self.clashing + self.extra == 0
    }

    fn add(&mut self, kind: DifferenceKind, id: &str, key: &PartitionKey) {
        let counted = match kind {
            DifferenceKind::Missing => &mut self.missing,
            DifferenceKind::Different => &mut self.different,
            DifferenceKind::Clashing => &mut self.clashing,
            DifferenceKind::Extra => &mut self.extra,
        };
        *counted += 1;
        if self.first.len() < LISTED_MAX {
            let partition_key = key.to_json().to_string();
            self.first.push(Difference { kind, id: id.to_owned(), partition_key });
        }
    }
}

impl ContainerCopy {
    /// Compares source and target, item by item where their digests differ.
    ///
    /// # Errors
    /// `Call` if a side cannot be read.
    pub async fn verify(
        &self,
        on_extra: OnExtraItem,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<CopyVerification, CopyError> {
        let started = self.pacer.total();
        let mut verification = CopyVerification::default();
        let mut items = 0;
        let (mut target, mut source) = (ContainerDigest::new(), ContainerDigest::new());
        // The target first; see above.
        self.visit_target(&mut |_, hashes| {
            target.add(hashes);
            items += 1;
            progress(items);
        })
        .await?;
        verification.refused = self
            .visit_source(&mut |_, hashes| {
                source.add(hashes);
                items += 1;
                progress(items);
            })
            .await?;
        (verification.source_items, verification.target_items) = (source.items(), target.items());
        for slices in source.differing(&target, COMPARED_ITEMS_MAX) {
            self.compare(&slices, on_extra, &mut verification).await?;
        }
        verification.request_units = self.pacer.total() - started;
        Ok(verification)
    }

    /// Compares the items in these slices.
    async fn compare(
        &self,
        slices: &[usize],
        on_extra: OnExtraItem,
        verification: &mut CopyVerification,
    ) -> Result<(), CopyError> {
        let mut entries: HashMap<u128, TargetEntry> = HashMap::new();
        self.visit_target(&mut |item, hashes| {
            // `differing` returns the slices in ascending order.
            if slices.binary_search(&hashes.slice()).is_ok() {
                entries.insert(hashes.address, TargetEntry::new(item, hashes));
            }
        })
        .await?;
        self.visit_source(&mut |item, hashes| {
            if slices.binary_search(&hashes.slice()).is_err() {
                return;
            }
            let kind = match entries.get_mut(&hashes.address) {
                None => DifferenceKind::Missing,
                // Another item of the source was matched with it: the second one overwrote the first when it was
                // copied.
                Some(entry) if entry.is_matched => DifferenceKind::Clashing,
                Some(entry) => {
                    entry.is_matched = true;
                    if entry.content == hashes.content {
                        return;
                    }
                    DifferenceKind::Different
                }
            };
            verification.add(kind, item.id, item.partition_key);
        })
        .await?;
        for extra in entries.into_values().filter(|entry| !entry.is_matched) {
            match on_extra {
                // One that was written meanwhile is not deleted and reported below.
                OnExtraItem::Delete if self.delete(&extra).await? => verification.deleted += 1,
                _ => verification.add(DifferenceKind::Extra, &extra.id, &extra.partition_key),
            }
        }
        Ok(())
    }

    /// Deletes an extra item, unless it was written meanwhile: the etag is that of the comparison. Returns whether it
    /// is gone.
    async fn delete(&self, extra: &TargetEntry) -> Result<bool, CopyError> {
        self.pacer.wait().await;
        let etag = extra.etag.as_deref().map(EntityTag::from_text);
        match self.to.delete(&extra.partition_key, &extra.id, etag.as_ref()).await {
            Ok(answer) => {
                self.pacer.pay(answer.charge);
                Ok(true)
            }
            // Somebody else has deleted it, which is what was wanted.
            Err(error) if error.kind() == client::ErrorKind::NotFound => Ok(true),
            Err(error) if error.kind() == client::ErrorKind::Precondition => Ok(false),
            Err(error) => Err(CopyError::call(format!("deleting '{}'", extra.id))(error)),
        }
    }

    async fn visit_target(
        &self,
        visit: &mut (dyn FnMut(ItemRef<'_>, ItemHashes) + Send),
    ) -> Result<(), CopyError> {
        self.visit_all(&self.to, &mut |stored| {
            let item = strip_system_properties(stored);
            let partition_key = self.conversion.to.extract(&item);
            let id = item.get("id").and_then(Json::as_str).unwrap_or_default();
            let etag = stored.get("_etag").and_then(Json::as_str);
            let hashes = ItemHashes::new(&partition_key, id, &item);
            visit(ItemRef { id, partition_key: &partition_key, etag }, hashes);
        })
        .await
    }

    /// Visits the items of the source as the target should hold them. Returns the number of those it cannot hold.
    async fn visit_source(
        &self,
        visit: &mut (dyn FnMut(ItemRef<'_>, ItemHashes) + Send),
    ) -> Result<u64, CopyError> {
        let mut refused = 0;
        self.visit_all(&self.from, &mut |stored| match self.conversion.convert(stored) {
            Ok(item) => {
                let hashes = ItemHashes::new(&item.partition_key, &item.id, &item.item);
                let item_ref =
                    ItemRef { id: &item.id, partition_key: &item.partition_key, etag: None };
                visit(item_ref, hashes);
            }
            Err(_) => refused += 1,
        })
        .await?;
        Ok(refused)
    }

    /// Visits every item of a container once.
    async fn visit_all(
        &self,
        container: &Container,
        visit: &mut (dyn FnMut(&Json) + Send),
    ) -> Result<(), CopyError> {
        let all = Query::text("SELECT * FROM c").fan_out("verifying a copy reads every item");
        let mut options = QueryPageOptions::default();
        loop {
            self.pacer.wait().await;
            let page = container.query_page::<Box<RawValue>>(&all, options).await;
            let failed = CopyError::call(format!("reading {}", container.path()));
            let page = page.map_err(failed)?;
            self.pacer.pay(page.charge);
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

/// A visited item.
#[derive(Clone, Copy)]
struct ItemRef<'item> {
    id: &'item str,
    partition_key: &'item PartitionKey,
    etag: Option<&'item str>,
}

impl TargetEntry {
    fn new(item: ItemRef<'_>, hashes: ItemHashes) -> Self {
        Self {
            content: hashes.content,
            is_matched: false,
            id: item.id.to_owned(),
            partition_key: item.partition_key.clone(),
            etag: item.etag.map(ToOwned::to_owned),
        }
    }
}
