//! Runs every operation of the seed once and keeps what it cost.

use std::sync::Arc;
use std::time::Duration;

use client::TravellingClock;
use model::ChargeProfile;
use notifications::{Indexing, ListOptions, Notifications, PreferencesChange, UserId};

use super::super::opening::told;
use super::calls::{Call, Calls, sum};
use super::figure::{self, Figure, Verdict};
use super::ground::{WHAT, like, registration, system, user};
use crate::failure::Failure;

/// Where the dispatcher keeps its place in the feed: no part of an event's own cost.
const LEASES: &str = "notification_leases";
/// The time between operations of a person.
const WAIT: Duration = Duration::from_secs(60);
/// Notifications a user has when the list is read.
const LISTED: usize = 40;

/// One operation that ran.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) figure: Figure,
    pub(super) calls: Vec<Call>,
}

impl Measured {
    pub(super) fn charge(&self) -> f64 {
        sum(&self.calls)
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.figure.verdict(self.charge())
    }
}

/// Runs all of them under a profile and an indexing, in the order of the seed.
pub(super) async fn measure(
    profile: ChargeProfile,
    indexing: Indexing,
    calls: &Calls,
) -> Result<Vec<Measured>, Failure> {
    let (system, clock) = system(profile, indexing).await?;
    let (calls, bob) = (calls.clone(), user("bob")?);
    let mut bench = Bench { system, clock, calls, rows: Vec::new(), bob };
    bench.preferences().await?;
    bench.devices().await?;
    bench.events().await?;
    bench.list().await?;
    bench.end().await?;
    bench.rows.sort_by_key(|row| row.figure.id);
    Ok(bench.rows)
}

struct Bench {
    system: Notifications,
    clock: Arc<TravellingClock>,
    calls: Calls,
    rows: Vec<Measured>,
    bob: UserId,
}

impl Bench {
    /// Keeps the calls since the last time as those of an operation.
    fn keep<T>(&mut self, figure: Figure, done: notifications::Result<T>) -> Result<T, Failure> {
        let value = done.map_err(|error| told(WHAT, &error))?;
        self.rows.push(Measured { figure, calls: self.calls.take() });
        Ok(value)
    }

    /// People come back to what is there after a while: times that are stored differ then, and so does what is left of
    /// a life.
    fn wait(&self) {
        self.clock.travel(WAIT);
    }

    /// Does something that is not measured.
    fn pass<T>(&self, done: notifications::Result<T>) -> Result<T, Failure> {
        let value = done.map_err(|error| told(WHAT, &error))?;
        self.calls.take();
        Ok(value)
    }

    async fn preferences(&mut self) -> Result<(), Failure> {
        self.calls.take();
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let change = |news| PreferencesChange { news: Some(news), ..PreferencesChange::default() };
        let done = system.change_preferences(&bob, &change(false)).await;
        self.keep(figure::FIRST_PREFERENCES, done)?;
        self.wait();
        let done = system.change_preferences(&bob, &change(true)).await;
        self.keep(figure::CHANGE_PREFERENCES, done)?;
        let done = system.preferences(&bob).await;
        self.keep(figure::PREFERENCES, done)?;
        Ok(())
    }

    async fn devices(&mut self) -> Result<(), Failure> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let order = [
            ("d1", figure::REGISTER),
            ("d2", figure::REGISTER_NEXT),
            ("d3", figure::REGISTER_NEXT),
            ("d4", figure::EVICT),
        ];
        for (device, figure) in order {
            self.wait();
            let token = format!("token-of-{device}");
            let done = system.register_device(&bob, &registration(device, &token)?).await;
            self.keep(figure, done)?;
        }
        self.wait();
        let done = system.register_device(&bob, &registration("d4", "another-token")?).await;
        self.keep(figure::REFRESH, done)?;
        let done = system.active_devices(&bob).await;
        self.keep(figure::DEVICES, done)?;
        Ok(())
    }

    async fn events(&mut self) -> Result<(), Failure> {
        let (system, bob, eve) = (self.system.clone(), self.bob.clone(), user("eve")?);
        let worker = self.pass(system.dispatcher("measured").await)?;
        self.pass(worker.run_once().await)?;
        let done = worker.run_once().await;
        self.keep(figure::ROUND, done)?;
        let done = system.enqueue(like(&bob, "p1")).await;
        self.keep(figure::ENQUEUE, done)?;
        let done = worker.run_once().await;
        self.keep_event(figure::PROCESS_PUSHED, done)?;
        self.pass(system.enqueue(like(&eve, "p1")).await)?;
        let done = worker.run_once().await;
        self.keep_event(figure::PROCESS, done)?;
        for number in 0..LISTED {
            self.pass(system.enqueue(like(&bob, &format!("q{number}"))).await)?;
        }
        let done = system.due_events(None).await;
        self.keep(figure::DUE, done)?;
        self.pass(worker.run_once().await)?;
        Ok(())
    }

    /// The way of an event without the worker's own place in the feed; its two checks are told by themselves too.
    fn keep_event<T>(
        &mut self,
        figure: Figure,
        done: notifications::Result<T>,
    ) -> Result<(), Failure> {
        self.keep(figure, done)?;
        let Some(row) = self.rows.last_mut() else { return Ok(()) };
        row.calls.retain(|call| call.container != LEASES && call.operation != "read changes");
        if figure != figure::PROCESS_PUSHED {
            return Ok(());
        }
        // The list is asked for the dedupe key and for the limits in one question.
        let is_question =
            |call: &&Call| call.operation == "query" && call.container == "notifications";
        let question = row.calls.iter().find(is_question).cloned();
        for figure in [figure::DEDUPE, figure::RATE] {
            self.rows.push(Measured { figure, calls: question.iter().cloned().collect() });
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<(), Failure> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let done = system.list(&bob, &ListOptions::default()).await;
        let page = self.keep(figure::PAGE, done)?.value;
        let done = system.unread_count(&bob).await;
        self.keep(figure::UNREAD, done)?;
        let [first, second, ..] = page.notifications.as_slice() else {
            return Err(Failure::new(WHAT, "the list has fewer than two notifications"));
        };
        self.wait();
        let done = system.mark_read(&bob, &first.id).await;
        self.keep(figure::READ, done)?;
        let done = system.dismiss(&bob, &second.id).await;
        self.keep(figure::DISMISS, done)?;
        Ok(())
    }

    async fn end(&mut self) -> Result<(), Failure> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let device = registration("d4", "another-token")?.device_id;
        self.wait();
        let done = system.revoke_device(&bob, &device).await;
        self.keep(figure::REVOKE, done)?;
        let done = system.erase(&bob).await;
        self.keep(figure::ERASE, done)?;
        Ok(())
    }
}
