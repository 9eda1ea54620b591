//! SELECT: the output of a row or group.
//!
//! Owns the forms of output. An undefined value produces no row; an undefined property is left out.

use std::sync::Arc;

use crate::bind::OutputProjection;
use crate::evaluate::{EvaluationError, EvaluationScope, Formula, Preparation, count_part};
use crate::value::Value;

/// The output of a query.
#[derive(Debug)]
pub(super) enum ProjectStage {
    /// The value of a formula.
    Value(Formula),
    /// An object.
    Object(Vec<(Arc<str>, Formula)>),
}

impl ProjectStage {
    pub(super) fn prepare(projection: &OutputProjection, preparation: &Preparation<'_>) -> Self {
        match projection {
            OutputProjection::Input(slot) => Self::Value(Formula::Input(*slot)),
            OutputProjection::Value(expression) => Self::Value(preparation.formula(expression)),
            OutputProjection::Object(properties) => Self::Object(
                properties
                    .iter()
                    .map(|property| {
                        let name = property.name.as_str().into();
                        (name, preparation.formula(&property.expression))
                    })
                    .collect(),
            ),
        }
    }

    /// The output row; undefined if there is none.
    pub(super) fn row(&self, scope: &EvaluationScope<'_>) -> Result<Value, EvaluationError> {
        match self {
            Self::Value(formula) => formula.evaluate(scope),
            Self::Object(properties) => {
                let mut values = Vec::with_capacity(properties.len());
                for (name, formula) in properties {
                    let value = formula.evaluate(scope)?;
                    count_part(name.len(), &value, scope)?;
                    values.push((name.clone(), value));
                }
                Ok(Value::object(values))
            }
        }
    }
}
