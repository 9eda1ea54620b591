//! Runs every operation of the seed once and keeps what it cost.

use model::ChargeProfile;
use notifications::{Indexing, ListOptions, Notifications, PreferencesChange, UserId};

use super::super::opening::told;
use super::calls::{Call, Calls, sum};
use super::figure::{self, Figure, Verdict};
use super::ground::{WHAT, like, registration, system, user};
use crate::failure::Failure;

/// Where the dispatcher keeps its place in the feed: no part of an event's own cost.
const LEASES: &str = "notification_leases";
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
    let system = system(profile, indexing).await?;
    let mut bench = Bench { system, calls: calls.clone(), rows: Vec::new(), bob: user("bob")? };
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
            let token = format!("token-of-{device}");
            let done = system.register_device(&bob, &registration(device, &token)?).await;
            self.keep(figure, done)?;
        }
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
        // The order of the way: the list is asked for the dedupe key first, for the limits next.
        let is_question =
            |call: &&Call| call.operation == "query" && call.container == "notifications";
        let questions: Vec<Call> = row.calls.iter().filter(is_question).cloned().collect();
        for (figure, call) in [figure::DEDUPE, figure::RATE].into_iter().zip(questions) {
            self.rows.push(Measured { figure, calls: vec![call] });
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<(), Failure> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let done = system.list(&bob, &ListOptions::default()).await;
        let page = self.keep(figure::PAGE, done)?.value;
        let done = system.unread_count(&bob).await;
        self.keep(figure::UNREAD, done)?;
        let first = page.notifications.first();
        let first = first.ok_or_else(|| Failure::new(WHAT, "the list is empty"))?;
        let done = system.mark_read(&bob, &first.id).await;
        self.keep(figure::READ, done)?;
        let done = system.dismiss(&bob, &first.id).await;
        self.keep(figure::DISMISS, done)?;
        Ok(())
    }

    async fn end(&mut self) -> Result<(), Failure> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let device = registration("d4", "another-token")?.device_id;
        let done = system.revoke_device(&bob, &device).await;
        self.keep(figure::REVOKE, done)?;
        let done = system.erase(&bob).await;
        self.keep(figure::ERASE, done)?;
        Ok(())
    }
}
