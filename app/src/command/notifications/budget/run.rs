//! The command: measures with both profiles, prints the table, and plans the capacity if requested.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use model::ChargeProfile;
use notifications::Indexing;
use serde_json::json;

use super::figure::FigureVerdict;
use super::measure::{OperationCharge, measure};
use super::plan::{PlannedThroughput, UserLoad, compare, plan};
use crate::command::read_prices;
use crate::command::system::{Calls, table, terms};
use crate::error::CommandError;
use crate::output::line;

/// Exit code if an operation costs more than allowed.
const OVER: u8 = 1;

/// Measure the charge of every operation and compare it with the figures of the seed document
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  planisphere notifications budget --users 50000 --events-per-user 10 --reads-per-user 5

The charges are those of our model (docs/request-charges.md), measured in memory: with every property indexed, as in
the Terraform files of the seed, with the profiles azure and native; and with the profile azure and lean indexing
(Notifications:Indexing=lean). --peak-factor is the peak load of a day divided by its average.

Exit codes: 0 nothing costs more than allowed, 1 something does, 2 the command failed.")]
pub(in super::super) struct BudgetCommand {
    /// Number of users; plans the capacity
    #[arg(long, value_name = "NUMBER", value_parser = amount)]
    users: Option<f64>,

    /// Events per user and day
    #[arg(long, value_name = "NUMBER", default_value = "10", value_parser = amount)]
    events_per_user: f64,

    /// How often a user opens the list per day: a page and the unread count
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = amount)]
    reads_per_user: f64,

    /// Notifications a user marks as read or dismisses per day
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = amount)]
    marks_per_user: f64,

    /// Ratio of the busiest second to the average second
    #[arg(long, value_name = "NUMBER", default_value = "4", value_parser = amount)]
    peak_factor: f64,

    /// Number of worker processes
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = amount)]
    workers: f64,

    /// Plan and judge with lean indexing: only the paths that this system queries
    #[arg(long)]
    lean: bool,

    /// JSON file with prices; by default list prices in US dollars
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl BudgetCommand {
    pub(in super::super) async fn run(self) -> Result<ExitCode, CommandError> {
        let prices = read_prices(self.prices.as_deref())?;
        let calls = Calls::start();
        let runs = BudgetRuns {
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
                line(compare(*load, needs))?;
            }
        }
        let is_over = judged.iter().any(|row| row.verdict() == FigureVerdict::Over);
        Ok(if is_over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
    }

    fn load(&self) -> Option<UserLoad> {
        Some(UserLoad {
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
        _ => Err("give a number of at least zero".to_owned()),
    }
}

/// The same operations, measured three times.
struct BudgetRuns {
    azure: Vec<OperationCharge>,
    native: Vec<OperationCharge>,
    lean: Vec<OperationCharge>,
}

impl BudgetRuns {
    fn rows(&self) -> impl Iterator<Item = (&OperationCharge, &OperationCharge, &OperationCharge)> {
        let pairs = self.azure.iter().zip(&self.native).zip(&self.lean);
        pairs.map(|((azure, native), lean)| (azure, native, lean))
    }
}

fn operations(runs: &BudgetRuns) -> String {
    let rows = runs.rows().map(|(row, native, lean)| {
        let why = match (row.verdict(), row.figure.known) {
            (FigureVerdict::Known | FigureVerdict::Over, Some((_, why))) => format!("; {why}"),
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

fn capacity(needs: &[PlannedThroughput], currency: &str) -> String {
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
    let sum = |value: fn(&PlannedThroughput) -> f64| needs.iter().map(value).sum::<f64>();
    let maximum = sum(|need| need.autoscale_maximum);
    rows.push(vec![
        "total".to_owned(),
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

fn as_json(runs: &BudgetRuns, needs: Option<&(UserLoad, Vec<PlannedThroughput>)>) -> String {
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
        json!({ "containers": containers.collect::<Vec<_>>(), "compared": compare(*load, needs) })
    });
    json!({ "operations": rows.collect::<Vec<_>>(), "plan": plan }).to_string()
}
