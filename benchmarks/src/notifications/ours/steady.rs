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

use super::super::latency::LatencyRecorder;
use super::super::mix::CALLERS;
use super::super::outcome::outcomes;
use super::super::side::{Latency, Outcomes};
use super::drain::{Ends, OurDrain};
use super::open::{Ours, new_event};
use crate::{Error, Result, progress};

/// How often the subscriber polls.
const POLL_EVERY: Duration = Duration::from_millis(2);
/// The workers share the queue after two polls.
const SETTLING: Duration = Duration::from_secs(2);
/// If no event ends for this many seconds, something is wrong.
const PATIENCE: u32 = 120;

#[derive(Deserialize)]
struct SeenNotification {
    #[serde(rename = "targetId")]
    target_id: String,
}

impl Ours {
    /// Sends events at a fixed rate.
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
        let latencies = Arc::new(LatencyRecorder::begin(numbers.clone(), per_second));
        let lists = self.system.containers().notifications.clone();
        running.spawn(subscribe(lists, Arc::clone(&latencies), shutdown.clone()));
        self.send(&latencies).await?;
        let all = self.mix.events + numbers.end - numbers.start;
        let waited = wait_for(&drain.ends, all).await;
        // The last writes must be seen too.
        tokio::time::sleep(POLL_EVERY * 10).await;
        shutdown.trigger();
        while let Some(done) = running.join_next().await {
            done??;
        }
        waited?;
        latencies.latency()
    }

    /// The outcomes of all events.
    pub(in crate::notifications) async fn outcomes(&self) -> Result<Outcomes> {
        outcomes(self.system.containers()).await
    }

    async fn send(&self, latencies: &Arc<LatencyRecorder>) -> Result<()> {
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (system, mix, latencies) = (self.system.clone(), self.mix, Arc::clone(latencies));
            callers.spawn(async move {
                while let Some((number, wait)) = latencies.next() {
                    tokio::time::sleep(wait).await;
                    system.enqueue(new_event(mix.event(number))?).await?;
                    latencies.answered(number);
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

/// Records when each notification appears, until stopped.
async fn subscribe(
    lists: Container,
    latencies: Arc<LatencyRecorder>,
    stop: ShutdownSignal,
) -> Result<()> {
    let mut start = ChangeStart::Now;
    while !stop.is_triggered() {
        let page = lists.changes::<SeenNotification>(ChangeFeed::latest(start)).await?.value;
        for change in page.changes.iter().filter_map(|change| change.current.as_ref()) {
            latencies.seen(change.value.target_id.parse()?);
        }
        start = ChangeStart::Continuation(page.continuation);
        if !page.more {
            tokio::time::sleep(POLL_EVERY).await;
        }
    }
    Ok(())
}

/// Waits until a number of events have ended.
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
