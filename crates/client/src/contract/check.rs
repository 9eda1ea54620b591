//! The small vocabulary the cases are written in.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};

/// A broken promise.
#[derive(Debug)]
pub struct AccountViolation(String);

pub(super) type AccountCaseResult = std::result::Result<(), AccountViolation>;

impl fmt::Display for AccountViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for AccountViolation {}

impl From<Error> for AccountViolation {
    fn from(error: Error) -> Self {
        Self(format!("an unexpected error of kind {:?}: {error}", error.kind()))
    }
}

impl From<model::ValidationError> for AccountViolation {
    fn from(invalid: model::ValidationError) -> Self {
        Self(format!("the case itself is wrong: {}", invalid.message()))
    }
}

impl AccountViolation {
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    pub(super) fn in_case(self, name: &str) -> Self {
        Self(format!("{name}: {}", self.0))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a case compares what it has just received")]
pub(super) fn equal<T: PartialEq + fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> AccountCaseResult {
    if found == expected {
        return Ok(());
    }
    Err(AccountViolation(format!("{what}: expected {expected:?}, found {found:?}")))
}

pub(super) fn holds(what: &str, condition: bool) -> AccountCaseResult {
    if condition { Ok(()) } else { Err(AccountViolation(what.to_owned())) }
}

pub(super) fn some<T>(what: &str, value: Option<T>) -> std::result::Result<T, AccountViolation> {
    value.ok_or_else(|| AccountViolation(format!("{what} is missing")))
}

pub(super) fn fails_with<T>(
    what: &str,
    result: Result<T>,
    expected: ErrorKind,
) -> AccountCaseResult {
    match result {
        Err(error) if error.kind() == expected => Ok(()),
        Err(error) => Err(AccountViolation(format!(
            "{what}: expected {expected:?}, found {:?}: {error}",
            error.kind()
        ))),
        Ok(_) => {
            Err(AccountViolation(format!("{what}: expected {expected:?}, but the call succeeded")))
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
