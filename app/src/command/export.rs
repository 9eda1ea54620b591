//! `planisphere export`: a container as JSON lines.
//!
//! Owns where the lines go. A file appears under its name only when it is complete. Does not own the lines: `engine`
//! writes them.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use engine::ContainerLink;

use crate::failure::Failure;
use crate::open::{self, ExistingStore};
use crate::output::thousands;
use crate::progress;

/// Write a container as JSON lines: its properties first, then one item per line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  planisphere export --data DIR --database shop --container orders --out orders.jsonl
  planisphere export --data DIR --database shop --container orders | gzip > orders.jsonl.gz

`planisphere import` reads the file back, into this store or another one.")]
pub(crate) struct Export {
    #[command(flatten)]
    store: ExistingStore,

    #[command(flatten)]
    names: Names,

    /// File to write; it must not exist yet. Standard output when absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Which container.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// Name of the database
    #[arg(long, value_name = "NAME")]
    database: String,

    /// Name of the container
    #[arg(long, value_name = "NAME")]
    container: String,
}

impl Names {
    pub(crate) fn link(&self) -> Result<ContainerLink, Failure> {
        ContainerLink::new(&self.database, &self.container).map_err(|invalid| {
            Failure::new("reading the names", invalid.message().trim_end_matches('.'))
                .way_out("give the names as they were when the container was created")
        })
    }
}

impl Export {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let link = self.names.link()?;
        let exported = match &self.out {
            None => open::run(self.export(&link, io::stdout()))?,
            Some(path) => self.export_to_file(&link, path)?,
        };
        // Standard output belongs to the items.
        let _ = writeln!(io::stderr(), "exported {} items of {link}", thousands(exported));
        Ok(ExitCode::SUCCESS)
    }

    fn export_to_file(&self, link: &ContainerLink, path: &Path) -> Result<u64, Failure> {
        let failed = |error: io::Error| {
            Failure::new(format!("writing {}", path.display()), error.to_string())
                .way_out("choose another file with --out")
        };
        if path.exists() {
            return Err(failed(io::Error::from(io::ErrorKind::AlreadyExists)));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).map_err(failed)?;
        let handle = file.try_clone().map_err(failed)?;
        let exported = open::run(self.export(link, file)).and_then(|exported| {
            handle.sync_all().map_err(failed)?;
            fs::rename(&partial, path).map_err(failed)?;
            Ok(exported)
        });
        if exported.is_err() {
            // What is left over is named `.partial`; the failure itself is what the user must hear.
            let _ = fs::remove_file(&partial);
        }
        exported
    }

    async fn export(&self, link: &ContainerLink, out: impl Write + Send) -> Result<u64, Failure> {
        let engine = self.store.open().await?;
        let counter = progress::counter("exporting");
        let mut out = Watched { out: BufWriter::new(out), error: None };
        let exported =
            engine.export_container(link, &mut out, &mut |items| counter.set_position(items)).await;
        counter.finish_and_clear();
        // Nothing was written to the store, so a close that fails changes nothing about the export.
        let _ = engine.close().await;
        match (exported, out.error) {
            (Ok(exported), _) => Ok(exported),
            (Err(_), Some(error)) => Err(Failure::of_output(&error)),
            (Err(error), None) => Err(Failure::of(format!("exporting {link}"), &error)),
        }
    }
}

/// A writer that remembers why it failed; the engine's error has only the text.
struct Watched<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    fn watch<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.error = Some(io::Error::new(error.kind(), error.to_string()));
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.watch(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.watch(result)
    }
}
