//! `tidy`: runs all checks on the tree and prints what they found.

use std::fs;
use std::process::ExitCode;

use crate::command::refuse;
use crate::ratchet;
use crate::reading::Tree;
use crate::tidy::{check_all, offenses};

pub(crate) fn tidy(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => print_findings(&Tree::workspace()),
        ["--update-ratchet"] => update_ratchet(&Tree::workspace()),
        [unknown, ..] => refuse(&format!("tidy does not know `{unknown}`")),
    }
}

fn print_findings(tree: &Tree) -> ExitCode {
    let (report, checks) = check_all(tree);
    for note in &report.skipped {
        println!("skipped: {note}");
    }
    for finding in &report.findings {
        println!("{finding}");
    }
    println!("tidy: {checks} checks, {} findings", report.findings.len());
    if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn update_ratchet(tree: &Tree) -> ExitCode {
    let text = match ratchet::tightened(tree, &offenses(tree)) {
        Ok(text) => text,
        Err(refused) => {
            for line in &refused {
                eprintln!("refused to raise: {line}");
            }
            eprintln!("the ratchet only tightens; repair these, then run this again");
            return ExitCode::FAILURE;
        }
    };
    match fs::write(tree.root().join(ratchet::LIST), text) {
        Ok(()) => {
            println!("wrote {}", ratchet::LIST);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{} could not be written: {error}", ratchet::LIST);
            ExitCode::FAILURE
        }
    }
}
