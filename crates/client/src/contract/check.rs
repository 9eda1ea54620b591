//! The small vocabulary the cases are written in.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};

/// A broken promise.
#[derive(Debug)]
pub struct ContractViolation(String);

pub(super) type CaseResult = std::result::Result<(), ContractViolation>;

impl fmt::Display for ContractViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ContractViolation {}

impl From<Error> for ContractViolation {
    fn from(error: Error) -> Self {
        Self(format!("an unexpected error of kind {:?}: {error}", error.kind()))
    }
}

impl From<model::ValidationError> for ContractViolation {
    fn from(invalid: model::ValidationError) -> Self {
        Self(format!("the case itself is wrong: {}", invalid.message()))
    }
}

impl ContractViolation {
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    pub(super) fn in_case(self, name: &str) -> Self {
        Self(format!("{name}: {}", self.0))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a case compares what it has just received")]
pub(super) fn equal<T: PartialEq + fmt::Debug>(what: &str, found: T, expected: T) -> CaseResult {
    if found == expected {
        return Ok(());
    }
    Err(ContractViolation(format!("{what}: expected {expected:?}, found {found:?}")))
}

pub(super) fn holds(what: &str, condition: bool) -> CaseResult {
    if condition { Ok(()) } else { Err(ContractViolation(what.to_owned())) }
}

pub(super) fn some<T>(what: &str, value: Option<T>) -> std::result::Result<T, ContractViolation> {
    value.ok_or_else(|| ContractViolation(format!("{what} is missing")))
}

pub(super) fn fails_with<T>(what: &str, result: Result<T>, expected: ErrorKind) -> CaseResult {
    match result {
        Err(error) if error.kind() == expected => Ok(()),
        Err(error) => Err(ContractViolation(format!(
            "{what}: expected {expected:?}, found {:?}: {error}",
            error.kind()
        ))),
        Ok(_) => {
            Err(ContractViolation(format!("{what}: expected {expected:?}, but the call succeeded")))
        }
    }
}

/// An item of the cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TestOrder {
    pub(super) id: String,
    pub(super) customer: String,
    pub(super) total: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

impl TestOrder {
    pub(super) fn new(id: &str, customer: &str, total: i64) -> Self {
        Self { id: id.to_owned(), customer: customer.to_owned(), total, note: None }
    }
}
