//! Compares the model with measured charges.

use model::charge::{CHARGE_MODEL, DiagnosticLine, Refit as Report};

use super::arguments::RefitArguments;
use super::file;
use super::table::CostTable;
use crate::error::CommandError;
use crate::output::line;

pub(super) fn run(refit: &RefitArguments) -> Result<(), CommandError> {
    let lines = read(refit)?;
    let report = Report::new(&lines, refit.profile);
    if refit.json {
        return line(report.to_json(refit.profile));
    }
    line(format_args!(
        "{} lines against model {CHARGE_MODEL}, profile {}\n",
        lines.len(),
        refit.profile
    ))?;
    let mut table = CostTable::new(&[
        "operation",
        "lines",
        "mean error",
        "worst error",
        "worst error when fitted",
    ]);
    for fit in &report.operations {
        table.row([
            fit.operation.to_owned(),
            fit.lines.to_string(),
            signed(fit.mean_percent),
            format!("{:.1} %", fit.worst_percent),
            format!("{:.1} %", fit.worst_percent_fitted),
        ]);
    }
    line(table.print())?;
    let mut table = CostTable::new(&["constant", "model", "best fit"]);
    for constant in &report.constants {
        let fitted = constant.fitted.map(|fitted| format!("{fitted:.4}"));
        let fitted = fitted.unwrap_or_else(|| "not determined by these lines".to_owned());
        table.row([constant.name.clone(), format!("{:.4}", constant.model), fitted]);
    }
    line(format_args!("\n{}", table.print()))
}

/// A percentage with its sign; zero has none.
fn signed(percent: f64) -> String {
    let rounded = (percent * 10.0).round() / 10.0;
    if rounded == 0.0 { "0.0 %".to_owned() } else { format!("{rounded:+.1} %") }
}

fn read(refit: &RefitArguments) -> Result<Vec<DiagnosticLine>, CommandError> {
    let what = format!("reading {}", refit.file.display());
    let hint = "correct the line; `planisphere cost refit --help` has the fields";
    let text = file::text(&refit.file)?;
    let text = String::from_utf8(text).map_err(|error| {
        CommandError::new(&*what, format!("it is not UTF-8: {error}"))
            .hint("give a file of JSON lines")
    })?;
    let mut lines = Vec::new();
    for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let read = DiagnosticLine::parse(text).map_err(|invalid| {
            let why = invalid.message().trim_end_matches('.');
            CommandError::new(&*what, format!("line {}: {why}", index + 1)).hint(hint)
        })?;
        lines.push(read);
    }
    if lines.is_empty() {
        return Err(CommandError::new(what, "it has no lines").hint(hint));
    }
    Ok(lines)
}
