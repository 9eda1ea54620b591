//! Runs both sides in alternating rounds and returns medians.
//!
//! The engine runs first in even rounds, the raw side in odd ones, so that neither always finds a warmer or busier
//! machine.

use std::time::Duration;

use crate::Result;
use crate::meter::TimeSpent;

/// Medians of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Median {
    pub(crate) per_second: f64,
    pub(crate) cpu_us: f64,
}

/// Runs both sides for so many rounds; each round does `operations`.
pub(crate) fn alternate(
    rounds: usize,
    operations: u64,
    mut engine: impl FnMut() -> Result<TimeSpent>,
    mut raw: impl FnMut() -> Result<TimeSpent>,
) -> Result<(Median, Median)> {
    let (mut engine_rounds, mut raw_rounds) = (Vec::new(), Vec::new());
    for round in 0..rounds.max(1) {
        if round % 2 == 0 {
            engine_rounds.push(engine()?);
            raw_rounds.push(raw()?);
        } else {
            raw_rounds.push(raw()?);
            engine_rounds.push(engine()?);
        }
    }
    Ok((median(&engine_rounds, operations), median(&raw_rounds, operations)))
}

/// The median; the lower one of an even number.
pub(crate) fn middle(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
fn median(rounds: &[TimeSpent], operations: u64) -> Median {
    let wall = middle(rounds.iter().map(|spent| spent.wall).collect());
    let cpu = middle(rounds.iter().map(|spent| spent.cpu).collect());
    Median {
        per_second: operations as f64 / wall.as_secs_f64().max(1e-9),
        cpu_us: cpu.as_secs_f64() * 1e6 / operations as f64,
    }
}
