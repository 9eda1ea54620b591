//! Injected faults: errors and delays that a test asks for, by operation and probability.
//!
//! Owns the rules and the choice of one. Randomness comes from the caller. Does not own where faults are injected: see
//! `server`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::StatusCode;
use model::{Json, ValidationError};

use crate::http::ApiError;

/// The statuses that can be injected, each with its sub-status: those that clients retry.
const STATUSES: [(u16, u32); 5] = [(408, 0), (410, 1002), (429, 3200), (449, 0), (503, 0)];
/// The operations that a rule can name.
const OPERATIONS: [&str; 11] = [
    "any",
    "read",
    "create",
    "replace",
    "upsert",
    "patch",
    "delete",
    "query",
    "batch",
    "change feed",
    "metadata",
];
const RETRY_AFTER_MS: u64 = 10;
/// Longer delays would only keep connections busy.
const DELAY_MS_MAX: i64 = 10 * 60 * 1000;

/// The faults that a gateway injects. They can be replaced while it runs.
#[derive(Debug, Default)]
pub struct FaultRules(Mutex<Vec<FaultRule>>);

/// One rule.
#[derive(Clone, Debug, PartialEq)]
struct FaultRule {
    operation: String,
    /// Of 2^64, how many requests it applies to.
    probability: u64,
    /// `None` only delays.
    status: Option<(StatusCode, u32)>,
    delay: Duration,
    retry_after_ms: u64,
    /// How many more requests; `None` without a limit.
    left: Option<u64>,
    /// Whether the request is carried out before it fails, like a response that is lost.
    is_applied: bool,
}

/// The fault of one request.
#[derive(Clone, Debug)]
pub(crate) struct InjectedFault {
    pub(crate) delay: Duration,
    /// `None` only delays.
    pub(crate) error: Option<ApiError>,
    pub(crate) is_applied: bool,
}

impl FaultRules {
    /// Parses rules: an array of objects, or one object.
    ///
    /// # Errors
    /// [`ValidationError`] that names the member and what is allowed.
    pub fn parse(json: &Json) -> model::Result<Self> {
        let rules = parse_rules(json)?;
        Ok(Self(Mutex::new(rules)))
    }

    /// Replaces the rules.
    pub(crate) fn replace(&self, json: &Json) -> model::Result<()> {
        let rules = parse_rules(json)?;
        *self.lock() = rules;
        Ok(())
    }

    /// The fault of a request, if a rule applies: the first one in their order. `random` is asked once for each rule
    /// that names the operation.
    pub(crate) fn choose(
        &self,
        operation: &str,
        mut random: impl FnMut() -> u64,
    ) -> Option<InjectedFault> {
        let mut rules = self.lock();
        let rule = rules.iter_mut().find(|rule| {
            let is_meant = rule.operation == "any" || rule.operation == operation;
            is_meant && rule.left != Some(0) && random() <= rule.probability
        })?;
        rule.left = rule.left.map(|left| left - 1);
        let error = rule.status.map(|(status, sub_status)| {
            let message = format!("The fault {status} was injected by a rule of this server.");
            let error = ApiError::new(status, message).with_sub_status(sub_status);
            match status.as_u16() {
                429 | 449 => error.with_retry_after(rule.retry_after_ms),
                _ => error,
            }
        });
        Some(InjectedFault { delay: rule.delay, error, is_applied: rule.is_applied })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FaultRule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse_rules(json: &Json) -> model::Result<Vec<FaultRule>> {
    match json {
        Json::Array(rules) => rules.iter().map(FaultRule::parse).collect(),
        rule => Ok(vec![FaultRule::parse(rule)?]),
    }
}

impl FaultRule {
    fn parse(json: &Json) -> model::Result<Self> {
        const MEMBERS: [&str; 7] =
            ["operation", "probability", "status", "delayMs", "retryAfterMs", "count", "applied"];
        let refused = |why: String| ValidationError::new(format!("A fault is not valid: {why}."));
        let object = json.as_object().ok_or_else(|| refused(format!("{json} is no object")))?;
        if let Some((name, _)) = object.iter().find(|(name, _)| !MEMBERS.contains(name)) {
            return Err(refused(format!("'{name}' is unknown; use {}", MEMBERS.join(", "))));
        }
        let operation = json.get("operation").and_then(Json::as_str).unwrap_or("any");
        if !OPERATIONS.contains(&operation) {
            let known = OPERATIONS.join(", ");
            return Err(refused(format!("the operation '{operation}' is none of {known}")));
        }
        let number = |name: &str, max: i64| match json.get(name) {
            None => Ok(None),
            Some(value) => match value.as_i64().filter(|number| (0..=max).contains(number)) {
                Some(number) => Ok(u64::try_from(number).ok()),
                None => Err(refused(format!("'{name}' is {value}; give 0 to {max}"))),
            },
        };
        let status =
            match number("status", 599)? {
                None => None,
                Some(status) => {
                    let found = STATUSES.iter().find(|(known, _)| u64::from(*known) == status);
                    let found = found.and_then(|(status, sub)| {
                        StatusCode::from_u16(*status).ok().map(|status| (status, *sub))
                    });
                    let known = "408, 410, 429, 449 or 503";
                    Some(found.ok_or_else(|| {
                        refused(format!("the status {status} is none of {known}"))
                    })?)
                }
            };
        let delay = Duration::from_millis(number("delayMs", DELAY_MS_MAX)?.unwrap_or_default());
        if status.is_none() && delay.is_zero() {
            return Err(refused("it has neither 'status' nor 'delayMs'".to_owned()));
        }
        Ok(Self {
            operation: operation.to_owned(),
            probability: probability(json).map_err(refused)?,
            status,
            delay,
            retry_after_ms: number("retryAfterMs", DELAY_MS_MAX)?.unwrap_or(RETRY_AFTER_MS),
            left: number("count", i64::MAX)?,
            is_applied: json.get("applied").and_then(Json::as_bool).unwrap_or_default(),
        })
    }
}

/// A probability from 0 to 1 as a part of 2^64.
fn probability(json: &Json) -> Result<u64, String> {
    let Some(given) = json.get("probability") else { return Ok(u64::MAX) };
    let number = match given {
        Json::Number(number) => Some(number.as_f64()),
        _ => None,
    };
    match number.filter(|given| (0.0..=1.0).contains(given)) {
        Some(given) if given >= 1.0 => Ok(u64::MAX),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the product lies between 0 and 2^64"
        )]
        Some(given) => Ok((given * u64::MAX as f64) as u64),
        None => Err(format!("'probability' is {given}; give a number from 0 to 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> FaultRules {
        FaultRules::parse(&Json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_rule_applies_to_its_operation_as_often_as_it_says() {
        let rules = rules(r#"[{"operation":"create","status":429,"count":2,"retryAfterMs":7}]"#);
        assert!(rules.choose("read", || 0).is_none());
        for _ in 0..2 {
            let fault = rules.choose("create", || u64::MAX).unwrap();
            let error = fault.error.unwrap();
            assert_eq!((error.status().as_u16(), error.sub_status()), (429, Some(3200)));
            assert_eq!(error.retry_after_ms(), Some(7));
        }
        assert!(rules.choose("create", || 0).is_none(), "the count is used up");
    }

    #[test]
    fn the_probability_is_compared_with_what_the_caller_drew() {
        let rules = rules(r#"{"status":503,"probability":0.25}"#);
        assert!(rules.choose("read", || u64::MAX / 8).is_some());
        assert!(rules.choose("read", || u64::MAX / 2).is_none());
        let delay = FaultRules::parse(&Json::parse(br#"{"delayMs":5}"#).unwrap()).unwrap();
        let fault = delay.choose("query", || 0).unwrap();
        assert!(fault.error.is_none() && fault.delay == Duration::from_millis(5));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused_with_what_is_allowed() {
        for (text, reason) in [
            (r#"{"status":418}"#, "none of 408"),
            (r#"{"operation":"fly","status":503}"#, "'fly' is none of any"),
            (r#"{"probability":2,"status":503}"#, "from 0 to 1"),
            (r#"{"operation":"read"}"#, "neither"),
            (r#"{"stauts":503}"#, "'stauts' is unknown"),
            (r#"[7]"#, "7 is no object"),
        ] {
            let json = Json::parse(text.as_bytes()).unwrap();
            let message = FaultRules::parse(&json).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}
