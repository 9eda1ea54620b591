//! The list of commands.

use std::process::ExitCode;

use clap::Subcommand;

use super::{
    bench, copy, cost, export, import, notifications, query, report, schema, serve, verify, version,
};
use crate::error::CommandError;

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum PlanisphereCommand {
    Serve(Box<serve::ServeCommand>),
    Version(version::VersionCommand),
    Verify(verify::VerifyCommand),
    Bench(bench::BenchCommand),
    Export(export::ExportCommand),
    Import(import::ImportCommand),
    Copy(Box<copy::CopyCommand>),
    Query(query::QueryCommand),
    Report(report::ReportCommand),
    Schema(Box<schema::SchemaCommand>),
    Cost(cost::CostCommand),
    Notifications(notifications::NotificationsCommand),
}

impl PlanisphereCommand {
    /// Runs it.
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        match self {
            Self::Serve(serve) => serve.run(),
            Self::Version(version) => version.run(),
            Self::Verify(verify) => verify.run(),
            Self::Bench(bench) => bench.run(),
            Self::Export(export) => export.run(),
            Self::Import(import) => import.run(),
            Self::Copy(copy) => copy.run(),
            Self::Query(query) => query.run(),
            Self::Report(report) => report.run(),
            Self::Schema(schema) => schema.run(),
            Self::Cost(cost) => cost.run(),
            Self::Notifications(notifications) => notifications.run(),
        }
    }
}
