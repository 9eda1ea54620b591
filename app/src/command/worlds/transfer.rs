//! Worlds as files: import, validation, export.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use worlds::{ChargeMeter, ImportMistake, ImportPlan, WorldArchive, WorldId, WorldUser};

use super::open::{OpenWorlds, WorldsFlags, parse_user, worlds_error};
use crate::error::CommandError;
use crate::output::line;

/// Exit code for files with mistakes.
const MISTAKES: u8 = 1;

/// Create a world from a zip or a folder
#[derive(Debug, Args)]
pub(super) struct ImportWorldCommand {
    /// A zip, or a folder with world.json and entities/*.json
    #[arg(value_name = "PATH")]
    source: PathBuf,

    /// Who owns the world
    #[arg(
        long,
        value_name = "USER",
        default_value = WorldUser::ANONYMOUS,
        value_parser = parse_user
    )]
    user: WorldUser,

    #[command(flatten)]
    worlds: WorldsFlags,
}

/// Look for mistakes in a zip or a folder, without an account
#[derive(Debug, Args)]
pub(super) struct ValidateWorldCommand {
    /// A zip, or a folder with world.json and entities/*.json
    #[arg(value_name = "PATH")]
    source: PathBuf,
}

/// Write a world into a zip, or into a folder
#[derive(Debug, Args)]
pub(super) struct ExportWorldCommand {
    /// Id of the world
    #[arg(value_name = "WORLD")]
    world: String,

    /// A file that ends with .zip, or a folder that does not exist
    #[arg(value_name = "PATH")]
    target: PathBuf,

    /// Who owns the world
    #[arg(
        long,
        value_name = "USER",
        default_value = WorldUser::ANONYMOUS,
        value_parser = parse_user
    )]
    user: WorldUser,

    #[command(flatten)]
    worlds: WorldsFlags,
}

impl ImportWorldCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let Some(plan) = read_plan(&self.source)? else { return Ok(ExitCode::from(MISTAKES)) };
        let open = self.worlds.create().await?;
        let done = self.import(&open, plan).await;
        open.close(done).await
    }

    async fn import(&self, open: &OpenWorlds, plan: ImportPlan) -> Result<ExitCode, CommandError> {
        let failed = |error| worlds_error("importing a world", &error);
        let mistakes = open.system.check_import(&self.user, &plan).await.map_err(failed)?;
        if !mistakes.is_empty() {
            print(&mistakes)?;
            return Ok(ExitCode::from(MISTAKES));
        }
        let imported = open.system.import(&self.user, plan).await.map_err(failed)?;
        let world = &imported.world.entity;
        line(format_args!("{}  {}, {} entities", world.id, world.name, imported.entities))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl ValidateWorldCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let Some(plan) = read_plan(&self.source)? else { return Ok(ExitCode::from(MISTAKES)) };
        // Types, rules and the schemas of the program need no data, so an empty account is enough.
        let account = client::Account::embedded(client::StorageLocation::Memory).await;
        let account = account
            .map_err(|error| CommandError::from_error("opening an account in memory", &error))?;
        let system = super::open::open_worlds(account, worlds::WorldsSettings::default()).await?;
        let mistakes = system.check_import(&WorldUser::anonymous(), &plan).await;
        let mistakes = mistakes.map_err(|error| worlds_error("validating", &error))?;
        print(&mistakes)?;
        if mistakes.is_empty() {
            line(format_args!("{} entities, no mistakes", plan.entity_count()))?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(ExitCode::from(MISTAKES))
    }
}

impl ExportWorldCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let open = self.worlds.open().await?;
        let done = self.export(&open).await;
        let archive = open.close(done).await?;
        self.write(&archive)?;
        Ok(ExitCode::SUCCESS)
    }

    async fn export(&self, open: &OpenWorlds) -> Result<WorldArchive, CommandError> {
        let failed = |error| worlds_error("exporting a world", &error);
        let world = WorldId::parse(self.world.as_str())
            .map_err(|why| CommandError::new(format!("reading the id '{}'", self.world), why))?;
        let mut meter = ChargeMeter::default();
        let access = open.system.access(&self.user, &world, &mut meter).await.map_err(failed)?;
        Ok(open.system.export(&access).await.map_err(failed)?.value)
    }

    fn write(&self, archive: &WorldArchive) -> Result<(), CommandError> {
        let what = || format!("writing {}", self.target.display());
        let failed = |error: std::io::Error| CommandError::new(what(), error.to_string());
        if is_zip(&self.target) {
            let bytes = archive.to_zip().map_err(|why| CommandError::new(what(), why))?;
            return std::fs::write(&self.target, bytes).map_err(failed);
        }
        std::fs::create_dir(&self.target).map_err(failed)?;
        std::fs::create_dir(self.target.join("entities")).map_err(failed)?;
        for (path, bytes) in archive.files() {
            std::fs::write(self.target.join(path), bytes).map_err(failed)?;
        }
        Ok(())
    }
}

fn is_zip(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}

/// The plan of the files; none if they have mistakes, which are printed.
fn read_plan(source: &Path) -> Result<Option<ImportPlan>, CommandError> {
    let archive = if source.is_dir() {
        WorldArchive::from_folder(source)
    } else {
        let bytes = std::fs::read(source).map_err(|error| {
            CommandError::new(format!("reading {}", source.display()), error.to_string())
                .hint("Check the path")
        })?;
        WorldArchive::from_zip(&bytes)
    };
    match archive.and_then(|archive| ImportPlan::of(&archive)) {
        Ok(plan) => Ok(Some(plan)),
        Err(mistakes) => {
            print(&mistakes)?;
            Ok(None)
        }
    }
}

fn print(mistakes: &[ImportMistake]) -> Result<(), CommandError> {
    mistakes.iter().try_for_each(line)
}
