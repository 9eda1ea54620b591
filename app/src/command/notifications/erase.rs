//! Erases everything about one user and prints the certificate.

use std::process::ExitCode;

use clap::Args;
use notifications::UserId;

use super::open::{OpenSystem, SystemFlags, system_error};
use crate::error::CommandError;
use crate::output::line;

/// Delete everything about a user and print the certificate as JSON
#[derive(Debug, Args)]
pub(super) struct EraseCommand {
    /// Id of the user
    #[arg(value_name = "USER", value_parser = user)]
    user: UserId,

    /// Confirm; this cannot be undone
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    system: SystemFlags,
}

impl EraseCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if !self.yes {
            return Err(CommandError::new(
                "erasing a user",
                "it was not confirmed; nothing was changed",
            )
            .hint("Confirm with --yes; this cannot be undone"));
        }
        let opened = self.system.open().await?;
        let done = self.erase(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn erase(&self, opened: &OpenSystem) -> Result<(), CommandError> {
        let erased = opened.system.erase(&self.user).await;
        let certificate = erased.map_err(|error| system_error("erasing a user", &error))?;
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| CommandError::from_error("writing the certificate", &error))?;
        line(text)
    }
}

/// Parses a user id.
pub(super) fn user(text: &str) -> Result<UserId, String> {
    UserId::parse(text)
}
