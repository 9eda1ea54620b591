//! From flags to the system on an account.
//!
//! Owns the flags of the operator's commands, and how failures of the system are told. Does not own the service's own
//! flags (`serve`).

use std::sync::Arc;

use clap::Args;
use client::{Account, Clock, SystemClock};
use notifications::delivery::{Delivery, Providers};
use notifications::{ErrorKind, Notifications};

use super::configuration::{Everything, SettingsFlags};
use crate::failure::Failure;
use crate::open::StoreFlags;
use crate::place::{Missing, Place, PlaceFlags};

/// The system of an operator's command: its place and its settings.
#[derive(Debug, Args)]
pub(super) struct SystemFlags {
    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    settings: SettingsFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// The system, opened.
pub(super) struct Opened {
    pub(super) system: Notifications,
    place: Place,
}

impl SystemFlags {
    /// Opens the system in a place that exists.
    pub(super) async fn open(&self) -> Result<Opened, Failure> {
        let settings = self.settings.load::<Everything>(&[])?.value;
        let place = self.place.place()?;
        let account = place.open(&self.store, Missing::Refuse).await?;
        let delivery = providers(&settings)?;
        let system = on(account, &settings, delivery).await?;
        Ok(Opened { system, place })
    }
}

impl Opened {
    /// Closes the place, whatever became of the work.
    pub(super) async fn close<T>(self, done: Result<T, Failure>) -> Result<T, Failure> {
        let closed = self.system.account().close().await;
        let done = done?;
        closed.map_err(|error| Failure::of(format!("closing {}", self.place), &error))?;
        Ok(done)
    }
}

/// The system on an account.
pub(super) async fn on(
    account: Account,
    settings: &Everything,
    delivery: Arc<dyn Delivery>,
) -> Result<Notifications, Failure> {
    let environment = account.environment().clone();
    let opened =
        Notifications::open(account, settings.notifications.clone(), environment, delivery).await;
    opened.map_err(|error| told("opening the notifications", &error))
}

/// The providers the settings name.
pub(super) fn providers(settings: &Everything) -> Result<Arc<dyn Delivery>, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let opened = Providers::open(&settings.providers(), &clock).map_err(|wrong| {
        Failure::new("opening the providers", wrong.to_string()).way_out("Correct the setting")
    })?;
    Ok(Arc::new(opened))
}

/// A failure of the system, with each part of an input that is wrong.
pub(super) fn told(what: &str, error: &notifications::Error) -> Failure {
    if let Some(data) = error.data_error() {
        return Failure::of(what, data);
    }
    let problems = error.invalid_fields().iter();
    let lines: String =
        problems.map(|problem| format!("\n  {}: {}", problem.field, problem.message)).collect();
    let way_out = match error.kind() {
        ErrorKind::Invalid => "Correct it and run it again",
        ErrorKind::NotFound => "Look it up with `planisphere notifications tail --all --once`",
        ErrorKind::Conflict => "Look at its status with `planisphere notifications tail`",
        ErrorKind::Unavailable => "Try again",
        ErrorKind::Internal => "This is a mistake of ours; please report it",
    };
    Failure::new(what, error.message()).way_out(way_out).detail(lines)
}
