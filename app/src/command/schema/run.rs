//! Plan, check and apply.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::arguments::{Compared, Opened};
use super::export::Export;
use super::tell;
use crate::failure::Failure;
use crate::open;
use crate::output::line;
use crate::place::Missing;
use crate::progress;

/// Exit code of a place that differs from its schema.
const DIFFERS: u8 = 1;

/// Keep databases and containers as a file: compare, apply, check, export.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere schema plan shop.toml --data DIR           what would be created and changed, and its effect
  planisphere schema apply infra/ --data DIR             the containers of Terraform files, made in a folder
  planisphere schema apply main.tf --endpoint http://localhost:8081/ --yes
  planisphere schema check azuredeploy.json --parameters azuredeploy.parameters.json --data DIR
  planisphere schema export --data DIR --to terraform    what a folder has, as Terraform
  planisphere schema export main.tf --to toml            one form as another

A schema is a .toml file of ours (docs/reference/schema.md), Terraform files with azurerm_cosmosdb_sql_database and
azurerm_cosmosdb_sql_container, or a template of the resource manager (Bicep compiled). What is in the place and not in
the schema is left alone. What cannot be changed, such as a partition key, is refused with the way out.

Exit codes: 0 all is well, 1 `check` found a difference, 2 it could not be carried out.")]
pub(crate) struct Schema {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Tell what applying the schema would do
    Plan(Compared),
    /// Make the place as the schema says; a second time it does nothing
    Apply(Apply),
    /// Compare only; exit code 1 when something differs
    Check(Compared),
    Export(Export),
}

#[derive(Debug, Args)]
struct Apply {
    #[command(flatten)]
    compared: Compared,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Schema {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            What::Plan(compared) => open::run(async {
                planned(&compared).await?;
                Ok(ExitCode::SUCCESS)
            }),
            What::Check(compared) => open::run(async {
                match planned(&compared).await? {
                    true => Ok(ExitCode::SUCCESS),
                    false => Ok(ExitCode::from(DIFFERS)),
                }
            }),
            What::Apply(apply) => open::run(apply.run()),
            What::Export(export) => open::run(export.run()),
        }
    }
}

/// Prints the plan, and gives whether there is nothing to do.
async fn planned(compared: &Compared) -> Result<bool, Failure> {
    let opened = compared.open(Missing::Refuse).await?;
    let plan = plan(&opened).await?;
    line(tell::plan(&plan, &opened.place))?;
    opened.close().await?;
    Ok(plan.is_up_to_date())
}

async fn plan(opened: &Opened) -> Result<service::schema::SchemaPlan, Failure> {
    let plan = opened.schema.plan(&opened.account).await;
    plan.map_err(|error| Failure::of(format!("comparing {} with the schema", opened.place), &error))
}

impl Apply {
    async fn run(self) -> Result<ExitCode, Failure> {
        let opened = self.compared.open(Missing::Make).await?;
        let applied = self.apply(&opened).await;
        opened.close().await?;
        applied
    }

    async fn apply(&self, opened: &Opened) -> Result<ExitCode, Failure> {
        let plan = plan(opened).await?;
        line(tell::plan(&plan, &opened.place))?;
        if plan.is_up_to_date() {
            return Ok(ExitCode::SUCCESS);
        }
        if plan.obstacles.is_empty() && !self.yes {
            confirm()?;
        }
        let bar = progress::bar(plan.steps.len() as u64, "applying");
        let applied = plan.apply(&opened.account, |_| bar.inc(1)).await;
        bar.finish_and_clear();
        applied.map_err(|error| tell::refusal(&opened.place, &error))?;
        line(format!("Applied to {}.", opened.place))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Asks on a terminal; elsewhere nobody is there to answer.
fn confirm() -> Result<(), Failure> {
    let refused =
        |why: &str| Failure::new("applying the schema", why).way_out("Say --yes to apply it");
    if !std::io::stdin().is_terminal() {
        return Err(refused("nobody is there to ask"));
    }
    let mut terminal = std::io::stderr();
    let asked = write!(terminal, "Apply this? [y/N] ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    let answered = asked.and_then(|()| std::io::stdin().lock().read_line(&mut answer));
    answered.map_err(|error| refused(&error.to_string()))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(refused("it was not confirmed, nothing was done")),
    }
}
