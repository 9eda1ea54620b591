//! Erase: everything about one user, with the proof.

use std::process::ExitCode;

use clap::Args;
use notifications::UserId;

use super::opening::{Opened, SystemFlags, told};
use crate::failure::Failure;
use crate::output::line;

/// Delete everything about a user and print the proof, as JSON
#[derive(Debug, Args)]
pub(super) struct Erase {
    /// Id of the user
    #[arg(value_name = "USER", value_parser = user)]
    user: UserId,

    /// Do it; nothing can be brought back
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    system: SystemFlags,
}

impl Erase {
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        if !self.yes {
            return Err(Failure::new("erasing a user", "it was not confirmed, nothing was done")
                .way_out("Say --yes; nothing can be brought back"));
        }
        let opened = self.system.open().await?;
        let done = self.erase(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn erase(&self, opened: &Opened) -> Result<(), Failure> {
        let erased = opened.system.erase(&self.user).await;
        let certificate = erased.map_err(|error| told("erasing a user", &error))?;
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| Failure::of("writing the proof", &error))?;
        line(text)
    }
}

/// Reads a user id on a command line.
pub(super) fn user(text: &str) -> Result<UserId, String> {
    UserId::parse(text)
}
