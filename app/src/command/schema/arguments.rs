//! The flags the subcommands share: the files, and the place.

use std::path::PathBuf;

use clap::Args;
use client::{Account, StorageLocation};
use service::schema::{ReadOptions, Reading, Schema};

use super::tell;
use crate::failure::Failure;
use crate::open::{StoreFlags, refuse_missing};
use crate::place::{Missing, Place, PlaceFlags};

/// What declares the schema.
#[derive(Debug, Args)]
pub(super) struct FileFlags {
    /// Value of a Terraform variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(super) var: Vec<(String, String)>,

    /// File with values of Terraform variables; terraform.tfvars and *.auto.tfvars of a folder are read without it
    #[arg(long, value_name = "FILE")]
    pub(super) var_file: Vec<PathBuf>,

    /// File with the parameters of a template
    #[arg(long, value_name = "FILE")]
    pub(super) parameters: Option<PathBuf>,

    /// Name of a database that Terraform files refer to and do not declare
    #[arg(long, value_name = "NAME")]
    pub(super) database: Option<String>,
}

/// A schema and the place it is for.
#[derive(Debug, Args)]
pub(super) struct Compared {
    /// A .toml, .tf or .json file, or a folder of .tf files
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    flags: FileFlags,

    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// A schema and its place, opened.
pub(super) struct Opened {
    pub(super) schema: Schema,
    pub(super) account: Account,
    pub(super) place: Place,
}

impl FileFlags {
    /// Reads the files, and tells what is worth it by `say`.
    pub(super) fn read(
        &self,
        file: &std::path::Path,
        say: impl Fn(&str) -> Result<(), Failure>,
    ) -> Result<Schema, Failure> {
        let options = ReadOptions {
            variables: self.var.clone(),
            variable_files: self.var_file.clone(),
            parameters: self.parameters.clone(),
            database: self.database.clone(),
        };
        let reading = Schema::from_path(file, &options);
        let Reading { schema, ignored, notes } =
            reading.map_err(|mistakes| tell::mistakes(file, &mistakes))?;
        for note in notes {
            say(&format!("note: {note}"))?;
        }
        for found in ignored {
            say(&format!("ignored: {found}"))?;
        }
        Ok(schema)
    }
}

impl Compared {
    /// Reads the files and opens the place. A folder that holds no store is one where everything is missing, and stays
    /// as it is unless it may be made.
    pub(super) async fn open(&self, missing: Missing) -> Result<Opened, Failure> {
        let schema = self.flags.read(&self.file, |text| crate::output::line(text))?;
        let place = self.place.place()?;
        let account = match (&place, missing) {
            (Place::Folder(folder), Missing::Refuse) if refuse_missing(folder).is_err() => {
                let account = Account::embedded(StorageLocation::Memory).await;
                account.map_err(|error| Failure::of(format!("opening {place}"), &error))?
            }
            _ => place.open(&self.store, missing).await?,
        };
        Ok(Opened { schema, account, place })
    }
}

impl Opened {
    pub(super) async fn close(&self) -> Result<(), Failure> {
        let closed = self.account.close().await;
        closed.map_err(|error| Failure::of(format!("closing {}", self.place), &error))
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("give it as NAME=VALUE".to_owned()),
    }
}
