//! Runs the scenarios through azure_data_cosmos.
//!
//! Owns the walk over the scenario files and the line printed for each. What is expected is in the scenario files;
//! ../../README.md says how to read them. Each verb is said in `verb.rs` and its neighbours, judged in `check.rs`.

mod administration;
mod arguments;
mod bearer;
mod check;
mod feed;
mod items;
mod outcome;
mod runner;
mod verb;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::outcome::Stop;
use crate::runner::Runner;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_command_line()?;
    let mut runner = Runner::connect(&arguments.endpoint, &arguments.key).await?;
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&arguments.scenarios)? {
        files.push(entry?.path());
    }
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let content: Value = serde_json::from_slice(&fs::read(file)?)?;
        run_file(&mut runner, &content, &arguments.only).await?;
    }
    runner.leave().await?;
    Ok(())
}

async fn run_file(
    runner: &mut Runner,
    content: &Value,
    only: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let shared = content["shared"] == json!(true);
    if shared {
        runner.set_up(&content["setup"]).await?;
    }
    for scenario in content["scenarios"].as_array().ok_or("a file without scenarios")? {
        let name = scenario["name"].as_str().ok_or("a scenario without a name")?;
        if !name.contains(only) {
            continue;
        }
        let own = scenario.get("setup").unwrap_or(&content["setup"]);
        let judged = runner.judge((!shared).then_some(own), scenario).await;
        let (outcome, reason) = match judged {
            Ok(()) => ("passed", String::new()),
            Err(Stop::Unsupported(reason)) => ("unsupported", reason),
            Err(Stop::Unseen(reason)) => ("failed", reason),
            Err(Stop::Failed(error)) => ("failed", error.to_string()),
        };
        let reason: String = reason.chars().take(600).collect();
        let area = &content["area"];
        println!(
            "{}",
            json!({"scenario": name, "area": area, "outcome": outcome, "reason": reason})
        );
    }
    Ok(())
}
