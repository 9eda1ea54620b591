//! The flags of the command, and the steps from them to a complete file.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use client::Account;

use super::Names;
use super::out::{Keep, OutFile, Position};
use super::writing::{self, Format};
use crate::failure::Failure;
use crate::open::{self, StoreFlags};
use crate::output::thousands;
use crate::place::{Missing, Place, PlaceFlags};
use crate::progress;

/// Write a container as JSON lines, its properties first, or as one JSON array.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere export --data DIR --database shop --container orders --out orders.jsonl
  planisphere export --endpoint http://localhost:8081/ --database shop --container orders --out orders.jsonl --resume
  planisphere export --data DIR --database shop --container orders --format json --out orders.json
  planisphere export --data DIR --database shop --container orders | gzip > orders.jsonl.gz

`planisphere import` reads the file back, into this store or another one. A file appears under its name when it is
complete. With --resume, an export that stops half way goes on where it was; what changes meanwhile may be in the file
as it was before or after.")]
pub(crate) struct Export {
    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    names: Names,

    /// File to write; it must not exist yet. Standard output when absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Form of the file
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: Format,

    /// Keep the position in FILE.position, and go on there when it exists
    #[arg(long, requires = "out")]
    resume: bool,

    #[command(flatten)]
    flags: StoreFlags,
}

impl Export {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let place = self.place.place()?;
        let path = self.names.path()?;
        let exported = open::run(async {
            let file = match &self.out {
                None => None,
                Some(out) => {
                    let of = format!("{path} in {place} as {:?}", self.format);
                    let keep = if self.resume { Keep::Position } else { Keep::Nothing };
                    Some(OutFile::open(out, of, keep)?)
                }
            };
            self.export(&place, file).await
        })?;
        // Standard output belongs to the items.
        let _ = writeln!(io::stderr(), "exported {} items of {path}", thousands(exported));
        Ok(ExitCode::SUCCESS)
    }

    async fn export(
        &self,
        place: &Place,
        file: Option<(OutFile, Position)>,
    ) -> Result<u64, Failure> {
        let Some((mut file, at)) = file else {
            let mut out = BufWriter::new(io::stdout());
            let account = place.open(&self.flags, Missing::Refuse).await?;
            return self.write(&account, &mut out, Position::default()).await;
        };
        let exported = match place.open(&self.flags, Missing::Refuse).await {
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
        out: &mut (dyn writing::Out + Send),
        at: Position,
    ) -> Result<u64, Failure> {
        let counter = progress::counter("exporting");
        let show = |items| counter.set_position(items);
        let exported = match self.names.container(account) {
            Ok(container) => writing::write(&container, self.format, out, at, &show).await,
            Err(failure) => Err(failure),
        };
        counter.finish_and_clear();
        // Nothing was written to the store, so a close that fails changes nothing about the export.
        let _ = account.close().await;
        exported
    }
}
