//! Compares measured charges with the budgets of the requirements, and prints them.
//!
//! Owns the rule of every system: a charge above its budget is published with a mark, above twice of it the command
//! fails. Does not own what is measured.

use std::process::ExitCode;

use serde_json::json;

use super::table::table;
use crate::error::CommandError;
use crate::output::line;

/// Exit code if an operation costs more than twice its budget.
const OVER: u8 = 1;

/// One operation and its charge.
#[derive(Clone, Debug)]
pub(crate) struct BudgetRow {
    pub(crate) id: &'static str,
    pub(crate) operation: &'static str,
    /// Request units at most; `None` if the requirements have no figure.
    pub(crate) budget: Option<f64>,
    pub(crate) charge: f64,
    /// The calls that make up the charge; empty if they were not recorded.
    pub(crate) terms: String,
}

impl BudgetRow {
    /// Nothing, `*` above the budget, `**` above twice of it.
    fn mark(&self) -> &'static str {
        // As it is printed: with two decimals.
        match self.budget {
            Some(budget) if self.charge >= 2.0 * budget + 0.005 => "**",
            Some(budget) if self.charge >= budget + 0.005 => "*",
            _ => "",
        }
    }
}

/// The same operations, measured in both profiles.
pub(crate) struct BudgetTable {
    pub(crate) azure: Vec<BudgetRow>,
    pub(crate) native: Vec<BudgetRow>,
}

impl BudgetTable {
    /// Prints the rows, as JSON lines if asked to. The exit code is that of the profile `azure`.
    pub(crate) fn print(&self, is_json: bool) -> Result<ExitCode, CommandError> {
        let pairs = || self.azure.iter().zip(&self.native);
        if is_json {
            for (row, other) in pairs() {
                line(json!({
                    "id": row.id, "operation": row.operation, "budget": row.budget,
                    "azure": row.charge, "native": other.charge, "mark": row.mark(),
                    "terms": row.terms,
                }))?;
            }
        } else {
            let cells = |(row, other): (&BudgetRow, &BudgetRow)| {
                let budget = row.budget.map_or("-".to_owned(), |budget| format!("{budget:.0}"));
                let (azure, native) =
                    (format!("{:.2}", row.charge), format!("{:.2}", other.charge));
                let words = [row.id, row.operation, &budget, &azure, &native, row.mark()];
                words.map(str::to_owned).to_vec()
            };
            let rows: Vec<_> = pairs().map(cells).collect();
            let head = ["", "operation", "budget", "azure", "native", ""];
            line(table(&head, &[2, 3, 4], &rows))?;
            if self.azure.iter().any(|row| !row.mark().is_empty()) {
                line("* above its budget with the profile azure, ** above twice of it")?;
            }
        }
        let is_over = self.azure.iter().any(|row| row.mark() == "**");
        Ok(if is_over { ExitCode::from(OVER) } else { ExitCode::SUCCESS })
    }
}

#[cfg(test)]
mod tests {
    use super::BudgetRow;

    fn mark(budget: Option<f64>, charge: f64) -> &'static str {
        let terms = String::new();
        BudgetRow { id: "X-1", operation: "read", budget, charge, terms }.mark()
    }

    #[test]
    fn a_charge_is_judged_as_it_is_printed() {
        assert_eq!([6.0, 6.004, 6.005].map(|charge| mark(Some(6.0), charge)), ["", "", "*"]);
        assert_eq!([12.004, 12.005].map(|charge| mark(Some(6.0), charge)), ["*", "**"]);
        assert_eq!(mark(None, 99.0), "");
    }
}
