//! Runs both sides of a comparison in alternating rounds.
//!
//! The ratio is the median of the ratios of the rounds, because both halves of a round ran under similar conditions.

use crate::Result;
use crate::child::{ChildNumbers, number};

/// The result of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadResult {
    /// Responses per second.
    pub per_second: f64,
    /// Median latency.
    pub p50_us: f64,
    /// 99th percentile of the latency.
    pub p99_us: f64,
    /// CPU time of the server per response.
    pub cpu_us: f64,
    /// CPU time of the load generator per response, if there is one.
    pub load_cpu_us: f64,
}

/// Both sides over all rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Comparison {
    pub(super) ours: LoadResult,
    pub(super) other: LoadResult,
    pub(super) ratio: f64,
}

impl LoadResult {
    /// Reads the numbers that a process printed.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below what a double holds")]
    pub(super) fn from_numbers(measured: &ChildNumbers) -> Result<Self> {
        let of = |name| number(measured, name).map(|value| value as f64);
        let answered = of("answered")?;
        Ok(Self {
            per_second: answered * 1e6 / of("wall_us")?.max(1.0),
            p50_us: of("p50_us")?,
            p99_us: of("p99_us")?,
            cpu_us: of("server_cpu_us")? / answered.max(1.0),
            load_cpu_us: of("load_cpu_us").unwrap_or_default() / answered.max(1.0),
        })
    }

    /// The median of each figure.
    pub(super) fn median(rounds: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| median(rounds.iter().map(figure).collect());
        Self {
            per_second: of(|reached| reached.per_second),
            p50_us: of(|reached| reached.p50_us),
            p99_us: of(|reached| reached.p99_us),
            cpu_us: of(|reached| reached.cpu_us),
            load_cpu_us: of(|reached| reached.load_cpu_us),
        }
    }
}

/// Runs both sides for a number of rounds: ours first in even rounds, the other first in odd ones.
pub(super) fn alternate(
    rounds: usize,
    mut ours: impl FnMut() -> Result<LoadResult>,
    mut other: impl FnMut() -> Result<LoadResult>,
) -> Result<Comparison> {
    let (mut our_rounds, mut other_rounds) = (Vec::new(), Vec::new());
    for round in 0..rounds.max(1) {
        if round % 2 == 0 {
            our_rounds.push(ours()?);
            other_rounds.push(other()?);
        } else {
            other_rounds.push(other()?);
            our_rounds.push(ours()?);
        }
    }
    let pairs = our_rounds.iter().zip(&other_rounds);
    let ratios = pairs.map(|(ours, other)| ours.per_second / other.per_second.max(1e-9));
    Ok(Comparison {
        ratio: median(ratios.collect()),
        ours: LoadResult::median(&our_rounds),
        other: LoadResult::median(&other_rounds),
    })
}

/// The median; the lower one of an even number.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_rounds() {
        let mut ours = [10.0, 20.0, 90.0].into_iter();
        let mut other = [20.0, 80.0, 100.0].into_iter();
        let round = |per_second: Option<f64>| {
            Ok(LoadResult { per_second: per_second.unwrap_or_default(), ..LoadResult::default() })
        };
        let compared = alternate(3, || round(ours.next()), || round(other.next())).unwrap();
        assert!((compared.ratio - 0.5).abs() < 1e-9, "{compared:?}");
        assert!((compared.ours.per_second - 20.0).abs() < 1e-9, "{compared:?}");
    }
}
