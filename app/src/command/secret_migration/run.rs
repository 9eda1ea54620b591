//! The list of subcommands.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{agent, budget, cluster, rollback, scan, schema, serve, settings, vault, work};
use crate::error::CommandError;
use crate::open;

/// Run the secrets migration tracker: workloads move from Vault to another platform, and back at once
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere secret-migration serve --demo       a cluster, two vaults and a web page to try; prints sign-in links
  planisphere secret-migration vault --memory     a server with the protocol of Vault's key-value engine
  planisphere secret-migration scan --data DIR --folder manifests
  planisphere secret-migration plan prod-1 --data DIR
  planisphere secret-migration run prod-1 --data DIR --settings tracker.toml
  planisphere secret-migration status --data DIR
  planisphere secret-migration rollback prod-1 --data DIR --namespace shop --reason 'incident 17' --yes
  planisphere secret-migration verify prod-1 --data DIR
  planisphere secret-migration drift prod-1 --data DIR --resync
  planisphere secret-migration export prod-1 --data DIR > prod-1.csv
  planisphere secret-migration agent dev-1:shop:cart --tracker http://localhost:8080 --template t --output o
  planisphere secret-migration budget

Only one process can open a folder. To run commands next to a service, let the service use a server
(`planisphere serve`) or an Azure account, and give the same --endpoint or --connection-string here.

Exit codes: 0 success, 1 something failed or differs, 2 the command failed.")]
pub(crate) struct SecretMigrationCommand {
    #[command(subcommand)]
    subcommand: SecretMigrationSubcommand,
}

#[derive(Debug, Subcommand)]
enum SecretMigrationSubcommand {
    Serve(Box<serve::TrackerServeCommand>),
    Scan(Box<scan::ScanCommand>),
    Plan(Box<cluster::PlanCommand>),
    Run(Box<work::RunCommand>),
    Status(Box<cluster::StatusCommand>),
    Rollback(Box<rollback::RollbackCommand>),
    Verify(Box<cluster::VerifyClusterCommand>),
    Drift(Box<cluster::DriftCommand>),
    Export(Box<cluster::ExportClusterCommand>),
    Vault(Box<vault::VaultCommand>),
    Agent(Box<agent::AgentCommand>),
    Schema(Box<schema::TrackerSchemaCommand>),
    Settings(Box<settings::TrackerSettingsCommand>),
    Budget(budget::TrackerBudgetCommand),
}

impl SecretMigrationCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            SecretMigrationSubcommand::Serve(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Scan(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Plan(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Run(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Status(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Rollback(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Verify(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Drift(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Export(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Vault(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Agent(command) => open::block_on(command.run()),
            SecretMigrationSubcommand::Schema(command) => command.run(),
            SecretMigrationSubcommand::Settings(command) => command.run(),
            SecretMigrationSubcommand::Budget(command) => open::block_on(command.run()),
        }
    }
}
