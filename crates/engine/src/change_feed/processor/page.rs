//! One page of one lease: read, deliver, checkpoint.
//!
//! Owns what follows a failed page: another attempt after a growing delay, and after the last attempt the search for
//! the changes at fault, which are parked so that the rest goes on. Changes are delivered in their order throughout.

use std::sync::Arc;
use std::time::Duration;

use model::{FeedRange, TimestampMs};

use super::checkpoint::{Halt, Held, Retry};
use super::lease::LeasePosition;
use super::reaction::{self, Blame, Context, ReactionError};
use super::run::Inner;
use crate::change_feed::{Change, ChangeFeedPage};
use crate::operation::ReadChangeFeed;

/// Longest wait between two attempts at a page.
const RETRY_DELAY_MAX: Duration = Duration::from_secs(60);

/// How a page ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageEnd {
    Handled {
        changes: usize,
        parked: usize,
    },
    /// It held no changes of this range, but more may follow at once.
    Passed,
    /// Nothing is new.
    Nothing,
    /// It failed, now or before, and the time for the next attempt has not come.
    Waiting,
    /// The lease was replaced by leases of the parts of its range.
    Split,
}

/// What the reaction said in the end.
enum Delivered {
    Well,
    Badly(ReactionError),
}

impl Inner {
    /// Handles the next page of a lease.
    pub(crate) async fn page(&self, held: &Arc<Held>) -> Result<PageEnd, Halt> {
        held.renew(&self.store, self.environment(), self.renewal_due()).await?;
        let retry = held.retry();
        if self.now() < retry.not_before {
            return Ok(PageEnd::Waiting);
        }
        let page = self.read(held).await?;
        let [part] = page.position.ranges.as_slice() else {
            // The range now lies in several physical partitions; the page is read again by their leases.
            self.split(held, &page.position.ranges).await?;
            return Ok(PageEnd::Split);
        };
        let position = LeasePosition::After(part.lsn);
        if page.changes.is_empty() {
            held.pass(position).await;
            return Ok(if page.more { PageEnd::Passed } else { PageEnd::Nothing });
        }
        let attempt = retry.attempts.saturating_add(1);
        let parked = match self.deliver(held, &page.changes, attempt).await? {
            Delivered::Well => 0,
            Delivered::Badly(error) => {
                match self.failed(held, &page.changes, error, retry).await? {
                    Some(parked) => parked,
                    None => return Ok(PageEnd::Waiting),
                }
            }
        };
        let count = u64::try_from(parked).unwrap_or(u64::MAX);
        held.checkpoint(&self.store, self.environment(), position, count).await?;
        Ok(PageEnd::Handled { changes: page.changes.len(), parked })
    }

    async fn read(&self, held: &Held) -> crate::Result<ChangeFeedPage> {
        let lease = held.lease().await;
        let read = ReadChangeFeed {
            container: self.monitored.clone(),
            feed_range: FeedRange::Epk(lease.range.clone()),
            mode: self.settings.mode,
            start: lease.position.start(&lease.range),
            items_max: Some(self.settings.page_items_max),
        };
        Ok(self.engine.read_change_feed(read).await?.value)
    }

    /// Hands changes to the reaction, which is dropped when the lease is lost meanwhile.
    async fn deliver(
        &self,
        held: &Held,
        changes: &[Change],
        attempt: u32,
    ) -> Result<Delivered, Halt> {
        held.renew(&self.store, self.environment(), self.renewal_due()).await?;
        let context = Context {
            processor: self.store.prefix().to_owned(),
            instance: self.settings.instance.clone(),
            range: held.range.clone(),
            attempt,
        };
        tokio::select! {
            biased;
            () = held.until_lost() => Err(Halt::Lost),
            result = reaction::call(self.reaction.as_ref(), changes, &context) => {
                Ok(result.map_or_else(Delivered::Badly, |()| Delivered::Well))
            }
        }
    }

    /// Counts a failed attempt. After the last one, how many changes were parked to get over the page; none while
    /// another attempt is to come.
    async fn failed(
        &self,
        held: &Held,
        changes: &[Change],
        error: ReactionError,
        before: Retry,
    ) -> Result<Option<usize>, Halt> {
        self.remember(&error);
        let attempts = before.attempts.saturating_add(1);
        let is_last = attempts >= self.settings.attempts_max;
        if is_last && let Some(parked) = self.isolate(held, changes, error, attempts).await? {
            return Ok(Some(parked));
        }
        let delay = self.retry_delay(attempts);
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let not_before = TimestampMs(self.now().0.saturating_add(delay_ms));
        held.set_retry(Retry { attempts, not_before });
        Ok(None)
    }

    /// Finds the changes at fault by delivering ever smaller parts, and parks them. None when the reaction blames its
    /// surroundings on the way; what is parked by then is found again at the next attempt and written over.
    async fn isolate(
        &self,
        held: &Held,
        changes: &[Change],
        error: ReactionError,
        attempts: u32,
    ) -> Result<Option<usize>, Halt> {
        let mut parked = 0;
        // Parts still to be delivered, the next one last, each with the error it is known to end in.
        let mut parts = vec![(0..changes.len(), Some(error))];
        while let Some((part, known)) = parts.pop() {
            let delivered = changes.get(part.clone()).unwrap_or_default();
            let error = match known {
                Some(error) => error,
                None => match self.deliver(held, delivered, attempts).await? {
                    Delivered::Well => continue,
                    Delivered::Badly(error) => error,
                },
            };
            let cut = match error.blame() {
                Blame::Surroundings => return Ok(None),
                _ if part.len() == 1 => {
                    self.parked.park(&held.range, changes, part.start, &error, attempts).await?;
                    parked += 1;
                    continue;
                }
                Blame::Change(index) if index < part.len() => {
                    let at = part.start + index;
                    parts.push((at + 1..part.end, None));
                    parts.push((at..at + 1, Some(error)));
                    part.start..at
                }
                _ => {
                    let middle = part.start + part.len() / 2;
                    parts.push((middle..part.end, None));
                    part.start..middle
                }
            };
            parts.push((cut, None));
            parts.retain(|(part, _)| !part.is_empty());
        }
        Ok(Some(parked))
    }

    /// Doubles with every attempt.
    fn retry_delay(&self, attempts: u32) -> Duration {
        let factor = 1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
        self.settings.poll_interval.saturating_mul(factor).min(RETRY_DELAY_MAX)
    }
}
