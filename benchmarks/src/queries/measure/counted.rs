//! Rows 1 to 4: what is touched and time, at all sizes in turn.
//!
//! Two times are taken. The first asks the same 100 logical partitions at every size again and again, so that all sizes
//! find what they read in memory: it shows what the size of the data costs. The second asks any logical partition, as
//! far apart as they are, so that larger data sets miss the block cache more often.

use std::time::Duration;

use engine::query::QueryMetrics;

use crate::data::hash_number;
use crate::queries::ask::{Asked, page};
use crate::queries::case::{QueryCase, touched};
use crate::queries::report::CountedRow;
use crate::queries::run::{QueryBench, Subject};
use crate::rounds::middle;
use crate::{Error, Result, progress};

/// Logical partitions, or batches, that are asked again and again.
const HOT: u64 = 100;
/// Runs on any logical partition.
const ANYWHERE: u64 = 1_000;

/// The measurements at one data size.
#[derive(Default)]
struct CaseMeasurement {
    metrics: QueryMetrics,
    hot: Vec<Duration>,
    anywhere: Vec<Duration>,
}

pub(in crate::queries) fn counted(bench: &QueryBench, case: &QueryCase) -> Result<Vec<CountedRow>> {
    progress::step(&format!("{}: {}", case.name, case.what));
    let mut seen: Vec<CaseMeasurement> =
        bench.subjects.iter().map(|_| CaseMeasurement::default()).collect();
    for round in 0..=bench.rounds {
        // Every other round starts with the largest size.
        let mut turns: Vec<_> = bench.subjects.iter().zip(&mut seen).collect();
        if round % 2 == 1 {
            turns.reverse();
        }
        for (subject, seen) in turns {
            for run in 0..HOT {
                let number = run * (subject.partitions() / HOT).max(1) % subject.partitions();
                let asked = ask(bench, case, subject, number)?;
                // The first round fills the caches, that of the shapes among them.
                if round > 0 {
                    seen.note(&asked);
                    seen.hot.push(asked.time);
                }
            }
        }
    }
    for (subject, seen) in bench.subjects.iter().zip(&mut seen) {
        for run in 0..ANYWHERE {
            let asked = ask(bench, case, subject, hash_number(run) % subject.partitions())?;
            seen.note(&asked);
            seen.anywhere.push(asked.time);
        }
    }
    let smallest =
        seen.first().map(CaseMeasurement::hot_us).ok_or_else(|| Error::from("no size given"))?;
    Ok(bench
        .subjects
        .iter()
        .zip(seen)
        .map(|(subject, seen)| seen.row(case, subject, smallest))
        .collect())
}

fn ask(bench: &QueryBench, case: &QueryCase, subject: &Subject, number: u64) -> Result<Asked> {
    let asked = bench.runtime.block_on(page(&subject.engine, case.query(number)?))?;
    if asked.rows != case.rows {
        let QueryCase { name, rows, .. } = case;
        return Err(format!("row {name}: {} rows instead of {rows}", asked.rows).into());
    }
    Ok(asked)
}

impl CaseMeasurement {
    /// Keeps the run that touched most.
    fn note(&mut self, asked: &Asked) {
        if touched(&asked.metrics) >= touched(&self.metrics) {
            self.metrics = asked.metrics.clone();
        }
    }

    fn hot_us(&self) -> f64 {
        microseconds(&self.hot)
    }

    fn row(self, case: &QueryCase, subject: &Subject, smallest_us: f64) -> CountedRow {
        let growth = self.hot_us() / smallest_us;
        let is_within = case.growth_max.is_none_or(|growth_max| growth <= growth_max);
        let target = match case.growth_max {
            Some(growth_max) => format!("{}, {growth_max}x the time", case.limit),
            None => case.limit.to_string(),
        };
        CountedRow {
            name: case.name,
            what: case.what,
            items: subject.items,
            terms_read: self.metrics.index_entries,
            items_loaded: self.metrics.retrieved_items,
            hot_us: self.hot_us(),
            anywhere_us: microseconds(&self.anywhere),
            growth,
            target,
            counts_met: case.limit.holds(&self.metrics),
            time_met: is_within,
        }
    }
}

fn microseconds(times: &[Duration]) -> f64 {
    middle(times.to_vec()).as_secs_f64() * 1e6
}
