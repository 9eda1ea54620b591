//! Budgets: the maximum charge of named operations.
//!
//! Owns the file format, the comparison and the report of a failed run. A run fails when an operation costs more than
//! its budget, when the file does not contain it, and when an operation of the file was never run. Does not execute
//! anything: a test passes the explanations of its requests.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::explanation::ChargeExplanation;
use super::profile::ChargeProfile;
use crate::resource::members::Members;
use crate::{Json, RequestCharge, Result, ValidationError};

/// The budgets of a file.
///
/// ```
/// use planisphere_model::charge::Budgets;
///
/// let budgets = Budgets::parse(br#"{"profile": "native", "operations": {"read order": {"max": 1}}}"#)?;
/// let mut run = budgets.run();
/// // let read = engine.read_item(...).await?;
/// // run.record("read order", read.explanation.map(|one| *one))?;
/// # run.record("read order", None)?;
/// run.finish()?;
/// # Ok::<(), planisphere_model::ValidationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// The profile that the budgets apply to; `None` when they apply to every profile.
    pub profile: Option<ChargeProfile>,
    /// Budgets by operation name.
    pub operations: BTreeMap<String, Budget>,
}

/// The budget of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The maximum charge.
    pub max: RequestCharge,
}

/// A run that compares charges with budgets.
#[derive(Clone, Debug)]
pub struct BudgetRun {
    budgets: Budgets,
    /// The most expensive execution of each operation.
    spent: BTreeMap<String, Vec<ChargeExplanation>>,
}

impl Budgets {
    /// Parses a file: `{"profile": "azure", "operations": {"create order": {"max": 8}}}`, with maxima in request units.
    ///
    /// # Errors
    /// When the text is not JSON, a member is unknown or malformed, the profile is unknown, or a maximum is not a
    /// number of request units.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let json = Json::parse(text)
            .map_err(|error| ValidationError::new(format!("The budgets are not JSON: {error}")))?;
        let members = Members::new("budgets", &json)?;
        let profile = members.text("profile")?.map(ChargeProfile::parse).transpose()?;
        let operations = members.get("operations").and_then(Json::as_object).ok_or_else(|| {
            ValidationError::new(
                "The budgets have no object at /operations; name an operation there.",
            )
        })?;
        let known = ["profile", "operations"];
        let mut named = json.as_object().into_iter().flat_map(crate::Object::iter);
        // Refused rather than ignored: a misspelled member would silently lift a budget.
        if let Some((name, _)) = named.find(|(name, _)| !known.contains(name)) {
            return Err(ValidationError::new(format!(
                "The budgets have a member /{name}, which is unknown; use profile and operations."
            )));
        }
        let read = |(name, value): (&str, &Json)| Ok((name.to_owned(), Budget::read(name, value)?));
        Ok(Self { profile, operations: operations.iter().map(read).collect::<Result<_>>()? })
    }

    /// Starts a run.
    #[must_use]
    pub fn run(self) -> BudgetRun {
        BudgetRun { budgets: self, spent: BTreeMap::new() }
    }
}

impl Budget {
    fn read(name: &str, json: &Json) -> Result<Self> {
        let max = json.get("max").and_then(|max| match max {
            Json::Number(number) => Some(number.as_f64()),
            _ => None,
        });
        let max = max.filter(|max| (0.0..1e9).contains(max)).ok_or_else(|| {
            ValidationError::new(format!(
                "The budget at /operations/{name}/max is not a number of request units; write \
                 {{\"max\": 8.5}}."
            ))
        })?;
        Ok(Self { max: RequestCharge::nearest(max) })
    }

    /// Whether a charge exceeds the budget when it is printed with two decimals.
    fn is_exceeded_by(self, charge: RequestCharge) -> bool {
        let half_hundredth = RequestCharge::from_parts(RequestCharge::PARTS_PER_REQUEST_UNIT / 200);
        // A budget is written with the two decimals that the service prints. A charge that prints like the maximum
        // keeps it.
        charge >= self.max + half_hundredth
    }
}

impl BudgetRun {
    /// Records one execution of an operation, with the explanations of all its requests.
    ///
    /// # Errors
    /// When no budget has this name, or a request was charged by another profile than that of the budgets.
    pub fn record(
        &mut self,
        name: &str,
        requests: impl IntoIterator<Item = ChargeExplanation>,
    ) -> Result<()> {
        if !self.budgets.operations.contains_key(name) {
            let known: Vec<&str> = self.budgets.operations.keys().map(String::as_str).collect();
            return Err(ValidationError::new(format!(
                "There is no budget for the operation '{name}'; there are: {}.",
                known.join(", ")
            )));
        }
        let requests: Vec<ChargeExplanation> = requests.into_iter().collect();
        let differs = |request: &&ChargeExplanation| Some(request.profile) != self.budgets.profile;
        if let (Some(profile), Some(request)) =
            (self.budgets.profile, requests.iter().find(differs))
        {
            return Err(ValidationError::new(format!(
                "The operation '{name}' was priced by the profile {}, and its budget is for \
                 {profile}; open the engine with that profile.",
                request.profile
            )));
        }
        let highest = self.spent.entry(name.to_owned()).or_default();
        // The first execution is kept even if it was free, since an absent one means "never run".
        if highest.is_empty() || total_charge(highest) < total_charge(&requests) {
            *highest = requests;
        }
        Ok(())
    }

    /// Records one execution of an operation whose charge is known, but not its terms.
    ///
    /// # Errors
    /// When no budget has this name.
    pub fn record_charge(&mut self, name: &str, charge: RequestCharge) -> Result<()> {
        let profile = self.budgets.profile.unwrap_or_default();
        self.record(name, [ChargeExplanation::of_whole("requests", profile, charge)])
    }

    /// Ends the run. Returns one line per operation.
    ///
    /// # Errors
    /// When an operation exceeded its budget (the message lists its terms) or was never run.
    pub fn finish(self) -> Result<String> {
        let (mut lines, mut failures) = (String::new(), String::new());
        for (name, budget) in &self.budgets.operations {
            let Some(requests) = self.spent.get(name) else {
                // Writing to a string cannot fail.
                let _ = write!(failures, "\n{name}: never run; its budget is {} RU", budget.max);
                continue;
            };
            let charge = total_charge(requests);
            let _ = writeln!(lines, "{name}: {charge} of {} RU", budget.max);
            if budget.is_exceeded_by(charge) {
                let _ =
                    write!(failures, "\n{name}: {charge} RU, over its budget of {}", budget.max);
                for request in requests {
                    let _ = write!(failures, "\n  {} {} RU", request.operation, request.charge());
                    for term in &request.terms {
                        let _ = write!(failures, "\n    {term}");
                    }
                }
            }
        }
        if failures.is_empty() {
            return Ok(lines);
        }
        Err(ValidationError::new(format!("Budgets are not kept:{failures}")))
    }
}

fn total_charge(requests: &[ChargeExplanation]) -> RequestCharge {
    requests.iter().map(ChargeExplanation::charge).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charge::ChargeTerm;

    fn read(bytes: usize) -> ChargeExplanation {
        let terms = vec![ChargeTerm::of_read(bytes)];
        ChargeExplanation { operation: "read", profile: ChargeProfile::Azure, terms }
    }

    fn budgets() -> Budgets {
        Budgets::parse(br#"{"operations":{"read":{"max":1.05},"write":{"max":5}}}"#).unwrap()
    }

    #[test]
    fn a_run_within_its_budgets_lists_them() {
        let mut run = budgets().run();
        run.record("read", [read(10)]).unwrap();
        // 22/21 is printed as 1.05.
        run.record("read", [read(2000)]).unwrap();
        run.record_charge("write", RequestCharge::nearest(4.999)).unwrap();
        assert_eq!(run.finish().unwrap(), "read: 1.05 of 1.05 RU\nwrite: 5 of 5 RU\n");
    }

    #[test]
    fn an_excess_is_told_with_its_terms_and_what_never_ran_is_told_too() {
        let mut run = budgets().run();
        run.record("read", [read(4000)]).unwrap();
        run.record("read", [read(10)]).unwrap();
        assert_eq!(
            run.finish().unwrap_err().message(),
            "Budgets are not kept:\n\
             read: 1.14 RU, over its budget of 1.05\n  \
             read 1.14 RU\n    \
             1.1429 RU  read: 4000 bytes, bucket of 4 KB\n\
             write: never run; its budget is 5 RU"
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let refused =
            |text: &str| Budgets::parse(text.as_bytes()).unwrap_err().message().to_owned();
        assert!(refused("nothing").starts_with("The budgets are not JSON: "));
        assert!(refused(r#"{"profile":"gold","operations":{}}"#).contains("use azure or native"));
        assert!(refused("{}").contains("/operations"));
        assert!(refused(r#"{"operations":{},"more":1}"#).contains("/more"));
        for max in ["-1", "\"8\"", "null"] {
            let text = format!(r#"{{"operations":{{"a":{{"max":{max}}}}}}}"#);
            assert!(refused(&text).contains("/operations/a/max"), "{max}");
        }
        let unknown = budgets().run().record("reed", []).unwrap_err();
        assert!(unknown.message().contains("'reed'; there are: read, write."), "{unknown}");
        let native = Budgets { profile: Some(ChargeProfile::Native), ..budgets() };
        let other = native.run().record("read", [read(1)]).unwrap_err();
        assert!(other.message().contains("by the profile azure"), "{other}");
    }
}
