//! Prints the containers of the chat as a schema file, and its settings.

use std::process::ExitCode;

use chat::{ChatContainers, ChatStage, DEFAULT_REGION};
use clap::{Args, Subcommand, ValueEnum};

use super::configuration::ChatCommandSettings;
use super::open::chat_error;
use crate::command::schema::SchemaFormatArg;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::{line, warn};

/// Print the containers of the chat as a file
#[derive(Debug, Args)]
pub(super) struct ChatSchemaCommand {
    #[command(subcommand)]
    subcommand: ChatSchemaSubcommand,
}

/// Show the settings
#[derive(Debug, Args)]
pub(super) struct ChatSettingsCommand {
    #[command(subcommand)]
    subcommand: ChatSettingsSubcommand,
}

#[derive(Debug, Subcommand)]
enum ChatSchemaSubcommand {
    /// Print the containers as a schema file
    Export {
        /// The format
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: SchemaFormatArg,

        /// For which stage: autoscale up to 1,000 RU/s (dev), or 4,000 (staging, prod)
        #[arg(long, value_enum, default_value = "prod")]
        stage: StageArg,

        /// Also export the account: consistency, backup, zones and network access of the stage
        #[arg(long)]
        account: bool,

        /// The region of the account
        #[arg(long, value_name = "REGION", default_value = DEFAULT_REGION, requires = "account")]
        region: String,

        /// The subnet of a private endpoint for the account; turns its public network access off
        #[arg(long, value_name = "SUBNET", requires = "account")]
        private_endpoint: Option<String>,

        #[command(flatten)]
        settings: SettingsFlags,
    },
}

#[derive(Debug, Subcommand)]
enum ChatSettingsSubcommand {
    /// Print each setting with its value and source
    Show(SettingsFlags),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StageArg {
    Dev,
    Staging,
    Prod,
}

impl ChatSchemaCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let ChatSchemaSubcommand::Export {
            to,
            stage,
            account,
            region,
            private_endpoint: subnet,
            settings,
        } = self.subcommand;
        let settings = settings.load::<ChatCommandSettings>(&[])?.value;
        let stage = match stage {
            StageArg::Dev => ChatStage::Development,
            StageArg::Staging => ChatStage::Staging,
            StageArg::Prod => ChatStage::Production,
        };
        let schema = ChatContainers::schema(&settings.chat, stage);
        let schema = schema.map_err(|error| chat_error("building the schema", &error))?;
        let exported = match account {
            true => {
                let account = stage.account(&region, subnet.as_deref());
                schema.export_with_account(&account, to.format())
            }
            false => schema.export(to.format()),
        };
        for what in &exported.omitted {
            warn(&format!("left out, because the format cannot express it: {what}"));
        }
        line(exported.text.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}

impl ChatSettingsCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let ChatSettingsSubcommand::Show(flags) = self.subcommand;
        line(flags.load::<ChatCommandSettings>(&[])?.show().trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
