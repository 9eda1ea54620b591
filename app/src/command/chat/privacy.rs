//! Erases and exports one user.

use std::process::ExitCode;

use chat::UserName;
use clap::Args;

use super::open::{ChatFlags, OpenChat, chat_error};
use crate::error::CommandError;
use crate::output::line;

/// Delete everything about a user and print the certificate as JSON
#[derive(Debug, Args)]
pub(super) struct EraseUserCommand {
    /// User name
    #[arg(value_name = "USER", value_parser = UserName::parse)]
    user: UserName,

    /// Confirm; this cannot be undone
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    chat: ChatFlags,
}

/// Print everything about a user as lines of JSON
#[derive(Debug, Args)]
pub(super) struct ExportUserCommand {
    /// User name
    #[arg(value_name = "USER", value_parser = UserName::parse)]
    user: UserName,

    #[command(flatten)]
    chat: ChatFlags,
}

impl EraseUserCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if !self.yes {
            let why = "it was not confirmed; nothing was changed";
            return Err(CommandError::new("erasing a user", why)
                .hint("Confirm with --yes; this cannot be undone"));
        }
        let opened = self.chat.open().await?;
        let done = self.erase(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn erase(&self, opened: &OpenChat) -> Result<(), CommandError> {
        let erased = opened.chat.erase_user(&self.user).await;
        let certificate = erased.map_err(|error| chat_error("erasing a user", &error))?;
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| CommandError::from_error("writing the certificate", &error))?;
        line(text)
    }
}

impl ExportUserCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let opened = self.chat.open().await?;
        let done = self.export(&opened).await;
        opened.close(done).await?;
        Ok(ExitCode::SUCCESS)
    }

    async fn export(&self, opened: &OpenChat) -> Result<(), CommandError> {
        let mut export = opened.chat.export_user(&self.user);
        loop {
            let page = export.next().await;
            match page.map_err(|error| CommandError::from_error("exporting a user", &error))? {
                Some(lines) => line(lines.trim_end())?,
                None => return Ok(()),
            }
        }
    }
}
