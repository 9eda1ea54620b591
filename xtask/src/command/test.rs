//! `test`: everything with one command, step by step, stopping at the first step that fails.

use std::process::ExitCode;

use crate::command::refuse;
use crate::test::{STEPS, Step, run_steps};

pub(crate) fn test(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match choose(&arguments) {
        Ok(Choice::Run(steps)) => run_steps(&steps),
        Ok(Choice::List) => list(),
        Err(what) => refuse(&what),
    }
}

enum Choice {
    Run(Vec<&'static Step>),
    List,
}

fn choose(arguments: &[&str]) -> Result<Choice, String> {
    match arguments {
        [] => Ok(Choice::Run(STEPS.iter().collect())),
        ["--list"] => Ok(Choice::List),
        ["--quick"] => Ok(Choice::Run(STEPS.iter().filter(|step| !step.slow).collect())),
        ["--only", name] => match STEPS.iter().find(|step| step.name == *name) {
            Some(step) => Ok(Choice::Run(vec![step])),
            None => Err(format!("there is no step `{name}`, `cargo xtask test --list` names them")),
        },
        ["--only"] => Err("`--only` needs the name of a step".to_owned()),
        [unknown, ..] => Err(format!("test does not know `{}`", unknown)),
    }
}

fn list() -> ExitCode {
    for step in STEPS {
        let slow = if step.slow { " (not with --quick)" } else { "" };
        println!("{:<10} {}{slow}", step.name, step.purpose);
        println!("{:<10} {}", "", step.printed());
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::{Choice, choose};
    use crate::test::STEPS;

    fn check(arguments: &[&str], expected: Result<&[&str], &str>) {
        let names = match choose(arguments) {
            Ok(Choice::Run(steps)) => Ok(steps.iter().map(|step| step.name).collect()),
            Ok(Choice::List) => Ok(vec!["list"]),
            Err(what) => Err(what),
        };
        assert_eq!(names, expected.map(<[_]>::to_vec).map_err(str::to_owned));
    }

    #[test]
    fn the_arguments_choose_the_steps() {
        let all: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        let fast: Vec<_> = STEPS.iter().filter(|step| !step.slow).map(|step| step.name).collect();
        check(&[], Ok(&all));
        check(&["--quick"], Ok(&fast));
        check(&["--only", "lints"], Ok(&["lints"]));
        check(&["--list"], Ok(&["list"]));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        check(&["--only"], Err("`--only` needs the name of a step"));
        check(&["--fast"], Err("test does not know `--fast`"));
        let none = "there is no step `x`, `cargo xtask test --list` names them";
        check(&["--only", "x"], Err(none));
    }
}
