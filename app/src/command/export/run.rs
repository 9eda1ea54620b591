//! The flags of the command, and the steps from them to a complete file.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use client::Account;

use super::ContainerNames;
use super::file::{ExportPosition, OutFile, ResumeMode};
use super::write::{self, ExportFormat};
use crate::account_location::{AccountFlags, AccountLocation, MissingStore};
use crate::error::CommandError;
use crate::open::{self, StoreFlags};
use crate::output::thousands;
use crate::progress;

/// Write a container as JSON lines, its properties first, or as one JSON array.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere export --data DIR --database shop --container orders --out orders.jsonl
  planisphere export --endpoint http://localhost:8081/ --database shop --container orders --out orders.jsonl --resume
  planisphere export --data DIR --database shop --container orders --format json --out orders.json
  planisphere export --data DIR --database shop --container orders | gzip > orders.jsonl.gz

`planisphere import` reads the file back, into this store or another one. A file gets its name when it is complete.
With --resume, an interrupted export continues where it stopped; items that change meanwhile may be in the file in
their old or their new state.")]
pub(crate) struct ExportCommand {
    #[command(flatten)]
    location: AccountFlags,

    #[command(flatten)]
    names: ContainerNames,

    /// File to write; must not exist. By default standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Format of the file
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: ExportFormat,

    /// Save the position in FILE.position, and continue from it if it exists
    #[arg(long, requires = "out")]
    resume: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

impl ExportCommand {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        let location = self.location.location()?;
        let path = self.names.path()?;
        let exported = open::block_on(async {
            let file = match &self.out {
                None => None,
                Some(out) => {
                    let of = format!("{path} in {location} as {:?}", self.format);
                    let resume = if self.resume { ResumeMode::On } else { ResumeMode::Off };
                    Some(OutFile::open(out, of, resume)?)
                }
            };
            self.export(&location, file).await
        })?;
        // Standard output contains only items.
        let _ = writeln!(io::stderr(), "exported {} items of {path}", thousands(exported));
        Ok(ExitCode::SUCCESS)
    }

    async fn export(
        &self,
        location: &AccountLocation,
        file: Option<(OutFile, ExportPosition)>,
    ) -> Result<u64, CommandError> {
        let Some((mut file, at)) = file else {
            let mut out = BufWriter::new(io::stdout());
            let account = location.open(&self.flags, MissingStore::Refuse).await?;
            return self.write(&account, &mut out, ExportPosition::default()).await;
        };
        let exported = match location.open(&self.flags, MissingStore::Refuse).await {
            Ok(account) => self.write(&account, &mut file, at).await,
            Err(failure) => Err(failure),
        };
        match exported {
            Ok(exported) => file.finish().map(|()| exported),
            Err(failure) => {
                file.abandon();
                Err(failure)
            }
        }
    }

    async fn write(
        &self,
        account: &Account,
        out: &mut (dyn write::ExportWriter + Send),
        at: ExportPosition,
    ) -> Result<u64, CommandError> {
        let counter = progress::counter("exporting");
        let show = |items| counter.set_position(items);
        let exported = match self.names.container(account) {
            Ok(container) => write::write(&container, self.format, out, at, &show).await,
            Err(failure) => Err(failure),
        };
        counter.finish_and_clear();
        // Nothing was written to the store, so a failed close does not affect the export.
        let _ = account.close().await;
        exported
    }
}
