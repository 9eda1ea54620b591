//! The report of a refit.
//!
//! Owns the errors of each operation with the model's constants and with the fitted constants.

use super::feature::{ConstantGroup, amounts};
use super::line::DiagnosticLine;
use super::solve::least_squares;
use crate::charge::{CHARGE_MODEL, ChargeProfile};
use crate::{Json, Number, Object};

/// The errors of the model, and constants that fit better.
#[derive(Clone, Debug, PartialEq)]
pub struct Refit {
    /// Errors by operation, sorted by name.
    pub operations: Vec<OperationFit>,
    /// The constants that the lines depend on.
    pub constants: Vec<FittedConstant>,
}

/// The errors of the model for one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationFit {
    /// The operation.
    pub operation: &'static str,
    /// Number of lines.
    pub lines: usize,
    /// The mean of the model's error in percent of the charge; positive when the model charges too much.
    pub mean_percent: f64,
    /// The greatest absolute error in percent.
    pub worst_percent: f64,
    /// The greatest absolute error with the fitted constants, in percent.
    pub worst_percent_fitted: f64,
}

/// One constant.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedConstant {
    /// What it pays for.
    pub name: String,
    /// Its value in the model, in request units or as a factor.
    pub model: f64,
    /// The value that fits the lines best; `None` when they do not determine it.
    pub fitted: Option<f64>,
}

impl Refit {
    /// Compares lines with the model.
    #[must_use]
    pub fn new(lines: &[DiagnosticLine], profile: ChargeProfile) -> Self {
        let mut refit = Self { operations: Vec::new(), constants: Vec::new() };
        for group in ConstantGroup::ALL {
            let lines: Vec<&DiagnosticLine> =
                lines.iter().filter(|line| ConstantGroup::of_line(line) == group).collect();
            if !lines.is_empty() {
                refit.group(&lines, &group.constants(profile));
            }
        }
        refit.operations.sort_by_key(|fit| fit.operation);
        refit
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_json(&self, profile: ChargeProfile) -> Json {
        let decimals = |value: f64| {
            let rounded = Number::from_f64((value * 1e6).round() / 1e6);
            rounded.map_or(Json::Null, Json::Number)
        };
        let operation = |fit: &OperationFit| {
            let mut object = Object::new();
            object.insert("operation", fit.operation);
            object.insert("lines", i64::try_from(fit.lines).unwrap_or(i64::MAX));
            object.insert("meanPercent", decimals(fit.mean_percent));
            object.insert("worstPercent", decimals(fit.worst_percent));
            object.insert("worstPercentFitted", decimals(fit.worst_percent_fitted));
            Json::Object(object)
        };
        let constant = |constant: &FittedConstant| {
            let mut object = Object::new();
            object.insert("name", constant.name.as_str());
            object.insert("model", decimals(constant.model));
            object.insert("fitted", constant.fitted.map_or(Json::Null, decimals));
            Json::Object(object)
        };
        let mut object = Object::new();
        object.insert("model", CHARGE_MODEL);
        object.insert("profile", profile.as_str());
        object.insert("operations", self.operations.iter().map(operation).collect::<Vec<_>>());
        object.insert("constants", self.constants.iter().map(constant).collect::<Vec<_>>());
        Json::Object(object)
    }

    fn group(&mut self, lines: &[&DiagnosticLine], constants: &[(String, f64)]) {
        let rows: Vec<Vec<f64>> = lines.iter().map(|line| amounts(line)).collect();
        let model: Vec<f64> = constants.iter().map(|(_, value)| *value).collect();
        // The solver gets the errors of the model and returns corrections. A constant that the lines do not determine
        // then keeps its value, instead of becoming zero.
        let errors = rows.iter().zip(lines).map(|(row, line)| line.charge - product(row, &model));
        let corrections = least_squares(&rows, &errors.collect::<Vec<f64>>());
        let fitted: Vec<f64> = model
            .iter()
            .zip(&corrections)
            .map(|(value, more)| value + more.unwrap_or(0.0))
            .collect();
        for (index, (name, value)) in constants.iter().enumerate() {
            // A constant that no line depends on is left out; one that is used but not determined is listed without a
            // value.
            let is_used = rows.iter().any(|row| row.get(index).is_some_and(|one| *one != 0.0));
            let correction = corrections.get(index).copied().flatten();
            if is_used {
                let fitted = correction.map(|more| value + more);
                self.constants.push(FittedConstant { name: name.clone(), model: *value, fitted });
            }
        }
        let mut names: Vec<&'static str> = lines.iter().map(|line| line.operation()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let of_name = lines.iter().zip(&rows).filter(|(line, _)| line.operation() == name);
            self.operations.push(compare(name, of_name, &model, &fitted));
        }
    }
}

fn compare<'line>(
    operation: &'static str,
    lines: impl Iterator<Item = (&'line &'line DiagnosticLine, &'line Vec<f64>)>,
    model: &[f64],
    fitted: &[f64],
) -> OperationFit {
    let (mut count, mut sum, mut worst, mut worst_fitted) = (0_u32, 0.0, 0.0_f64, 0.0_f64);
    for (line, row) in lines {
        let percent = |constants: &[f64]| (product(row, constants) / line.charge - 1.0) * 100.0;
        count += 1;
        sum += percent(model);
        worst = worst.max(percent(model).abs());
        worst_fitted = worst_fitted.max(percent(fitted).abs());
    }
    OperationFit {
        operation,
        lines: count as usize,
        mean_percent: sum / f64::from(count.max(1)),
        worst_percent: worst,
        worst_percent_fitted: worst_fitted,
    }
}

fn product(row: &[f64], constants: &[f64]) -> f64 {
    row.iter().zip(constants).map(|(amount, constant)| amount * constant).sum()
}
