//! Along the change feed of the source, page by page, until nothing is new or somebody says stop.
//!
//! Owns the order of things: a page is read, converted and written whole, then its position is kept. Items of a page
//! are written side by side; the feed names an item once in a page, so their order does not matter.

use std::time::Duration;

use client::{ChangeFeed, ChangeStart, Container, Json};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::checkpoint::{Checkpoint, Checkpoints};
use super::convert::{Converted, RefusedItems};
use super::error::CopyError;
use super::plan::{Copy, OnRefused};

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
    /// Items that have no place in the target, of this run, if they are to be left out.
    pub refused: RefusedItems,
    /// Items left out by all runs.
    pub refused_ever: u64,
    /// Request units spent by this run on both sides.
    pub request_units: f64,
    /// Whether it went on where an earlier run stopped.
    pub is_resumed: bool,
}

/// One page, converted.
#[derive(Default)]
struct Page {
    items: Vec<Converted>,
    continuation: String,
    is_last: bool,
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
        let mut done = Copied {
            copied: 0,
            refused: RefusedItems::default(),
            refused_ever: at.refused,
            request_units: 0.0,
            is_resumed: at.continuation.is_some(),
        };
        let (spent_before, mut until) = (at.request_units, until);
        loop {
            let page = self.page(at.continuation.take(), &mut done.refused).await?;
            if done.refused.count > 0 && self.on_refused == OnRefused::Stop {
                return Err(CopyError::Refused(self.all_refused(page, done.refused).await?));
            }
            done.copied += page.items.len() as u64;
            at.copied += page.items.len() as u64;
            self.write(page.items).await?;
            done.request_units = self.pace.total() - started;
            at.continuation = Some(page.continuation);
            at.refused = done.refused_ever + done.refused.count;
            at.request_units = spent_before + done.request_units;
            checkpoints.keep(&at).map_err(CopyError::Checkpoint)?;
            progress(Progress {
                copied: at.copied,
                refused: at.refused,
                request_units: at.request_units,
                is_caught_up: page.is_last,
            });
            if self.is_over(page.is_last, &mut until).await {
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

    async fn page(
        &self,
        continuation: Option<String>,
        refused: &mut RefusedItems,
    ) -> Result<Page, CopyError> {
        let start = continuation.map_or(ChangeStart::Beginning, ChangeStart::Continuation);
        let feed = ChangeFeed { items_max: Some(self.page_items_max), ..ChangeFeed::latest(start) };
        self.pace.wait().await;
        let what = format!("reading the changes of {}", self.from.path());
        let answer = self.from.changes::<IgnoredAny>(feed);
        let answer = answer.await.map_err(CopyError::call(what))?;
        self.pace.pay(answer.charge);
        let page = answer.value;
        let mut items = Vec::with_capacity(page.changes.len());
        for item in page.changes.iter().filter_map(|change| change.current.as_ref()) {
            let stored = Json::parse(item.text()).map_err(|error| {
                CopyError::Plan(format!("an item of the source is no JSON: {error}"))
            })?;
            match self.conversion.convert(&stored) {
                Ok(item) => items.push(item),
                Err(item) => refused.add(item),
            }
        }
        Ok(Page { items, continuation: page.continuation, is_last: !page.more })
    }

    /// Every item of the rest of the source that is refused, behind those already found. Nothing is written.
    async fn all_refused(
        &self,
        page: Page,
        mut refused: RefusedItems,
    ) -> Result<RefusedItems, CopyError> {
        let mut page = page;
        while !page.is_last {
            page = self.page(Some(page.continuation), &mut refused).await?;
        }
        Ok(refused)
    }

    async fn write(&self, items: Vec<Converted>) -> Result<(), CopyError> {
        let mut running = JoinSet::new();
        for item in items {
            if running.len() >= WRITES_AT_ONCE {
                self.finish_one(&mut running).await?;
            }
            self.pace.wait().await;
            running.spawn(upsert(self.to.clone(), item));
        }
        while !running.is_empty() {
            self.finish_one(&mut running).await?;
        }
        Ok(())
    }

    async fn finish_one(
        &self,
        running: &mut JoinSet<Result<f64, CopyError>>,
    ) -> Result<(), CopyError> {
        match running.join_next().await {
            Some(Ok(charge)) => self.pace.pay(charge?),
            Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
            None => {}
        }
        Ok(())
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

/// Writes one item and says what it cost.
async fn upsert(to: Container, converted: Converted) -> Result<f64, CopyError> {
    let Converted { id, partition_key, item } = converted;
    let what = format!("writing '{id}' in {} to {}", partition_key.to_json(), to.path());
    let text = RawValue::from_string(item.to_string())
        .map_err(|error| CopyError::Plan(format!("{what}: it cannot be printed: {error}")))?;
    let written = to.upsert(&partition_key, &text, None).await;
    Ok(written.map_err(CopyError::call(what))?.charge)
}
