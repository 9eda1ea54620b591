//! One run: both sides in turn, then both again at one pace.
//!
//! Owns the order, and the check that both sides came to the same end.

use tokio::runtime::Runtime;

use super::mix::{Mix, TENTHS};
use super::ours::Ours;
use super::peer::PostgresPeer;
use super::report::NotificationsReport;
use super::side::{Outcomes, SideResult};
use crate::meter::wait_until_idle;
use crate::{Result, progress};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct NotificationsOptions {
    /// Users.
    pub users: u64,
    /// Events of the backlog; a tenth as many come afterwards, at a pace.
    pub events: u64,
    /// Whether PostgreSQL is measured too, if it is installed.
    pub with_peer: bool,
}

/// What the cell says when PostgreSQL was not asked for.
const LEFT_OUT: &str = "left out (--no-peers)";

/// Statuses of events whose way has not ended, or has ended badly.
const UNDONE: [&str; 3] = ["PENDING", "PROCESSING", "FAILED"];

/// Runs the load benchmark of the notifications system.
///
/// # Errors
/// Whatever went wrong, also when both sides do not end with the same outcomes.
pub fn run_notifications(options: &NotificationsOptions) -> Result<NotificationsReport> {
    let NotificationsOptions { users, events, with_peer } = *options;
    if users < TENTHS || events < TENTHS || !events.is_multiple_of(TENTHS) {
        let wrong = format!(
            "{users} users and {events} events: at least {TENTHS} users and a multiple of {TENTHS}"
        );
        return Err(wrong.into());
    }
    let mix = Mix { people: users, events };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ours = runtime.block_on(Ours::open(mix))?;
    progress::step("planisphere: people");
    runtime.block_on(ours.make_people())?;
    let drain = runtime.block_on(ours.drain())?;
    wait_until_idle()?;
    let peer = if with_peer { PostgresPeer::open(mix)? } else { Err(LEFT_OUT.to_owned()) };
    let drained_peer = match &peer {
        Ok(peer) => {
            peer.make_people()?;
            Some(peer.drain()?)
        }
        Err(_) => None,
    };
    let our_rate = drain.drained.drain.per_second;
    let peer_rate = drained_peer.as_ref().map_or(our_rate, |drained| drained.drain.per_second);
    let per_second = our_rate.min(peer_rate) / 2.0;
    let numbers = events..events + mix.steady_events();
    let latency = runtime.block_on(ours.steady(numbers.clone(), per_second, &drain))?;
    let measured_peer = match (&peer, drained_peer) {
        (Ok(peer), Some(drained)) => {
            let latency = peer.steady(numbers, per_second)?;
            let outcomes = peer.outcomes()?;
            Ok(drained.with(latency, outcomes, peer.disk_bytes()?))
        }
        (Err(why), _) => Err(why.clone()),
        (Ok(_), None) => Err("PostgreSQL was not drained".to_owned()),
    };
    let (enqueue_units, drain_units) = (drain.enqueue_units, drain.drain_units);
    wait_until_idle()?;
    let outcomes = runtime.block_on(ours.outcomes())?;
    let side = drain.drained.with(latency, outcomes, ours.disk_bytes()?);
    close(&runtime, ours)?;
    compare(&side, measured_peer.as_ref().ok())?;
    Ok(NotificationsReport {
        options: *options,
        per_second,
        ours: side,
        peer: measured_peer,
        enqueue_units,
        drain_units: drain_units.items,
        feed_units: drain_units.feed,
    })
}

fn close(runtime: &Runtime, ours: Ours) -> Result<()> {
    progress::step("planisphere: closing");
    runtime.block_on(ours.close())
}

/// Both sides must have done the same, and all of it.
fn compare(ours: &SideResult, peer: Option<&SideResult>) -> Result<()> {
    let undone = |outcomes: &Outcomes| {
        UNDONE.iter().any(|status| outcomes.events.keys().any(|name| name.starts_with(status)))
    };
    if undone(&ours.outcomes) {
        return Err(format!("not every event was done: {:?}", ours.outcomes).into());
    }
    match peer {
        Some(peer) if peer.outcomes != ours.outcomes => {
            let (ours, peer) = (&ours.outcomes, &peer.outcomes);
            Err(format!("the sides differ: {ours:?} here, {peer:?} there").into())
        }
        _ => Ok(()),
    }
}
