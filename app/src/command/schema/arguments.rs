//! Flags that the subcommands share: the schema files and the account.

use std::path::PathBuf;

use clap::Args;
use client::{Account, StorageLocation};
use service::schema::{ParsedSchema, Schema, SchemaReadOptions};

use super::messages;
use super::scripts::AccountScripts;
use crate::account_location::{AccountFlags, AccountLocation, MissingStore};
use crate::error::CommandError;
use crate::open::{StoreFlags, refuse_missing};

/// How the schema files are read.
#[derive(Debug, Args)]
pub(super) struct FileFlags {
    /// Value of a Terraform variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(super) var: Vec<(String, String)>,

    /// File with values of Terraform variables; terraform.tfvars and *.auto.tfvars in a folder are always read
    #[arg(long, value_name = "FILE")]
    pub(super) var_file: Vec<PathBuf>,

    /// File with the parameters of a template
    #[arg(long, value_name = "FILE")]
    pub(super) parameters: Option<PathBuf>,

    /// Name of a database that Terraform files refer to and do not declare
    #[arg(long, value_name = "NAME")]
    pub(super) database: Option<String>,

    /// Go on without parts that cannot be read, such as modules from a registry
    #[arg(long)]
    pub(super) allow_unread: bool,
}

/// A schema and the account it is for.
#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// A .toml, .tf or .json file, or a folder of .tf files
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    flags: FileFlags,

    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// A schema and the opened account it is compared with.
pub(super) struct SchemaContext {
    pub(super) schema: Schema,
    pub(super) account: Account,
    pub(super) scripts: AccountScripts,
    pub(super) location: AccountLocation,
}

impl FileFlags {
    /// Reads the files and reports notes through `say`.
    pub(super) fn read(
        &self,
        file: &std::path::Path,
        say: impl Fn(&str) -> Result<(), CommandError>,
    ) -> Result<Schema, CommandError> {
        let options = SchemaReadOptions {
            variables: self.var.clone(),
            variable_files: self.var_file.clone(),
            parameters: self.parameters.clone(),
            database: self.database.clone(),
            allow_unread: self.allow_unread,
        };
        let reading = Schema::from_path(file, &options);
        let ParsedSchema { schema, ignored, notes } =
            reading.map_err(|mistakes| messages::schema_errors(file, &mistakes))?;
        for note in notes {
            say(&format!("note: {note}"))?;
        }
        for found in ignored {
            say(&format!("ignored: {found}"))?;
        }
        Ok(schema)
    }
}

impl SchemaArguments {
    /// Reads the files and opens the account. If the folder is not a store and must not be created, an empty account in
    /// memory is used instead, in which everything is missing.
    pub(super) async fn open(&self, missing: MissingStore) -> Result<SchemaContext, CommandError> {
        let schema = self.flags.read(&self.file, |text| crate::output::line(text))?;
        let location = self.location.location()?;
        let (account, engine) = match (&location, missing) {
            (AccountLocation::Folder(folder), MissingStore::Refuse)
                if refuse_missing(folder).is_err() =>
            {
                let account = Account::embedded(StorageLocation::Memory).await;
                let account = account.map_err(|error| {
                    CommandError::from_error(format!("opening {location}"), &error)
                })?;
                (account, None)
            }
            _ => location.open_with_engine(&self.store, missing).await?,
        };
        let scripts = AccountScripts::new(&location, engine)?;
        Ok(SchemaContext { schema, account, scripts, location })
    }
}

impl SchemaContext {
    pub(super) async fn close(&self) -> Result<(), CommandError> {
        let closed = self.account.close().await;
        closed
            .map_err(|error| CommandError::from_error(format!("closing {}", self.location), &error))
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("give it as NAME=VALUE".to_owned()),
    }
}
