//! Export: what a place has, or what one file says, in another form.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use service::schema::{Schema, SchemaFormat};

use super::arguments::FileFlags;
use crate::failure::Failure;
use crate::open::StoreFlags;
use crate::output::line;
use crate::place::{Missing, PlaceFlags};

/// Write what a place has, or what a file says, as Terraform, template or TOML
#[derive(Debug, Args)]
pub(super) struct Export {
    /// A .toml, .tf or .json file, or a folder of .tf files; without it, a place is exported
    #[arg(value_name = "FILE", conflicts_with_all = ["data", "endpoint", "connection_string"])]
    file: Option<PathBuf>,

    /// The form
    #[arg(long, value_enum, value_name = "FORM")]
    to: To,

    /// File to write; standard output when absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Only this database; repeat it for more
    #[arg(long, value_name = "DATABASE")]
    only: Vec<String>,

    #[command(flatten)]
    flags: FileFlags,

    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    store: StoreFlags,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// Provider azurerm, its current words
    Terraform,
    /// Template of the resource manager
    Arm,
    /// Our own form
    Toml,
}

impl Export {
    pub(super) async fn run(self) -> Result<ExitCode, Failure> {
        let schema = self.schema().await?;
        let schema = match self.only.as_slice() {
            [] => schema,
            only => schema.only(|database| only.iter().any(|one| one == database.id().as_str())),
        };
        let exported = schema.export(match self.to {
            To::Terraform => SchemaFormat::Terraform,
            To::Arm => SchemaFormat::Arm,
            To::Toml => SchemaFormat::Toml,
        });
        for what in &exported.omitted {
            aside(&format!("left out, because the form has no words for it: {what}"))?;
        }
        match &self.out {
            None => line(exported.text.trim_end())?,
            Some(path) => std::fs::write(path, &exported.text).map_err(|error| {
                Failure::new(format!("writing {}", path.display()), error.to_string())
                    .way_out("Choose another file")
            })?,
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn schema(&self) -> Result<Schema, Failure> {
        if let Some(file) = &self.file {
            return self.flags.read(file, aside);
        }
        let place = self.place.place()?;
        let account = place.open(&self.store, Missing::Refuse).await?;
        let schema = Schema::read(&account).await;
        let closed = account.close().await;
        let what = || format!("reading {place}");
        let schema = schema.map_err(|error| Failure::of(what(), &error))?;
        closed.map_err(|error| Failure::of(what(), &error))?;
        Ok(schema)
    }
}

/// Says something beside the file that goes to standard output.
fn aside(text: &str) -> Result<(), Failure> {
    writeln!(std::io::stderr(), "{text}").map_err(|error| Failure::of_output(&error))
}
