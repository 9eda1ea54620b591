//! Events that come in at a pace while two workers run, and how long each takes into the list.
//!
//! Owns the subscriber: it reads the change feed of the lists, as a program would that shows them live.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use client::{ChangeFeed, ChangeStart, Container};
use serde::Deserialize;
use service::http::ShutdownSignal;
use tokio::task::JoinSet;

use super::super::latency::Moments;
use super::super::mix::CALLERS;
use super::super::outcome::outcomes;
use super::super::side::{Latency, Outcomes};
use super::drain::{Ends, OurDrain};
use super::open::{Ours, new_event};
use crate::{Error, Result, progress};

/// How often the subscriber looks.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// The workers share the queue after two looks of theirs.
const SETTLING: Duration = Duration::from_secs(2);
/// Without any end for so long, something is wrong.
const PATIENCE: u32 = 120;

#[derive(Deserialize)]
struct Seen {
    #[serde(rename = "targetId")]
    target_id: String,
}

impl Ours {
    /// Sends the events of these numbers at a pace.
    pub(in crate::notifications) async fn steady(
        &self,
        numbers: Range<u64>,
        per_second: f64,
        drain: &OurDrain,
    ) -> Result<Latency> {
        progress::step(&format!("planisphere: {per_second:.0} events per second"));
        for worker in &self.workers {
            worker.stop().await?;
        }
        let shutdown = ShutdownSignal::new();
        let mut running = JoinSet::new();
        for _ in 0..self.workers.len() {
            let (system, shutdown) = (self.system.clone(), shutdown.clone());
            running.spawn(async move { Ok::<_, Error>(system.run(&shutdown).await?) });
        }
        tokio::time::sleep(SETTLING).await;
        let moments = Arc::new(Moments::begin(numbers.clone(), per_second));
        let lists = self.system.containers().notifications.clone();
        running.spawn(subscribe(lists, Arc::clone(&moments), shutdown.clone()));
        self.send(&moments).await?;
        let all = self.mix.events + numbers.end - numbers.start;
        let waited = wait_for(&drain.ends, all).await;
        // What was written last must be seen too.
        tokio::time::sleep(LOOK_EVERY * 10).await;
        shutdown.trigger();
        while let Some(done) = running.join_next().await {
            done??;
        }
        waited?;
        moments.latency()
    }

    /// What became of all events.
    pub(in crate::notifications) async fn outcomes(&self) -> Result<Outcomes> {
        outcomes(self.system.containers()).await
    }

    async fn send(&self, moments: &Arc<Moments>) -> Result<()> {
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (system, mix, moments) = (self.system.clone(), self.mix, Arc::clone(moments));
            callers.spawn(async move {
                while let Some((number, wait)) = moments.next() {
                    tokio::time::sleep(wait).await;
                    system.enqueue(new_event(mix.happening(number))?).await?;
                    moments.answered(number);
                }
                Ok::<_, Error>(())
            });
        }
        while let Some(done) = callers.join_next().await {
            done??;
        }
        Ok(())
    }
}

/// Notes when each notification is seen, until the signal.
async fn subscribe(
    lists: Container,
    moments: Arc<Moments>,
    shutdown: ShutdownSignal,
) -> Result<()> {
    let mut start = ChangeStart::Now;
    while !shutdown.is_triggered() {
        let page = lists.changes::<Seen>(ChangeFeed::latest(start)).await?.value;
        for change in page.changes.iter().filter_map(|change| change.current.as_ref()) {
            moments.seen(change.value.target_id.parse()?);
        }
        start = ChangeStart::Continuation(page.continuation);
        if !page.more {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    Ok(())
}

/// Waits until so many events have ended.
async fn wait_for(ends: &Ends, events: u64) -> Result<()> {
    let (mut last, mut idle) = (0, 0);
    while ends.count() < events {
        tokio::time::sleep(Duration::from_secs(1)).await;
        idle = if ends.count() == last { idle + 1 } else { 0 };
        last = ends.count();
        if idle >= PATIENCE {
            return Err(format!("only {last} of {events} events were processed").into());
        }
    }
    Ok(())
}
