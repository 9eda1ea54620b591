//! `test`: everything with one command, step by step, stopping at the first step that fails.

use std::process::ExitCode;

use crate::command::refuse;
use crate::test::{STEPS, TestStep, TestTier, run_steps};

pub(crate) fn test(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match select(&arguments) {
        Ok(TestSelection::Run(steps)) => run_steps(&steps),
        Ok(TestSelection::List) => list(),
        Err(what) => refuse(&what),
    }
}

enum TestSelection {
    Run(Vec<&'static TestStep>),
    List,
}

fn select(arguments: &[&str]) -> Result<TestSelection, String> {
    let tier =
        |tier| Ok(TestSelection::Run(STEPS.iter().filter(|step| step.is_in(tier)).collect()));
    match arguments {
        [] => tier(TestTier::Default),
        ["quick"] => tier(TestTier::Quick),
        ["nightly"] => tier(TestTier::Nightly),
        ["--list"] => Ok(TestSelection::List),
        ["--only", name] => match STEPS.iter().find(|step| step.name == *name) {
            Some(step) => Ok(TestSelection::Run(vec![step])),
            None => Err(format!("there is no step `{name}`, `cargo xtask test --list` names them")),
        },
        ["--only"] => Err("`--only` needs the name of a step".to_owned()),
        [unknown, ..] => Err(format!("test does not know `{unknown}`")),
    }
}

fn list() -> ExitCode {
    for step in STEPS {
        let tiers = [
            (TestTier::Quick, "quick"),
            (TestTier::Default, "default"),
            (TestTier::Nightly, "nightly"),
        ];
        let names = tiers.iter().filter(|(tier, _)| step.is_in(*tier)).map(|(_, name)| *name);
        let names: Vec<&str> = names.collect();
        println!("{:<16} {} ({})", step.name, step.purpose, names.join(", "));
        println!("{:<16} {}", "", step.printed());
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::{TestSelection, select};
    use crate::test::{STEPS, TestTier};

    fn check(arguments: &[&str], expected: Result<&[&str], &str>) {
        let names = match select(arguments) {
            Ok(TestSelection::Run(steps)) => Ok(steps.iter().map(|step| step.name).collect()),
            Ok(TestSelection::List) => Ok(vec!["list"]),
            Err(what) => Err(what),
        };
        assert_eq!(names, expected.map(<[_]>::to_vec).map_err(str::to_owned));
    }

    fn names(tier: TestTier) -> Vec<&'static str> {
        STEPS.iter().filter(|step| step.is_in(tier)).map(|step| step.name).collect()
    }

    #[test]
    fn the_arguments_choose_the_steps() {
        check(&[], Ok(&names(TestTier::Default)));
        check(&["quick"], Ok(&names(TestTier::Quick)));
        check(&["nightly"], Ok(&names(TestTier::Nightly)));
        check(&["--only", "lints"], Ok(&["lints"]));
        check(&["--list"], Ok(&["list"]));
        assert!(names(TestTier::Quick).len() < names(TestTier::Default).len());
        assert!(names(TestTier::Default).len() < names(TestTier::Nightly).len());
    }

    #[test]
    fn unknown_arguments_are_refused() {
        check(&["--only"], Err("`--only` needs the name of a step"));
        check(&["--fast"], Err("test does not know `--fast`"));
        let none = "there is no step `x`, `cargo xtask test --list` names them";
        check(&["--only", "x"], Err(none));
    }
}
