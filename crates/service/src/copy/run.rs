//! Along the change feed of the source, page by page, until nothing is new or somebody says stop.
//!
//! Owns the order of things: a page is read, converted and written whole, then its position is kept. Steps of a page
//! are carried out side by side; there is one for each place in the target, so their order does not matter. From a
//! source that keeps all versions, the newest ones come first; then all since the beginning are replayed.

use std::time::Duration;

use client::{ChangeFeed, ChangeFeedMode, ChangeStart, Container, ErrorKind};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::checkpoint::{Checkpoint, Checkpoints};
use super::convert::{Converted, RefusedItems};
use super::error::CopyError;
use super::plan::{Copy, OnRefused};
use super::step::{Place, Step, Steps};

/// Upserts under way at once; an embedded target lets them share a sync.
const WRITES_AT_ONCE: usize = 64;
/// How long a copy that follows waits when nothing was new.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// When a copy ends.
#[derive(Clone, Debug)]
pub enum Until {
    /// When everything is copied.
    CaughtUp,
    /// When this becomes true; changes of the source are followed until then.
    Told(watch::Receiver<bool>),
}

/// How far a copy has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Items written, those of earlier runs included.
    pub copied: u64,
    /// Items left out, those of earlier runs included.
    pub refused: u64,
    /// Request units spent, those of earlier runs included.
    pub request_units: f64,
    /// Whether nothing was new when the source was last asked.
    pub is_caught_up: bool,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Items this run wrote.
    pub copied: u64,
    /// Items this run deleted because the source did; zero if the source does not keep all versions.
    pub deleted: u64,
    /// Deletions in the source of items whose place in the target is not known: verifying finds those items.
    pub unplaced: u64,
    /// Whether the source keeps all versions, so that its deletions are heard.
    pub hears_deletions: bool,
    /// Whether the source has forgotten versions before they were read: verifying finds what was deleted meanwhile.
    pub has_missed_deletions: bool,
    /// Items that have no place in the target, of this run, if they are to be left out.
    pub refused: RefusedItems,
    /// Items left out by all runs.
    pub refused_ever: u64,
    /// Request units spent by this run on both sides.
    pub request_units: f64,
    /// Whether it went on where an earlier run stopped.
    pub is_resumed: bool,
}

impl Copied {
    fn beginning(at: &Checkpoint, hears_deletions: bool) -> Self {
        Self {
            copied: 0,
            deleted: 0,
            unplaced: 0,
            hears_deletions,
            has_missed_deletions: false,
            refused: RefusedItems::default(),
            refused_ever: at.refused,
            request_units: 0.0,
            is_resumed: at.continuation.is_some(),
        }
    }
}

/// One page, converted.
struct Page {
    steps: Steps,
    mode: ChangeFeedMode,
    continuation: String,
    is_last: bool,
}

/// Which feed is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Latest,
    Versions,
}

impl Checkpoint {
    fn first_turn(&self) -> Turn {
        if self.is_backfilled { Turn::Versions } else { Turn::Latest }
    }

    /// The feed whose turn it is, from where it was left.
    fn feed(&self, turn: Turn) -> ChangeFeed {
        let from = |token: &String| ChangeStart::Continuation(token.clone());
        match (turn, &self.versions, &self.continuation) {
            (Turn::Versions, Some(versions), _) => ChangeFeed::all_versions(from(versions)),
            (_, _, continuation) => {
                ChangeFeed::latest(continuation.as_ref().map_or(ChangeStart::Beginning, from))
            }
        }
    }

    /// Goes on behind a page: whose turn it is then, and whether nothing is new.
    ///
    /// All versions are read beside the newest ones from the beginning, so that none is forgotten before it is read,
    /// and alone once the newest ones are all there. A version may be written after a newer one was; the newer one
    /// comes again behind it.
    fn advance(&mut self, page: &Page) -> (Turn, bool) {
        let continuation = Some(page.continuation.clone());
        match page.mode {
            ChangeFeedMode::LatestVersion => {
                self.continuation = continuation;
                if self.versions.is_none() {
                    return (Turn::Latest, page.is_last);
                }
                self.is_backfilled |= page.is_last;
                (Turn::Versions, false)
            }
            ChangeFeedMode::AllVersionsAndDeletes => {
                self.versions = continuation;
                let turn = if page.is_last { self.first_turn() } else { Turn::Versions };
                (turn, page.is_last && self.is_backfilled)
            }
        }
    }
}

impl Copy {
    /// Copies, from the last checkpoint on.
    ///
    /// # Errors
    /// `Refused` when items have no place in the target and are not to be left out; `Checkpoint`; `Call`.
    pub async fn run(
        &self,
        checkpoints: &dyn Checkpoints,
        until: Until,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Copied, CopyError> {
        let started = self.pace.total();
        let mut at = self.start(checkpoints)?;
        let hears_deletions = self.hear_deletions(&mut at).await?;
        let mut done = Copied::beginning(&at, hears_deletions);
        let (spent_before, mut until) = (at.request_units, until);
        let mut turn = at.first_turn();
        loop {
            let Some(page) = self.page(at.feed(turn), &mut done.refused).await? else {
                // The newest versions are never forgotten; only deletions are.
                (at.versions, at.is_backfilled) = (None, false);
                done.hears_deletions = self.hear_deletions(&mut at).await?;
                done.has_missed_deletions = true;
                turn = Turn::Latest;
                continue;
            };
            let (next, is_caught_up) = at.advance(&page);
            if done.refused.count > 0 && self.on_refused == OnRefused::Stop {
                return Err(CopyError::Refused(self.all_refused(at, done.refused).await?));
            }
            turn = next;
            at.copied += self.carry_out(page.steps, &mut done).await?;
            done.request_units = self.pace.total() - started;
            at.refused = done.refused_ever + done.refused.count;
            at.request_units = spent_before + done.request_units;
            checkpoints.keep(&at).map_err(CopyError::Checkpoint)?;
            progress(Progress {
                copied: at.copied,
                refused: at.refused,
                request_units: at.request_units,
                is_caught_up,
            });
            if self.is_over(is_caught_up, &mut until).await {
                done.refused_ever = at.refused;
                return Ok(done);
            }
        }
    }

    fn start(&self, checkpoints: &dyn Checkpoints) -> Result<Checkpoint, CopyError> {
        let plan = self.name();
        let kept = checkpoints.load().map_err(CopyError::Checkpoint)?;
        match kept {
            Some(kept) if kept.plan != plan => Err(CopyError::Checkpoint(format!(
                "it belongs to another copy ({}), this one is {plan}; begin anew, or keep this one elsewhere",
                kept.plan
            ))),
            // A copy that left items out may have an empty target although it is not new.
            Some(kept) if !self.starts_over || kept.copied == 0 => Ok(kept),
            _ => Ok(Checkpoint { plan, ..Checkpoint::default() }),
        }
    }

    /// Marks where the feed of all versions is now, before anything is read; false for a source without such a feed.
    async fn hear_deletions(&self, at: &mut Checkpoint) -> Result<bool, CopyError> {
        if at.versions.is_some() {
            return Ok(true);
        }
        self.pace.wait().await;
        let feed = ChangeFeed::all_versions(ChangeStart::Now);
        match self.from.changes::<IgnoredAny>(feed).await {
            Ok(answer) => {
                self.pace.pay(answer.charge);
                at.versions = Some(answer.value.continuation);
                Ok(true)
            }
            Err(error)
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

    /// The next page; none when the source has forgotten versions that belong to it.
    async fn page(
        &self,
        feed: ChangeFeed,
        refused: &mut RefusedItems,
    ) -> Result<Option<Page>, CopyError> {
        let feed = ChangeFeed { items_max: Some(self.page_items_max), ..feed };
        let mode = feed.mode;
        self.pace.wait().await;
        let answer = match self.from.changes::<IgnoredAny>(feed).await {
            Ok(answer) => answer,
            Err(error)
                if mode == ChangeFeedMode::AllVersionsAndDeletes
                    && error.kind() == ErrorKind::BadRequest =>
            {
                return Ok(None);
            }
            Err(error) => return Err(CopyError::call(self.reading())(error)),
        };
        self.pace.pay(answer.charge);
        let page = answer.value;
        let mut steps = Steps::default();
        for change in &page.changes {
            match mode {
                ChangeFeedMode::LatestVersion => steps.latest(&self.conversion, change, refused)?,
                ChangeFeedMode::AllVersionsAndDeletes => {
                    steps.version(&self.conversion, change, refused)?;
                }
            }
        }
        Ok(Some(Page { steps, mode, continuation: page.continuation, is_last: !page.more }))
    }

    /// Every item of the rest of the source that is refused, behind those already found. Nothing is written.
    async fn all_refused(
        &self,
        mut at: Checkpoint,
        mut refused: RefusedItems,
    ) -> Result<RefusedItems, CopyError> {
        // The newest versions are enough: other versions are of the same items.
        at.versions = None;
        while !at.is_backfilled {
            let Some(page) = self.page(at.feed(Turn::Latest), &mut refused).await? else { break };
            at.is_backfilled = at.advance(&page).1;
        }
        Ok(refused)
    }

    /// Writes and deletes, and counts it; how many were written.
    async fn carry_out(&self, steps: Steps, done: &mut Copied) -> Result<u64, CopyError> {
        let mut running = JoinSet::new();
        let mut written = 0;
        done.unplaced += steps.unplaced;
        for step in steps.into_inner() {
            if running.len() >= WRITES_AT_ONCE {
                done.deleted += self.finish_one(&mut running).await?;
            }
            self.pace.wait().await;
            match step {
                Step::Write(item) => {
                    written += 1;
                    running.spawn(upsert(self.to.clone(), item));
                }
                Step::Delete(place) => {
                    running.spawn(delete(self.to.clone(), place));
                }
            }
        }
        while !running.is_empty() {
            done.deleted += self.finish_one(&mut running).await?;
        }
        done.copied += written;
        Ok(written)
    }

    /// Waits for one step and pays for it; how many items it deleted.
    async fn finish_one(
        &self,
        running: &mut JoinSet<Result<Carried, CopyError>>,
    ) -> Result<u64, CopyError> {
        match running.join_next().await {
            Some(Ok(carried)) => {
                let Carried { charge, deleted } = carried?;
                self.pace.pay(charge);
                Ok(deleted)
            }
            Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
            None => Ok(0),
        }
    }

    /// Whether the run has come to its end. Waits a little when the copy follows a source in which nothing was new.
    async fn is_over(&self, is_caught_up: bool, until: &mut Until) -> bool {
        let told = match until {
            Until::CaughtUp => return is_caught_up,
            Until::Told(told) => told,
        };
        if *told.borrow() {
            return true;
        }
        if !is_caught_up {
            return false;
        }
        let environment = self.from.account().environment();
        tokio::select! {
            () = environment.sleep(FOLLOW_EVERY) => *told.borrow(),
            // Nobody is left who could say it: then it was said.
            changed = told.changed() => changed.is_err() || *told.borrow(),
        }
    }
}

/// A step that was carried out.
struct Carried {
    charge: f64,
    deleted: u64,
}

async fn upsert(to: Container, converted: Converted) -> Result<Carried, CopyError> {
    let Converted { id, partition_key, item } = converted;
    let what = format!("writing '{id}' in {} to {}", partition_key.to_json(), to.path());
    let text = RawValue::from_string(item.to_string())
        .map_err(|error| CopyError::Plan(format!("{what}: it cannot be printed: {error}")))?;
    let written = to.upsert(&partition_key, &text, None).await;
    let charge = written.map_err(CopyError::call(what))?.charge;
    Ok(Carried { charge, deleted: 0 })
}

/// Deletes one item, if it is there.
async fn delete(to: Container, place: Place) -> Result<Carried, CopyError> {
    let Place { id, partition_key } = place;
    match to.delete(&partition_key, &id, None).await {
        Ok(answer) => Ok(Carried { charge: answer.charge, deleted: 1 }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(Carried { charge: 0.0, deleted: 0 })
        }
        Err(error) => {
            let what = format!("deleting '{id}' in {} of {}", partition_key.to_json(), to.path());
            Err(CopyError::call(what)(error))
        }
    }
}
