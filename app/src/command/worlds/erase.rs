//! Erases everything of one user and prints the certificate.

use std::process::ExitCode;

use clap::Args;
use worlds::WorldUser;

use super::open::{WorldsFlags, parse_user, worlds_error};
use crate::error::CommandError;
use crate::output::line;

/// Delete all worlds and schemas of a user and print the certificate as JSON
#[derive(Debug, Args)]
pub(super) struct EraseOwnerCommand {
    /// Id of the user
    #[arg(value_name = "USER", value_parser = parse_user)]
    user: WorldUser,

    /// Confirm; this cannot be undone
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    worlds: WorldsFlags,
}

impl EraseOwnerCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if !self.yes {
            let why = "it was not confirmed; nothing was changed";
            return Err(CommandError::new("erasing a user", why)
                .hint("Confirm with --yes; this cannot be undone"));
        }
        let open = self.worlds.open().await?;
        let erased = open.system.erase_user(&self.user).await;
        let erased = erased.map_err(|error| worlds_error("erasing a user", &error));
        let certificate = open.close(erased).await?;
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| CommandError::from_error("writing the certificate", &error))?;
        line(text)?;
        Ok(ExitCode::SUCCESS)
    }
}
