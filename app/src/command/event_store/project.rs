//! Builds projections to their end, and shows how far they are.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::open::{EventStoreFlags, OpenEventStore, ServiceFlag, store_error};
use crate::error::CommandError;
use crate::output::line;

/// Build projections and show how far they are
#[derive(Debug, Args)]
pub(super) struct ProjectCommand {
    #[command(subcommand)]
    subcommand: ProjectSubcommand,
}

#[derive(Debug, Subcommand)]
enum ProjectSubcommand {
    /// Bring a projection up to the last event and save its safe state
    Build(ProjectionArguments),
    /// The same, from the first event on
    Rebuild(ProjectionArguments),
    /// Print the saved states of a tenant
    Status {
        #[command(flatten)]
        service: ServiceFlag,

        #[command(flatten)]
        store: EventStoreFlags,
    },
}

#[derive(Debug, Args)]
struct ProjectionArguments {
    /// The projector
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    service: ServiceFlag,

    #[command(flatten)]
    store: EventStoreFlags,
}

impl ProjectCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let (arguments, is_rebuild) = match self.subcommand {
            ProjectSubcommand::Build(arguments) => (arguments, false),
            ProjectSubcommand::Rebuild(arguments) => (arguments, true),
            ProjectSubcommand::Status { service, store } => {
                let open = store.open().await?;
                let done = status(&open, &service).await;
                return open.close(done).await;
            }
        };
        let open = arguments.store.open().await?;
        let done = build(&open, &arguments, is_rebuild).await;
        open.close(done).await
    }
}

async fn build(
    open: &OpenEventStore,
    arguments: &ProjectionArguments,
    is_rebuild: bool,
) -> Result<ExitCode, CommandError> {
    let failed = |error| store_error("building the projection", &error);
    let service = arguments.service.parse()?;
    let projections = open.system.projections();
    let mut runner = projections.runner(&service, &arguments.name).await.map_err(failed)?;
    if is_rebuild {
        runner.restart();
    }
    runner.catch_up().await.map_err(failed)?;
    runner.save(if is_rebuild { "rebuild" } else { "build" }).await.map_err(failed)?;
    let status = runner.measured_status().await.map_err(failed)?;
    line(format_args!(
        "{} version {}: {} events, {} of them safe and saved, {} behind",
        status.name,
        status.version,
        status.events_processed,
        status.safe_events_processed,
        status.lag.unwrap_or_default()
    ))?;
    Ok(ExitCode::SUCCESS)
}

async fn status(open: &OpenEventStore, service: &ServiceFlag) -> Result<ExitCode, CommandError> {
    let failed = |error| store_error("reading states", &error);
    let scope = open.scope(service)?;
    for state in scope.states.list().await.map_err(failed)? {
        let last = state.last();
        let behind = scope.events.event_count(last.as_ref()).await.map_err(failed)?;
        line(format_args!(
            "{} version {}: {} events, {behind} behind, saved {} by {}",
            state.projector_name,
            state.projector_version,
            state.events_processed,
            state.updated_at,
            state.build_source
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
