//! The list of commands and the one match that leads to each.

use std::process::ExitCode;

use clap::Subcommand;

use super::{
    bench, copy, cost, export, import, notifications, query, report, schema, serve, verify, version,
};
use crate::failure::Failure;

/// What the user asks for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(Box<serve::Serve>),
    Version(version::Version),
    Verify(verify::Verify),
    Bench(bench::Bench),
    Export(export::Export),
    Import(import::Import),
    Copy(Box<copy::Copy>),
    Query(query::Query),
    Report(report::Report),
    Schema(Box<schema::Schema>),
    Cost(cost::Cost),
    Notifications(notifications::Notifications),
}

impl Command {
    /// Carries it out.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
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
