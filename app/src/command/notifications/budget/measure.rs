//! Runs every operation of the seed once and records its charge.

use std::sync::Arc;
use std::time::Duration;

use client::TravellingClock;
use model::ChargeProfile;
use notifications::{Indexing, ListOptions, Notifications, PreferencesChange, UserId};

use super::super::open::system_error;
use super::figure::{self, FigureVerdict, SeedFigure};
use super::system::{ACTION, like, registration, system, user};
use crate::command::system::{AccountCall, Calls, sum};
use crate::error::CommandError;

/// The dispatcher's leases, which are not part of the cost of an event.
const LEASES: &str = "notification_leases";
/// The time between two operations of a user.
const WAIT: Duration = Duration::from_secs(60);
/// Number of notifications when the list is read.
const LISTED: usize = 40;

/// A measured operation.
#[derive(Clone, Debug)]
pub(super) struct OperationCharge {
    pub(super) figure: SeedFigure,
    pub(super) calls: Vec<AccountCall>,
}

impl OperationCharge {
    pub(super) fn charge(&self) -> f64 {
        sum(&self.calls)
    }

    pub(super) fn verdict(&self) -> FigureVerdict {
        self.figure.verdict(self.charge())
    }
}

/// Measures all operations with a charge profile and an indexing mode, in the order of the seed.
pub(super) async fn measure(
    profile: ChargeProfile,
    indexing: Indexing,
    calls: &Calls,
) -> Result<Vec<OperationCharge>, CommandError> {
    let (system, clock) = system(profile, indexing).await?;
    let (calls, bob) = (calls.clone(), user("bob")?);
    let mut run = BudgetMeasurement { system, clock, calls, rows: Vec::new(), bob };
    run.preferences().await?;
    run.devices().await?;
    run.events().await?;
    run.list().await?;
    run.end().await?;
    run.rows.sort_by_key(|row| row.figure.id);
    Ok(run.rows)
}

struct BudgetMeasurement {
    system: Notifications,
    clock: Arc<TravellingClock>,
    calls: Calls,
    rows: Vec<OperationCharge>,
    bob: UserId,
}

impl BudgetMeasurement {
    /// Records the calls since the last time as those of an operation.
    fn record<T>(
        &mut self,
        figure: SeedFigure,
        done: notifications::Result<T>,
    ) -> Result<T, CommandError> {
        let value = done.map_err(|error| system_error(ACTION, &error))?;
        self.rows.push(OperationCharge { figure, calls: self.calls.take() });
        Ok(value)
    }

    /// Advances the clock: stored times and remaining lifetimes then differ, as between real operations.
    fn wait(&self) {
        self.clock.travel(WAIT);
    }

    /// Discards the calls of an operation that is not measured.
    fn skip<T>(&self, done: notifications::Result<T>) -> Result<T, CommandError> {
        let value = done.map_err(|error| system_error(ACTION, &error))?;
        self.calls.take();
        Ok(value)
    }

    async fn preferences(&mut self) -> Result<(), CommandError> {
        self.calls.take();
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let change = |news| PreferencesChange { news: Some(news), ..PreferencesChange::default() };
        let done = system.change_preferences(&bob, &change(false)).await;
        self.record(figure::FIRST_PREFERENCES, done)?;
        self.wait();
        let done = system.change_preferences(&bob, &change(true)).await;
        self.record(figure::CHANGE_PREFERENCES, done)?;
        let done = system.preferences(&bob).await;
        self.record(figure::PREFERENCES, done)?;
        Ok(())
    }

    async fn devices(&mut self) -> Result<(), CommandError> {
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
            self.record(figure, done)?;
        }
        self.wait();
        let done = system.register_device(&bob, &registration("d4", "another-token")?).await;
        self.record(figure::REFRESH, done)?;
        let done = system.active_devices(&bob).await;
        self.record(figure::DEVICES, done)?;
        Ok(())
    }

    async fn events(&mut self) -> Result<(), CommandError> {
        let (system, bob, eve) = (self.system.clone(), self.bob.clone(), user("eve")?);
        let worker = self.skip(system.dispatcher("measured").await)?;
        self.skip(worker.run_once().await)?;
        let done = worker.run_once().await;
        self.record(figure::ROUND, done)?;
        let done = system.enqueue(like(&bob, "p1")).await;
        self.record(figure::ENQUEUE, done)?;
        let done = worker.run_once().await;
        self.record_event(figure::PROCESS_PUSHED, done)?;
        self.skip(system.enqueue(like(&eve, "p1")).await)?;
        let done = worker.run_once().await;
        self.record_event(figure::PROCESS, done)?;
        for number in 0..LISTED {
            self.skip(system.enqueue(like(&bob, &format!("q{number}"))).await)?;
        }
        let done = system.due_events(None).await;
        self.record(figure::DUE, done)?;
        self.skip(worker.run_once().await)?;
        Ok(())
    }

    /// Records the processing of an event without the dispatcher's own reads; lists its two checks separately too.
    fn record_event<T>(
        &mut self,
        figure: SeedFigure,
        done: notifications::Result<T>,
    ) -> Result<(), CommandError> {
        self.record(figure, done)?;
        let Some(row) = self.rows.last_mut() else { return Ok(()) };
        row.calls.retain(|call| call.container != LEASES && call.operation != "read changes");
        if figure != figure::PROCESS_PUSHED {
            return Ok(());
        }
        // One query checks both the dedupe key and the limits.
        let is_check =
            |call: &&AccountCall| call.operation == "query" && call.container == "notifications";
        let check = row.calls.iter().find(is_check).cloned();
        for figure in [figure::DEDUPE, figure::RATE] {
            self.rows.push(OperationCharge { figure, calls: check.iter().cloned().collect() });
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<(), CommandError> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let done = system.list(&bob, &ListOptions::default()).await;
        let page = self.record(figure::PAGE, done)?.value;
        let done = system.unread_count(&bob).await;
        self.record(figure::UNREAD, done)?;
        let [first, second, ..] = page.notifications.as_slice() else {
            return Err(CommandError::new(ACTION, "the list has fewer than two notifications"));
        };
        self.wait();
        let done = system.mark_read(&bob, &first.id).await;
        self.record(figure::READ, done)?;
        let done = system.dismiss(&bob, &second.id).await;
        self.record(figure::DISMISS, done)?;
        Ok(())
    }

    async fn end(&mut self) -> Result<(), CommandError> {
        let (system, bob) = (self.system.clone(), self.bob.clone());
        let device = registration("d4", "another-token")?.device_id;
        self.wait();
        let done = system.revoke_device(&bob, &device).await;
        self.record(figure::REVOKE, done)?;
        let done = system.erase(&bob).await;
        self.record(figure::ERASE, done)?;
        Ok(())
    }
}
