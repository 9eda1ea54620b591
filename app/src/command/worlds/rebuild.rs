//! Makes trees again from their entities, and corrects paths and counters.

use std::process::ExitCode;

use clap::Args;
use worlds::WorldId;

use super::open::{WorldsFlags, worlds_error};
use crate::error::CommandError;
use crate::output::line;

/// Make the tree of a world, or everything that follows from the entities of all worlds, again
#[derive(Debug, Args)]
pub(super) struct RebuildCommand {
    /// Id of one world, whose tree only is made again
    #[arg(value_name = "WORLD", value_parser = parse_world)]
    world: Option<WorldId>,

    #[command(flatten)]
    worlds: WorldsFlags,
}

fn parse_world(text: &str) -> Result<WorldId, String> {
    WorldId::parse(text)
}

impl RebuildCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let open = self.worlds.open().await?;
        let done = async {
            let failed = |error| worlds_error("making trees again", &error);
            if let Some(world) = &self.world {
                return match open.system.rebuild(world).await.map_err(failed)? {
                    Some(version) => line(format_args!("written, version {version}")),
                    None => line("nothing to change"),
                };
            }
            let report = open.system.reconcile().await.map_err(failed)?;
            open.system.run_operations("rebuild").await.map_err(failed)?;
            line(format_args!(
                "{} worlds: {} trees, {} paths, {} counters, {} entities in deleted ones corrected",
                report.worlds, report.trees, report.paths, report.counters, report.orphans
            ))
        };
        let done = done.await;
        open.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }
}
