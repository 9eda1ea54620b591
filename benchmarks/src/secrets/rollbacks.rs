//! Times of rollbacks that were made one after another while a wave ran.

use std::time::Duration;

use super::run::SecretsSize;

/// Rollbacks at most.
pub(super) const ROLLBACKS_MAX: usize = 500;
/// Workloads of the wave at most; the rollbacks end with it.
const WAVE_MAX: usize = 2_000;
/// The pause of an operator between two rollbacks.
pub(super) const PAUSE: Duration = Duration::from_millis(2);

/// Workloads of the wave beside the rollbacks.
pub(super) fn wave_workloads(size: SecretsSize) -> usize {
    WAVE_MAX.min(size.workloads)
}

/// What each rollback took.
#[derive(Clone, Debug, Default)]
pub struct Rollbacks {
    sorted_ms: Vec<f64>,
}

impl Rollbacks {
    pub(super) fn new(taken: &[Duration]) -> Self {
        let mut sorted_ms: Vec<f64> = taken.iter().map(|one| one.as_secs_f64() * 1e3).collect();
        sorted_ms.sort_by(f64::total_cmp);
        Self { sorted_ms }
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sorted_ms.len()
    }

    /// A percentile in milliseconds; `None` without any.
    #[must_use]
    pub fn percentile_ms(&self, percent: usize) -> Option<f64> {
        let place = (self.sorted_ms.len() * percent).div_ceil(100).checked_sub(1)?;
        self.sorted_ms.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let taken: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        let rollbacks = Rollbacks::new(&taken);
        assert_eq!(rollbacks.percentile_ms(50), Some(100.0));
        assert_eq!(rollbacks.percentile_ms(99), Some(198.0));
        assert_eq!(Rollbacks::default().percentile_ms(99), None);
    }
}
