//! Row 6: from a query text to its plan.
//!
//! The pure stages one after the other, and what the engine says it took: for a new text each time, and for one it has
//! seen before, whose tree it keeps.

use std::hint::black_box;
use std::time::Duration;

use engine::query::QueryItems;
use model::Json;
use query::plan::access::{Indexes, plan_access};
use query::plan::partition_filter;
use query::{BuiltInFunctions, Parameters, bind, parse};

use crate::meter::now;
use crate::queries::ask::page;
use crate::queries::data::{customer, definition, link, policy};
use crate::queries::report::PreparingRow;
use crate::queries::run::QueryBench;
use crate::rounds::middle;
use crate::{Error, Result, progress};

const RUNS: u64 = 1_000;
const TARGET_US: f64 = 20.0;

pub(in crate::queries) fn preparing(bench: &QueryBench) -> Result<Vec<PreparingRow>> {
    progress::step("6: from text to plan");
    Ok(vec![
        PreparingRow::new("parse, bind, partition filter and access plan", pure()?, TARGET_US),
        PreparingRow::new("inside the engine, a new text", in_engine(bench, text)?, TARGET_US),
        PreparingRow::new(
            "inside the engine, a text seen before",
            in_engine(bench, |_| text(0))?,
            TARGET_US,
        ),
    ])
}

/// A typical query; the number makes it a new text.
fn text(number: u64) -> String {
    format!(
        "SELECT c.id, c.price, c.created FROM c WHERE c.customer = @customer AND c.status = 'open' \
         AND c.created >= {number} ORDER BY c.created DESC OFFSET 0 LIMIT 20"
    )
}

fn parameters() -> Parameters {
    Parameters::from_iter([("@customer", Some(Json::from(customer(0))))])
}

fn pure() -> Result<Duration> {
    let (indexes, definition, parameters) = (Indexes::new(&policy()?), definition()?, parameters());
    let failed = |error: query::QueryError| Error::from(error.to_string());
    let mut times = Vec::new();
    for run in 0..RUNS {
        let text = text(run);
        let started = now();
        let tree = parse(&text).map_err(|errors| format!("{errors:?}"))?;
        let bound = bind(&tree, &parameters, &BuiltInFunctions);
        let bound = bound.map_err(|errors| format!("{errors:?}"))?;
        black_box(partition_filter(&bound, &definition));
        black_box(plan_access(&bound, &indexes).map_err(failed)?);
        times.push(started.elapsed());
    }
    Ok(middle(times))
}

fn in_engine(bench: &QueryBench, text: fn(u64) -> String) -> Result<Duration> {
    let subject = bench.subjects.first().ok_or_else(|| Error::from("no size given"))?;
    let mut times = Vec::new();
    for run in 0..RUNS {
        let mut query = QueryItems::new(link()?, text(run));
        query.parameters = parameters();
        let asked = bench.runtime.block_on(page(&subject.engine, query))?;
        times.push(asked.metrics.compile_time);
    }
    Ok(middle(times))
}
