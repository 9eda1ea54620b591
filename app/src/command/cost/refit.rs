//! The model against measured charges.

use model::charge::{CHARGE_MODEL, DiagnosticLine, Refit as Report};

use super::arguments::Refit;
use super::file;
use super::table::Table;
use crate::failure::Failure;
use crate::output::line;

pub(super) fn run(refit: &Refit) -> Result<(), Failure> {
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
    let mut table =
        Table::new(&["operation", "lines", "mean off", "worst off", "worst off when fitted"]);
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
    let mut table = Table::new(&["constant", "model", "fits best"]);
    for constant in &report.constants {
        let fitted = constant.fitted.map(|fitted| format!("{fitted:.4}"));
        let fitted = fitted.unwrap_or_else(|| "not told by these lines".to_owned());
        table.row([constant.name.clone(), format!("{:.4}", constant.model), fitted]);
    }
    line(format_args!("\n{}", table.print()))
}

/// A percentage with its sign; nothing has none.
fn signed(percent: f64) -> String {
    let rounded = (percent * 10.0).round() / 10.0;
    if rounded == 0.0 { "0.0 %".to_owned() } else { format!("{rounded:+.1} %") }
}

fn read(refit: &Refit) -> Result<Vec<DiagnosticLine>, Failure> {
    let what = format!("reading {}", refit.file.display());
    let way_out = "correct the line; `planisphere cost refit --help` has the fields";
    let text = file::text(&refit.file)?;
    let text = String::from_utf8(text).map_err(|error| {
        Failure::new(&*what, format!("it is not UTF-8: {error}"))
            .way_out("give a file of JSON lines")
    })?;
    let mut lines = Vec::new();
    for (place, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let read = DiagnosticLine::parse(text).map_err(|invalid| {
            let why = invalid.message().trim_end_matches('.');
            Failure::new(&*what, format!("line {}: {why}", place + 1)).way_out(way_out)
        })?;
        lines.push(read);
    }
    if lines.is_empty() {
        return Err(Failure::new(what, "it has no lines").way_out(way_out));
    }
    Ok(lines)
}
