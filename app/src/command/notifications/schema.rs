//! Prints the containers of the system: as a schema file, or as steps for the portal.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use client::{Throughput, TimeToLive};
use model::CompositeOrder;
use notifications::Containers;
use service::schema::ContainerSchema;

use super::configuration::AllSettings;
use super::open::system_error;
use crate::command::schema::SchemaFormatArg;
use crate::command::system::SettingsFlags;
use crate::error::CommandError;
use crate::output::line;
use crate::output::warn;

const ACTION: &str = "building the schema";

/// Print the containers of the system: as a file, or as steps for the portal
#[derive(Debug, Args)]
pub(super) struct NotificationsSchemaCommand {
    #[command(subcommand)]
    subcommand: NotificationsSchemaSubcommand,
}

#[derive(Debug, Subcommand)]
enum NotificationsSchemaSubcommand {
    /// Print the containers as a schema file
    Export {
        /// The format
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: SchemaFormatArg,

        #[command(flatten)]
        settings: SettingsFlags,
    },
    /// Print the steps to create them in the portal
    Steps {
        #[command(flatten)]
        settings: SettingsFlags,
    },
}

impl NotificationsSchemaCommand {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        match self.subcommand {
            NotificationsSchemaSubcommand::Export { to, settings } => export(to, &settings)?,
            NotificationsSchemaSubcommand::Steps { settings } => steps(&settings)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn schema(flags: &SettingsFlags) -> Result<service::schema::Schema, CommandError> {
    let settings = flags.load::<AllSettings>(&[])?.value;
    Containers::schema(&settings.notifications).map_err(|error| system_error(ACTION, &error))
}

fn export(to: SchemaFormatArg, flags: &SettingsFlags) -> Result<(), CommandError> {
    let exported = schema(flags)?.export(to.format());
    for what in &exported.omitted {
        warn(&format!("left out, because the format cannot express it: {what}"));
    }
    line(exported.text.trim_end())
}

fn steps(flags: &SettingsFlags) -> Result<(), CommandError> {
    for database in schema(flags)?.databases() {
        line("1. Open the account in the portal, then Data Explorer.")?;
        line(format_args!(
            "2. New Database: id {}, without throughput of its own.",
            database.id()
        ))?;
        for (number, container) in database.containers().iter().enumerate() {
            line(format_args!("{}. New Container in {}:", number + 3, database.id()))?;
            container_steps(container)?;
        }
    }
    Ok(())
}

fn container_steps(container: &ContainerSchema) -> Result<(), CommandError> {
    let properties = container.properties();
    let key: Vec<String> =
        properties.partition_key.paths().iter().map(ToString::to_string).collect();
    line(format_args!("   - Container id: {}", container.id()))?;
    line(format_args!("   - Partition key: {}", key.join(", ")))?;
    match container.throughput() {
        Some(Throughput::Manual(number)) => line(format_args!(
            "   - Throughput: manual, {number} RU/s (or autoscale up to {})",
            u64::from(number) * 10
        ))?,
        Some(Throughput::Autoscale { maximum, .. }) => {
            line(format_args!("   - Throughput: autoscale, up to {maximum} RU/s"))?;
        }
        None => line("   - Throughput: that of the database")?,
    }
    match properties.default_time_to_live {
        TimeToLive::Seconds(seconds) => {
            line(format_args!("   - Time to live: on, {seconds} seconds"))?;
        }
        TimeToLive::NoDefault => line("   - Time to live: on, no default")?,
        TimeToLive::Off => line("   - Time to live: off")?,
    }
    let composite = &properties.indexing_policy.composite;
    if composite.is_empty() {
        return line("   - Indexing: default");
    }
    line("   - Indexing: default, with these composite indexes:")?;
    for index in composite {
        let paths = index.paths.iter().map(|one| {
            let order = match one.order {
                CompositeOrder::Ascending => "ascending",
                CompositeOrder::Descending => "descending",
            };
            format!("{} {order}", one.path)
        });
        line(format_args!("     {}", paths.collect::<Vec<_>>().join(", ")))?;
    }
    Ok(())
}
