//! An account in memory whose charges are measured: a charge profile, and a clock that a command moves.

use std::sync::Arc;

use client::{Account, StorageLocation, TimestampMs, TravellingClock};
use engine::{Engine, Environment};
use model::ChargeProfile;

use crate::error::CommandError;

/// 2025-06-10T12:00:00Z: outside of the quiet hours of the notifications.
const NOON_MS: u64 = 1_749_556_800_000;
const SEED: u64 = 7;

/// Opens one, with the environment of its clock; returns also the clock.
pub(crate) async fn measured_account(
    what: &str,
    profile: ChargeProfile,
) -> Result<(Account, Arc<TravellingClock>), CommandError> {
    let clock = TravellingClock::starting_at(TimestampMs(NOON_MS));
    let environment = Environment::travelling(Arc::clone(&clock), SEED);
    let settings = engine::EngineSettings {
        charge_profile: profile,
        maintenance: false,
        ..engine::EngineSettings::default()
    };
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment.clone(), settings).await;
    let engine = engine.map_err(|error| CommandError::from_error(what, &error))?;
    let account = Account::embedded(StorageLocation::Engine(engine)).await;
    let account = account.map_err(|error| CommandError::from_error(what, &error))?;
    Ok((account.with_environment(environment), clock))
}
