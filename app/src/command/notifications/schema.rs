//! Schema: the containers of the system as a file, as steps for the portal, and made in a place.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use client::{Throughput, TimeToLive};
use model::CompositeOrder;
use notifications::Containers;
use service::schema::{ContainerSchema, SchemaFormat};

use super::configuration::{Everything, SettingsFlags};
use super::opening::told;
use crate::command::warn;
use crate::failure::Failure;
use crate::output::line;

const WHAT: &str = "making the schema";

/// Tell the containers of the system: for Terraform, for a template, for the portal
#[derive(Debug, Args)]
pub(super) struct Schema {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write the containers as a file
    Export {
        /// The form
        #[arg(long, value_enum, value_name = "FORM")]
        to: To,

        #[command(flatten)]
        settings: SettingsFlags,
    },
    /// Tell the steps by hand in the portal
    Steps {
        #[command(flatten)]
        settings: SettingsFlags,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// Provider azurerm, its current words
    Terraform,
    /// Template of the resource manager
    Arm,
    /// Our own form, for `planisphere schema apply`
    Toml,
}

impl Schema {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        match self.what {
            What::Export { to, settings } => export(to, &settings)?,
            What::Steps { settings } => steps(&settings)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn schema(flags: &SettingsFlags) -> Result<service::schema::Schema, Failure> {
    let settings = flags.load::<Everything>(&[])?.value;
    Containers::schema(&settings.notifications).map_err(|error| told(WHAT, &error))
}

fn export(to: To, flags: &SettingsFlags) -> Result<(), Failure> {
    let exported = schema(flags)?.export(match to {
        To::Terraform => SchemaFormat::Terraform,
        To::Arm => SchemaFormat::Arm,
        To::Toml => SchemaFormat::Toml,
    });
    for what in &exported.omitted {
        warn(&format!("left out, because the form has no words for it: {what}"));
    }
    line(exported.text.trim_end())
}

fn steps(flags: &SettingsFlags) -> Result<(), Failure> {
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

fn container_steps(container: &ContainerSchema) -> Result<(), Failure> {
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
