//! Plan, check and apply.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::arguments::{SchemaArguments, SchemaContext};
use super::export::SchemaExportCommand;
use super::messages;
use crate::account_location::MissingStore;
use crate::error::CommandError;
use crate::open;
use crate::output::line;
use crate::progress;

/// Exit code if an account differs from the schema.
const DIFFERS: u8 = 1;

/// Keep databases and containers as a file: plan, apply, check, export.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere schema plan shop.toml --data DIR           what would be created and changed, with the effects
  planisphere schema apply infra/ --data DIR             create the containers of Terraform files in a folder
  planisphere schema apply main.tf --endpoint http://localhost:8081/ --yes
  planisphere schema check azuredeploy.json --parameters azuredeploy.parameters.json --data DIR
  planisphere schema export --data DIR --to terraform    the containers of a folder, as Terraform
  planisphere schema export main.tf --to toml            convert one format to another

A schema is a .toml file in our format (docs/reference/schema.md), Terraform files with azurerm_cosmosdb_sql_database
and azurerm_cosmosdb_sql_container, or an ARM template (compiled Bicep). Containers may declare their stored procedures,
triggers and functions. Databases, containers and scripts that are not in the schema are left alone. Changes
that are impossible, such as of a partition key, are rejected with an alternative.

Exit codes: 0 success, 1 `check` found a difference, 2 the command failed.")]
pub(crate) struct SchemaCommand {
    #[command(subcommand)]
    subcommand: SchemaSubcommand,
}

#[derive(Debug, Subcommand)]
enum SchemaSubcommand {
    /// Show what applying the schema would do
    Plan(SchemaArguments),
    /// Create and change what the schema says; applying it again does nothing
    Apply(SchemaApplyCommand),
    /// Only compare; exit with 1 if something differs
    Check(SchemaArguments),
    Export(SchemaExportCommand),
}

#[derive(Debug, Args)]
struct SchemaApplyCommand {
    #[command(flatten)]
    arguments: SchemaArguments,

    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl SchemaCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            SchemaSubcommand::Plan(arguments) => open::block_on(async {
                print_plan(&arguments).await?;
                Ok(ExitCode::SUCCESS)
            }),
            SchemaSubcommand::Check(arguments) => open::block_on(async {
                match print_plan(&arguments).await? {
                    true => Ok(ExitCode::SUCCESS),
                    false => Ok(ExitCode::from(DIFFERS)),
                }
            }),
            SchemaSubcommand::Apply(apply) => open::block_on(apply.run()),
            SchemaSubcommand::Export(export) => open::block_on(export.run()),
        }
    }
}

/// Prints the plan; returns whether there is nothing to do.
async fn print_plan(arguments: &SchemaArguments) -> Result<bool, CommandError> {
    let context = arguments.open(MissingStore::Refuse).await?;
    let plan = plan(&context).await?;
    line(messages::plan(&plan, &context.location))?;
    context.close().await?;
    Ok(plan.is_up_to_date())
}

async fn plan(context: &SchemaContext) -> Result<service::schema::SchemaPlan, CommandError> {
    let plan = context.schema.plan_with_scripts(&context.account, &context.scripts).await;
    plan.map_err(|error| messages::apply_error(&context.location, &error))
}

impl SchemaApplyCommand {
    async fn run(self) -> Result<ExitCode, CommandError> {
        let context = self.arguments.open(MissingStore::Create).await?;
        let applied = self.apply(&context).await;
        context.close().await?;
        applied
    }

    async fn apply(&self, context: &SchemaContext) -> Result<ExitCode, CommandError> {
        let plan = plan(context).await?;
        line(messages::plan(&plan, &context.location))?;
        if plan.is_up_to_date() {
            return Ok(ExitCode::SUCCESS);
        }
        // A plan with obstacles is refused by `apply`; asking first would only waste an answer.
        if plan.obstacles.is_empty() && !self.yes {
            confirm()?;
        }
        let bar = progress::bar(plan.steps.len() as u64, "applying");
        let applied =
            plan.apply_with_scripts(&context.account, &context.scripts, |_| bar.inc(1)).await;
        bar.finish_and_clear();
        applied.map_err(|error| messages::apply_error(&context.location, &error))?;
        line(format!("Applied to {}.", context.location))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Asks for confirmation on a terminal.
fn confirm() -> Result<(), CommandError> {
    let refused =
        |why: &str| CommandError::new("applying the schema", why).hint("Confirm with --yes");
    if !std::io::stdin().is_terminal() {
        return Err(refused("there is no terminal to ask for confirmation"));
    }
    // Standard output may be piped; the question belongs to the person.
    let mut terminal = std::io::stderr();
    let asked = write!(terminal, "Apply this? [y/N] ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    let answered = asked.and_then(|()| std::io::stdin().lock().read_line(&mut answer));
    answered.map_err(|error| refused(&error.to_string()))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(refused("it was not confirmed; nothing was changed")),
    }
}
