//! The loop along the change feed of the source, page by page, until nothing is new or the caller stops it.
//!
//! Owns the order: a page is read, converted and written completely, then its position is saved. The writes of a page
//! run concurrently; there is one per address in the target, so their order does not matter. From a source that keeps
//! all versions, the latest versions are copied first; then all versions since the beginning are replayed.

use std::time::Duration;

use client::{ChangeFeed, ChangeFeedMode, ChangeStart, Container, ErrorKind};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::checkpoint::{Checkpoint, CheckpointStore};
use super::convert::{ConvertedItem, RejectedItems};
use super::error::CopyError;
use super::feed_order::{ConvertedPage, FeedKind};
use super::plan::{ContainerCopy, OnRejected};
use super::target_write::{TargetItemAddress, TargetWrite, TargetWrites};

/// Number of concurrent writes; an embedded target commits them with one sync.
const WRITES_AT_ONCE: usize = 64;
/// The delay of a copy that follows the source when nothing is new.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(1);

/// When a copy stops.
#[derive(Clone, Debug)]
pub enum StopCondition {
    /// When everything is copied.
    CaughtUp,
    /// When this becomes true; the changes of the source are followed until then.
    Signal(watch::Receiver<bool>),
}

/// The progress of a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyProgress {
    /// Number of items written, including earlier runs.
    pub copied: u64,
    /// Number of items skipped, including earlier runs.
    pub refused: u64,
    /// Request units spent, including earlier runs.
    pub request_units: f64,
    /// Whether the last page of the source contained nothing new.
    pub is_caught_up: bool,
}

/// The summary of a run.
#[derive(Clone, Debug)]
pub struct CopySummary {
    /// Number of items written by this run.
    pub copied: u64,
    /// Number of items deleted because they were deleted in the source; zero if the source does not keep all versions.
    pub deleted: u64,
    /// Number of deletions whose address in the target is unknown: verifying finds those items.
    pub unplaced: u64,
    /// Whether the source keeps all versions, so that its deletions are seen.
    pub sees_deletions: bool,
    /// Whether versions expired in the source before they were read: verifying finds what was deleted meanwhile.
    pub has_missed_deletions: bool,
    /// The items that this run skipped.
    pub refused: RejectedItems,
    /// Number of items skipped by all runs.
    pub rejected_total: u64,
    /// Request units spent by this run on both sides.
    pub request_units: f64,
    /// Whether it continued an earlier run.
    pub is_resumed: bool,
}

impl CopySummary {
    fn new(at: &Checkpoint, sees_deletions: bool) -> Self {
        Self {
            copied: 0,
            deleted: 0,
            unplaced: 0,
            sees_deletions,
            has_missed_deletions: false,
            refused: RejectedItems::default(),
            rejected_total: at.refused,
            request_units: 0.0,
            is_resumed: at.continuation.is_some(),
        }
    }
}

/// What reading a page gave.
enum NextPage {
    Converted(ConvertedPage),
    /// The source does not know the position in the feed of all versions: what belongs to it may have expired.
    Refused(client::Error),
}

impl ContainerCopy {
    /// Copies from the last checkpoint on.
    ///
    /// # Errors
    /// `Rejected` if the target cannot hold some items and they must not be skipped; `Checkpoint`; `Call`.
    pub async fn run(
        &self,
        checkpoints: &dyn CheckpointStore,
        until: StopCondition,
        progress: &(dyn Fn(CopyProgress) + Send + Sync),
    ) -> Result<CopySummary, CopyError> {
        // The pacer also counts the calls of `prepare` and of earlier runs in this process.
        let started = self.pacer.total();
        let mut at = self.start(checkpoints)?;
        let sees_deletions = self.mark_versions(&mut at).await?;
        let mut summary = CopySummary::new(&at, sees_deletions);
        let (spent_before, mut until) = (at.request_units, until);
        let mut feed = at.first_feed();
        let mut is_restarted = false;
        loop {
            let page = match self.page(at.feed(feed), &mut summary.refused).await? {
                NextPage::Converted(page) => page,
                // A position from a moment ago has not expired: whatever is wrong, starting again does not help.
                NextPage::Refused(error) if is_restarted => {
                    return Err(CopyError::call(self.reading())(error));
                }
                // Versions expired before we read them. Latest versions never expire, so only deletions are missed;
                // start the feed of all versions again from now.
                NextPage::Refused(_) => {
                    is_restarted = true;
                    (at.versions, at.is_backfilled) = (None, false);
                    summary.sees_deletions = self.mark_versions(&mut at).await?;
                    summary.has_missed_deletions = true;
                    feed = FeedKind::Latest;
                    continue;
                }
            };
            is_restarted &= page.mode == ChangeFeedMode::LatestVersion;
            let (next, is_caught_up) = at.advance(&page);
            if summary.refused.count > 0 && self.on_rejected == OnRejected::Stop {
                return Err(CopyError::Rejected(
                    self.find_all_rejected(at, summary.refused).await?,
                ));
            }
            feed = next;
            at.copied += self.apply_writes(page.writes, &mut summary).await?;
            summary.request_units = self.pacer.total() - started;
            at.refused = summary.rejected_total + summary.refused.count;
            at.request_units = spent_before + summary.request_units;
            // After the page was written completely, never before: a crash here repeats the page.
            checkpoints.save(&at).map_err(CopyError::Checkpoint)?;
            progress(CopyProgress {
                copied: at.copied,
                refused: at.refused,
                request_units: at.request_units,
                is_caught_up,
            });
            if self.wait_or_stop(is_caught_up, &mut until).await {
                summary.rejected_total = at.refused;
                return Ok(summary);
            }
        }
    }

    fn start(&self, checkpoints: &dyn CheckpointStore) -> Result<Checkpoint, CopyError> {
        let plan = self.name();
        let kept = checkpoints.load().map_err(CopyError::Checkpoint)?;
        match kept {
            Some(kept) if kept.plan != plan => Err(CopyError::Checkpoint(format!(
                "it belongs to another copy ({}), this one is {plan}; begin anew, or keep this one elsewhere",
                kept.plan
            ))),
            // A target may be empty although the copy is not new, if it skipped every item so far.
            Some(kept) if !self.starts_over || kept.copied == 0 => Ok(kept),
            _ => Ok(Checkpoint { plan, ..Checkpoint::default() }),
        }
    }

    /// Records the current position of the feed of all versions. This must happen before anything else is read: a
    /// deletion between the two would be missed. Returns false for a source without such a feed.
    async fn mark_versions(&self, at: &mut Checkpoint) -> Result<bool, CopyError> {
        if at.versions.is_some() {
            return Ok(true);
        }
        self.pacer.wait().await;
        let feed = ChangeFeed::all_versions(ChangeStart::Now);
        match self.from.changes::<IgnoredAny>(feed).await {
            Ok(answer) => {
                self.pacer.pay(answer.charge);
                at.versions = Some(answer.value.continuation);
                Ok(true)
            }
            Err(error)
                // How accounts answer that do not keep all versions.
                if matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::Unsupported) =>
            {
                Ok(false)
            }
            Err(error) => Err(CopyError::call(self.reading())(error)),
        }
    }

    fn reading(&self) -> String {
        format!("reading the changes of {}", self.from.path())
    }

    /// The next page.
    async fn page(
        &self,
        feed: ChangeFeed,
        refused: &mut RejectedItems,
    ) -> Result<NextPage, CopyError> {
        let feed = ChangeFeed { items_max: Some(self.page_items_max), ..feed };
        let mode = feed.mode;
        self.pacer.wait().await;
        let answer = match self.from.changes::<IgnoredAny>(feed).await {
            Ok(answer) => answer,
            Err(error)
                if mode == ChangeFeedMode::AllVersionsAndDeletes
                    && error.kind() == ErrorKind::BadRequest =>
            {
                return Ok(NextPage::Refused(error));
            }
            Err(error) => return Err(CopyError::call(self.reading())(error)),
        };
        self.pacer.pay(answer.charge);
        let page = answer.value;
        let mut writes = TargetWrites::default();
        for change in &page.changes {
            match mode {
                ChangeFeedMode::LatestVersion => {
                    writes.latest(&self.conversion, change, refused)?;
                }
                ChangeFeedMode::AllVersionsAndDeletes => {
                    writes.version(&self.conversion, change, refused)?;
                }
            }
        }
        Ok(NextPage::Converted(ConvertedPage {
            writes,
            mode,
            continuation: page.continuation,
            is_last: !page.more,
        }))
    }

    /// Reads the rest of the source and adds its rejected items to those already found. Nothing is written.
    async fn find_all_rejected(
        &self,
        mut at: Checkpoint,
        mut refused: RejectedItems,
    ) -> Result<RejectedItems, CopyError> {
        // The latest versions are enough: other versions belong to the same items.
        at.versions = None;
        while !at.is_backfilled {
            let NextPage::Converted(page) =
                self.page(at.feed(FeedKind::Latest), &mut refused).await?
            else {
                break;
            };
            at.is_backfilled = at.advance(&page).1;
        }
        Ok(refused)
    }

    /// Writes and deletes in the target. Returns the number of items written.
    async fn apply_writes(
        &self,
        writes: TargetWrites,
        summary: &mut CopySummary,
    ) -> Result<u64, CopyError> {
        let mut running = JoinSet::new();
        let mut written = 0;
        summary.unplaced += writes.unplaced;
        for write in writes.into_inner() {
            if running.len() >= WRITES_AT_ONCE {
                summary.deleted += self.finish_write(&mut running).await?;
            }
            self.pacer.wait().await;
            match write {
                TargetWrite::Upsert(item) => {
                    written += 1;
                    running.spawn(upsert(self.to.clone(), item));
                }
                TargetWrite::Delete(place) => {
                    running.spawn(delete(self.to.clone(), place));
                }
            }
        }
        while !running.is_empty() {
            summary.deleted += self.finish_write(&mut running).await?;
        }
        summary.copied += written;
        Ok(written)
    }

    /// Waits for one write and records its charge. Returns the number of items it deleted.
    async fn finish_write(
        &self,
        running: &mut JoinSet<Result<WriteResult, CopyError>>,
    ) -> Result<u64, CopyError> {
        match running.join_next().await {
            Some(Ok(result)) => {
                let WriteResult { charge, deleted } = result?;
                self.pacer.pay(charge);
                Ok(deleted)
            }
            // Tasks are never aborted here, so a join error is a panic.
            Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
            None => Ok(0),
        }
    }

    /// Returns whether the run must stop. Waits first if the copy follows a source in which nothing is new.
    async fn wait_or_stop(&self, is_caught_up: bool, until: &mut StopCondition) -> bool {
        let signal = match until {
            StopCondition::CaughtUp => return is_caught_up,
            StopCondition::Signal(signal) => signal,
        };
        // Between two pages, even if more is waiting: the checkpoint is saved.
        if *signal.borrow() {
            return true;
        }
        if !is_caught_up {
            return false;
        }
        let environment = self.from.account().environment();
        tokio::select! {
            () = environment.sleep(FOLLOW_INTERVAL) => *signal.borrow(),
            // The sender is gone, so nobody can stop the copy any more: stop now.
            changed = signal.changed() => changed.is_err() || *signal.borrow(),
        }
    }
}

/// The result of one write.
struct WriteResult {
    charge: f64,
    deleted: u64,
}

async fn upsert(to: Container, converted: ConvertedItem) -> Result<WriteResult, CopyError> {
    let ConvertedItem { id, partition_key, item } = converted;
    let what = format!("writing '{id}' in {} to {}", partition_key.to_json(), to.path());
    // As raw text, so that numbers keep their digits.
    let text = RawValue::from_string(item.to_string())
        .map_err(|error| CopyError::Plan(format!("{what}: it cannot be printed: {error}")))?;
    let written = to.upsert(&partition_key, &text, None).await;
    let charge = written.map_err(CopyError::call(what))?.charge;
    Ok(WriteResult { charge, deleted: 0 })
}

/// Deletes one item, if it exists.
async fn delete(to: Container, place: TargetItemAddress) -> Result<WriteResult, CopyError> {
    let TargetItemAddress { id, partition_key } = place;
    match to.delete(&partition_key, &id, None).await {
        Ok(answer) => Ok(WriteResult { charge: answer.charge, deleted: 1 }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // The page is repeated after a crash, and the first pass has deleted it already.
            Ok(WriteResult { charge: 0.0, deleted: 0 })
        }
        Err(error) => {
            let what = format!("deleting '{id}' in {} of {}", partition_key.to_json(), to.path());
            Err(CopyError::call(what)(error))
        }
    }
}
