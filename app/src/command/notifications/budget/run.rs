//! The command: measure under both profiles, print the table, plan the capacity if asked.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use model::ChargeProfile;
use notifications::Indexing;
use serde_json::json;

use super::calls::{Calls, terms};
use super::figure::Verdict;
use super::measure::{Measured, measure};
use super::plan::{Load, Need, compared, plan};
use super::table::table;
use crate::command::read_prices;
use crate::failure::Failure;
use crate::output::line;

/// Exit code when an operation costs more than it may.
const OVER: u8 = 1;

/// Run every operation of the seed's capacity section, and compare its charge with the seed's figure
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  planisphere notifications budget --users 50000 --events-per-user 10 --reads-per-user 5

The charges are those of this program's model (docs/request-charges.md), in memory: with every property indexed as in
the seed's Terraform under the profiles azure and native, and under azure with lean indexing
(Notifications:Indexing=lean). --peak-factor says how uneven a day is.

Exit codes: 0 nothing costs more than it may, 1 something does, 2 it could not be carried out.")]
pub(in super::super) struct Budget {
    /// Users, for a plan of the capacity
    #[arg(long, value_name = "NUMBER", value_parser = amount)]
    users: Option<f64>,

    /// Events for a user in a day
    #[arg(long, value_name = "NUMBER", default_value = "10", value_parser = amount)]
    events_per_user: f64,

    /// Times a user opens the list in a day: a page and the unread count
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = amount)]
    reads_per_user: f64,

    /// Notifications a user marks as read or dismisses in a day
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = amount)]
    marks_per_user: f64,

    /// How much busier the busiest second is than the average one
    #[arg(long, value_name = "NUMBER", default_value = "4", value_parser = amount)]
    peak_factor: f64,

    /// Processes that work on events
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = amount)]
    workers: f64,

    /// Plan, and end with 1 or 0, by lean indexing: only the paths this system asks by
    #[arg(long)]
    lean: bool,

    /// File with prices, as JSON; list prices in US dollars without it
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Budget {
    pub(in super::super) async fn run(self) -> Result<ExitCode, Failure> {
        let prices = read_prices(self.prices.as_deref())?;
        let calls = Calls::begin();
        let runs = Runs {
            azure: measure(ChargeProfile::Azure, Indexing::Full, &calls).await?,
            native: measure(ChargeProfile::Native, Indexing::Full, &calls).await?,
            lean: measure(ChargeProfile::Azure, Indexing::Lean, &calls).await?,
        };
        let judged = if self.lean { &runs.lean } else { &runs.azure };
        let load = self.load();
        let needs = load.map(|load| (load, plan(load, judged, &prices)));
        if self.json {
            line(as_json(&runs, needs.as_ref()))?;
        } else {
            line(operations(&runs))?;
            if let Some((load, needs)) = &needs {
                line("")?;
                line(capacity(needs, &prices.currency))?;
                line("")?;
                line(compared(*load, needs))?;
            }
        }
        let is_over = judged.iter().any(|row| row.verdict() == Verdict::Over);
        Ok(if is_over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
    }

    fn load(&self) -> Option<Load> {
        Some(Load {
            users: self.users?,
            events_per_user: self.events_per_user,
            reads_per_user: self.reads_per_user,
            marks_per_user: self.marks_per_user,
            peak_factor: self.peak_factor.max(1.0),
            workers: self.workers,
        })
    }
}

fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("give a number from zero up".to_owned()),
    }
}

/// The same operations, three times.
struct Runs {
    azure: Vec<Measured>,
    native: Vec<Measured>,
    lean: Vec<Measured>,
}

impl Runs {
    fn rows(&self) -> impl Iterator<Item = (&Measured, &Measured, &Measured)> {
        let pairs = self.azure.iter().zip(&self.native).zip(&self.lean);
        pairs.map(|((azure, native), lean)| (azure, native, lean))
    }
}

fn operations(runs: &Runs) -> String {
    let rows = runs.rows().map(|(row, native, lean)| {
        let why = match (row.verdict(), row.figure.known) {
            (Verdict::Known | Verdict::Over, Some((_, why))) => format!("; {why}"),
            _ => String::new(),
        };
        vec![
            row.figure.id.to_owned(),
            row.figure.what.to_owned(),
            row.figure.seed.map_or("-".to_owned(), |seed| format!("{seed:.0}")),
            format!("{:.2}", row.charge()),
            format!("{:.2}", native.charge()),
            row.verdict().word().to_owned(),
            format!("{:.2}", lean.charge()),
            lean.verdict().word().to_owned(),
            format!("{}{why}", terms(&row.calls)),
        ]
    });
    let head = [
        "",
        "operation",
        "seed",
        "azure",
        "native",
        "verdict",
        "lean",
        "verdict",
        "terms of azure",
    ];
    table(&head, &[2, 3, 4, 6], &rows.collect::<Vec<_>>())
}

fn capacity(needs: &[Need], currency: &str) -> String {
    let mut rows: Vec<Vec<String>> = needs
        .iter()
        .map(|need| {
            vec![
                need.container.clone(),
                format!("{:.1}", need.average),
                format!("{:.1}", need.peak),
                format!("{:.0}", need.manual),
                format!("{:.2}", need.manual_price),
                format!("{:.0} to {:.0}", need.autoscale_maximum / 10.0, need.autoscale_maximum),
                format!("{:.2}", need.autoscale_price),
            ]
        })
        .collect();
    let sum = |value: fn(&Need) -> f64| needs.iter().map(value).sum::<f64>();
    let maximum = sum(|need| need.autoscale_maximum);
    rows.push(vec![
        "together".to_owned(),
        format!("{:.1}", sum(|need| need.average)),
        format!("{:.1}", sum(|need| need.peak)),
        format!("{:.0}", sum(|need| need.manual)),
        format!("{:.2}", sum(|need| need.manual_price)),
        format!("{:.0} to {maximum:.0}", maximum / 10.0),
        format!("{:.2}", sum(|need| need.autoscale_price)),
    ]);
    let price = format!("{currency}/month");
    let head = ["container", "RU/s", "busiest", "manual RU/s", &price, "autoscale RU/s", &price];
    table(&head, &[1, 2, 3, 4, 5, 6], &rows)
}

fn as_json(runs: &Runs, needs: Option<&(Load, Vec<Need>)>) -> String {
    let rows = runs.rows().map(|(row, native, lean)| {
        json!({
            "id": row.figure.id,
            "operation": row.figure.what,
            "seed": row.figure.seed,
            "azure": row.charge(),
            "native": native.charge(),
            "verdict": row.verdict().word(),
            "lean": lean.charge(),
            "leanVerdict": lean.verdict().word(),
            "terms": terms(&row.calls),
        })
    });
    let plan = needs.map(|(load, needs)| {
        let containers = needs.iter().map(|need| {
            json!({
                "container": need.container,
                "average": need.average,
                "busiestSecond": need.peak,
                "manual": need.manual,
                "manualPricePerMonth": need.manual_price,
                "autoscaleMaximum": need.autoscale_maximum,
                "autoscalePricePerMonth": need.autoscale_price,
            })
        });
        json!({ "containers": containers.collect::<Vec<_>>(), "compared": compared(*load, needs) })
    });
    json!({ "operations": rows.collect::<Vec<_>>(), "plan": plan }).to_string()
}
