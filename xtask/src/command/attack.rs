//! `attack`: the steps of the nightly run that attack a store or a server.
//!
//! Does not own: the attacks. They are tests of the crates they attack, and steps of `cargo xtask test nightly`.

use std::process::ExitCode;

use crate::command::refuse;
use crate::test::{ATTACKS, STEPS, TestStep, run_steps};

pub(crate) fn attack(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match select(&arguments) {
        Ok(steps) => run_steps(&steps),
        Err(what) => refuse(&what),
    }
}

fn select(arguments: &[&str]) -> Result<Vec<&'static TestStep>, String> {
    let steps = STEPS.iter().filter(|step| ATTACKS.contains(&step.name));
    match arguments {
        [] => Ok(steps.collect()),
        [name] if ATTACKS.contains(name) => Ok(steps.filter(|step| step.name == *name).collect()),
        [unknown, ..] => Err(format!("the attacks are {}, not `{unknown}`", ATTACKS.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::select;
    use crate::test::ATTACKS;

    #[test]
    fn all_attacks_or_one_are_run() {
        let names = |arguments: &[&str]| -> Result<Vec<&str>, String> {
            Ok(select(arguments)?.iter().map(|step| step.name).collect())
        };
        assert_eq!(names(&[]).unwrap(), ATTACKS);
        assert_eq!(names(&["crash"]).unwrap(), ["crash"]);
        assert!(names(&["lints"]).unwrap_err().contains("not `lints`"));
    }
}
