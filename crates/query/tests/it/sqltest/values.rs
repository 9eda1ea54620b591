//! Tables of expressions: one line each, `expression => value`.
//!
//! An expression is evaluated as `SELECT VALUE expression`, over the only item of the case as `c` if there is one. No
//! row is written as `undefined`, an error as its message.

use model::Json;
use query::{BuiltInFunctions, Parameters, bind, parse};

use super::rows::rows;

/// The lines of a table with the computed values.
pub(super) fn evaluated(
    table: &str,
    items: &[Json],
    parameters: &Parameters,
) -> Result<String, String> {
    let mut lines = Vec::new();
    for line in table.lines() {
        let Some((expression, _)) = line.rsplit_once(" => ") else {
            return Err(format!("no ' => ' in: {line}"));
        };
        let expression = expression.trim_end();
        lines.push(format!("{expression} => {}", value(expression, items, parameters)));
    }
    Ok(lines.join("\n"))
}

fn value(expression: &str, items: &[Json], parameters: &Parameters) -> String {
    let from = if items.is_empty() { "" } else { " FROM c" };
    let bound = parse(&format!("SELECT VALUE {expression}{from}"))
        .and_then(|tree| bind(&tree, parameters, &BuiltInFunctions));
    let bound = match bound {
        Ok(bound) => bound,
        Err(errors) => {
            return errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        }
    };
    match rows(&bound, items) {
        Ok(rows) if rows.is_empty() => "undefined".to_owned(),
        Ok(rows) => rows.join(" | "),
        Err(error) => error,
    }
}
