//! `planisphere import`: JSON lines into a container.
//!
//! Owns where the lines come from. Does not own what they mean: `engine` reads them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::export::Names;
use crate::failure::Failure;
use crate::open::{self, StoreFlags};
use crate::output::{line, thousands};
use crate::progress;

/// Read JSON lines into a container: items with the same id are replaced, the others stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere import --data DIR --database shop --container orders --file orders.jsonl
  gunzip -c orders.jsonl.gz | planisphere import --data DIR --database shop --container orders

A file of `planisphere export` starts with the properties of its container, and creates the store, the database and the
container where they are missing. Without that first line the container must exist. An import that stops half way can
be run again.")]
pub(crate) struct Import {
    /// Folder of the store; a missing or empty one becomes a new store
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    #[command(flatten)]
    flags: StoreFlags,

    #[command(flatten)]
    names: Names,

    /// File to read. Standard input when absent
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Import {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let link = self.names.link()?;
        // The file first: a mistyped name must not create a store.
        let input: Box<dyn BufRead + Send> = match &self.file {
            None => Box::new(BufReader::new(std::io::stdin())),
            Some(path) => Box::new(BufReader::new(File::open(path).map_err(|error| {
                Failure::new(format!("reading {}", path.display()), error.to_string())
                    .way_out("give a file written by `planisphere export` with --file")
            })?)),
        };
        let imported = open::run(self.import(&link, input))?;
        line(format_args!("imported {} items into {link}", thousands(imported)))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn import(
        &self,
        link: &engine::ContainerLink,
        mut input: Box<dyn BufRead + Send>,
    ) -> Result<u64, Failure> {
        let engine = self.flags.open(&self.data).await?;
        let counter = progress::counter("importing");
        let imported = engine
            .import_container(link, &mut input, &mut |items| counter.set_position(items))
            .await;
        counter.finish_and_clear();
        let closed = engine.close().await;
        let imported = imported.map_err(|error| {
            Failure::of(format!("importing into {link}"), &error)
                .or_way_out("correct the line or the name and run the import again")
        })?;
        closed.map_err(|error| Failure::of("closing the store", &error))?;
        Ok(imported)
    }
}
