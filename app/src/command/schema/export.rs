//! Exports the schema of an account, or converts a schema file to another format.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use service::schema::Schema;

use super::arguments::FileFlags;
use super::format::SchemaFormatArg;
use super::scripts::AccountScripts;
use crate::account_location::{AccountFlags, MissingStore};
use crate::error::CommandError;
use crate::open::StoreFlags;
use crate::output::line;

/// Write the schema of an account, or of a file, as Terraform, ARM template or TOML
#[derive(Debug, Args)]
pub(super) struct SchemaExportCommand {
    /// A .toml, .tf or .json file, or a folder of .tf files; by default an account is exported
    #[arg(value_name = "FILE", conflicts_with_all = ["data", "endpoint", "connection_string"])]
    file: Option<PathBuf>,

    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: SchemaFormatArg,

    /// File to write; by default standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Only this database; may be repeated
    #[arg(long, value_name = "DATABASE")]
    only: Vec<String>,

    #[command(flatten)]
    flags: FileFlags,

    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    store: StoreFlags,
}

impl SchemaExportCommand {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let schema = self.schema().await?;
        let schema = match self.only.as_slice() {
            [] => schema,
            only => schema.only(|database| only.iter().any(|one| one == database.id().as_str())),
        };
        let exported = schema.export(self.to.format());
        for what in &exported.omitted {
            print_note(&format!("left out, because the format cannot express it: {what}"))?;
        }
        match &self.out {
            None => line(exported.text.trim_end())?,
            Some(path) => std::fs::write(path, &exported.text).map_err(|error| {
                CommandError::new(format!("writing {}", path.display()), error.to_string())
                    .hint("Choose another file")
            })?,
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn schema(&self) -> Result<Schema, CommandError> {
        if let Some(file) = &self.file {
            return self.flags.read(file, print_note);
        }
        let location = self.location.location()?;
        let opened = location.open_with_engine(&self.store, MissingStore::Refuse).await?;
        let (account, engine) = opened;
        let scripts = AccountScripts::new(&location, engine)?;
        let what = || format!("reading {location}");
        let schema = match Schema::read(&account).await {
            Ok(schema) => schema
                .with_scripts_of(&scripts)
                .await
                .map_err(|error| CommandError::new(what(), error.to_string())),
            Err(error) => Err(CommandError::from_error(what(), &error)),
        };
        let closed = account.close().await;
        let schema = schema?;
        closed.map_err(|error| CommandError::from_error(what(), &error))?;
        Ok(schema)
    }
}

/// Prints something besides the exported file, on standard error.
fn print_note(text: &str) -> Result<(), CommandError> {
    writeln!(std::io::stderr(), "{text}").map_err(|error| CommandError::output(&error))
}
