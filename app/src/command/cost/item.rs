//! The estimate for one item.

use model::charge::{CHARGE_MODEL, CostStatement, PricedOperation, TermDetail, size_step};
use model::{IndexingPolicy, RequestCharge};

use super::arguments::PriceArguments;
use super::file;
use super::table::CostTable;
use crate::error::CommandError;
use crate::output::line;

/// Savings printed at most; --json has all.
const SAVINGS_MAX: usize = 12;

pub(super) fn run(price: &PriceArguments) -> Result<(), CommandError> {
    let item = file::json(&price.item)?;
    let replacement = price.replace_with.as_deref().map(file::json).transpose()?;
    let policy = match &price.policy {
        Some(path) => file::policy(path)?,
        None => IndexingPolicy::default(),
    };
    let statement = CostStatement::new(&item, replacement.as_ref(), &policy, price.profile);
    let statement = statement.map_err(|invalid| {
        let path = match (&price.replace_with, invalid.message().contains("replacement")) {
            (Some(path), true) => path,
            _ => &price.item,
        };
        file::invalid_file(path, &invalid, "give an item that the service would accept")
    })?;
    if price.json {
        return line(statement.to_json(price.profile));
    }
    print(&statement, price)
}

fn print(statement: &CostStatement, price: &PriceArguments) -> Result<(), CommandError> {
    let step = size_step(statement.bytes).kilobytes;
    line(format_args!(
        "{} bytes, bucket of {step} KB; profile {}, model {CHARGE_MODEL}\n",
        statement.bytes, price.profile
    ))?;
    let mut table = CostTable::with_text_last(&["operation", "RU", ""]);
    for PricedOperation { assumption, explanation } in &statement.operations {
        let charge = two_decimals(explanation.charge());
        table.row([explanation.operation.to_owned(), charge, (*assumption).to_owned()]);
    }
    line(table.print())?;
    let mut table = CostTable::new(&["indexed path", "count", "RU of a create"]);
    let create = statement.operations.first().map(|one| one.explanation.terms.as_slice());
    for term in create.unwrap_or_default() {
        if let TermDetail::Index { path, count, .. } = &term.detail {
            table.row([path.clone(), count.to_string(), two_decimals(term.charge)]);
        }
    }
    line(format_args!("\n{}", table.print()))?;
    savings(statement)
}

fn savings(statement: &CostStatement) -> Result<(), CommandError> {
    if statement.savings.is_empty() {
        return line("\nnothing can be excluded from the index: it contains only the id");
    }
    line("\nPaths that no query filters, joins or orders by can be excluded. This saves:")?;
    let mut table =
        CostTable::new(&["exclude", "leaves", "per create or delete", "per change of all"]);
    for saving in statement.savings.iter().take(SAVINGS_MAX) {
        table.row([
            saving.path.clone(),
            saving.leaves.to_string(),
            two_decimals(saving.per_create),
            two_decimals(saving.per_change),
        ]);
    }
    line(table.print())?;
    match statement.savings.len().saturating_sub(SAVINGS_MAX) {
        0 => Ok(()),
        more => line(format_args!("and {more} more; --json shows all")),
    }
}

fn two_decimals(charge: RequestCharge) -> String {
    format!("{:.2}", charge.as_f64())
}
