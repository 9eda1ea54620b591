//! Working off the backlog with two workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::Engine;
use notifications::{DispatchObserver, DispatchStep, Dispatcher};
use tokio::task::JoinSet;

use super::super::side::{Drained, SidePace};
use super::super::tenths::{SpendSample, Tenths};
use super::super::units::RequestUnitTotals;
use super::open::Ours;
use crate::meter::{TimeMeter, cpu_of_process, resident_bytes};
use crate::{Result, progress};

/// The wait of a worker whose share is done while the other still works.
const NOTHING_NEW: Duration = Duration::from_millis(50);

/// Counts ends and samples what was spent.
pub(super) type Ends = Tenths<Box<dyn Fn() -> Result<SpendSample> + Send + Sync>>;

struct Watch(Arc<Ends>);

impl DispatchObserver for Watch {
    fn on_step(&self, step: DispatchStep) {
        if step == DispatchStep::Finished {
            self.0.ended();
        }
    }
}

/// Our side after its backlog, with what only we have.
pub(in crate::notifications) struct OurDrain {
    pub(in crate::notifications) drained: Drained,
    /// Request units of an enqueue.
    pub(in crate::notifications) enqueue_units: f64,
    /// Request units of processing an event.
    pub(in crate::notifications) drain_units: RequestUnitTotals,
    /// Counts on.
    pub(super) ends: Arc<Ends>,
}

impl Ours {
    /// Takes all events in, then works them off.
    pub(in crate::notifications) async fn drain(&self) -> Result<OurDrain> {
        let events = self.mix.events;
        progress::step("planisphere: enqueueing the backlog");
        let before = RequestUnitTotals::so_far(&self.engine);
        let meter = TimeMeter::start()?;
        self.enqueue(0..events).await?;
        let enqueue = SidePace::of(events, meter.stop()?);
        let enqueued = RequestUnitTotals::so_far(&self.engine);
        progress::step("planisphere: draining");
        let ends = Arc::new(Ends::begin(events, sampler(&self.engine)));
        self.system.observe_steps(Arc::new(Watch(Arc::clone(&ends))));
        let meter = TimeMeter::start()?;
        let processed = Arc::new(AtomicU64::new(0));
        let mut working = JoinSet::new();
        for worker in &self.workers {
            working.spawn(work(Arc::clone(worker), Arc::clone(&processed), events));
        }
        while let Some(done) = working.join_next().await {
            done??;
        }
        let drain = SidePace::of(events, meter.stop()?);
        let drained =
            Drained { enqueue, drain, tenths: ends.tenths()?, resident_bytes: resident_bytes()?.0 };
        Ok(OurDrain {
            drained,
            enqueue_units: enqueued.per_event(before, events).items,
            drain_units: RequestUnitTotals::so_far(&self.engine).per_event(enqueued, events),
            ends,
        })
    }
}

fn sampler(engine: &Engine) -> Box<dyn Fn() -> Result<SpendSample> + Send + Sync> {
    let engine = engine.clone();
    Box::new(move || {
        let cpu = cpu_of_process("self")?;
        Ok(SpendSample::now(cpu, Some(RequestUnitTotals::so_far(&engine).items)))
    })
}

/// One worker, until all events are processed by both.
async fn work(worker: Arc<Dispatcher>, processed: Arc<AtomicU64>, events: u64) -> Result<()> {
    while processed.load(Ordering::Relaxed) < events {
        let round = worker.run_once().await?;
        processed.fetch_add(round.processed, Ordering::Relaxed);
        if round.processed == 0 {
            tokio::time::sleep(NOTHING_NEW).await;
        }
    }
    Ok(())
}
