//! Writes the items of a container, page by page.

use std::io::{self, Write};

use clap::ValueEnum;
use client::{Container, Json, Query, QueryPageOptions};
use model::Object;
use serde_json::value::RawValue;

use super::file::{ExportPosition, OutFile};
use crate::error::CommandError;

/// Items per page; the position is saved after each page.
const PAGE_ITEMS: usize = 1000;

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// The properties of the container, then one item per line
    #[default]
    Jsonl,
    /// One array of items
    Json,
}

/// A destination of an export.
pub(super) trait ExportWriter: Write {
    /// Saves the position after everything written so far, if supported.
    fn save_position(&mut self, at: &mut ExportPosition) -> io::Result<()>;
}

impl ExportWriter for OutFile {
    fn save_position(&mut self, at: &mut ExportPosition) -> io::Result<()> {
        Self::save_position(self, at)
    }
}

impl ExportWriter for io::BufWriter<io::Stdout> {
    fn save_position(&mut self, _: &mut ExportPosition) -> io::Result<()> {
        Ok(())
    }
}

/// Writes all items from the position on; returns the total number of items, including earlier runs.
pub(super) async fn write(
    container: &Container,
    format: ExportFormat,
    out: &mut (dyn ExportWriter + Send),
    mut at: ExportPosition,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<u64, CommandError> {
    let failed = |error: client::Error| {
        CommandError::from_error(format!("exporting {}", container.path()), &error)
            .or_hint("correct --database or --container")
    };
    let lost = |error: io::Error| CommandError::output(&error);
    if at.continuation.is_none() {
        let properties = container.read_properties().await.map_err(failed)?.value;
        let mut header = Object::new();
        header.insert("planisphereExport", 1);
        header.insert("container", properties.to_json());
        match format {
            ExportFormat::Jsonl => writeln!(out, "{}", Json::Object(header)).map_err(lost)?,
            ExportFormat::Json => write!(out, "[").map_err(lost)?,
        }
    }
    let all = Query::text("SELECT * FROM c").fan_out("an export reads every item");
    loop {
        let options = QueryPageOptions {
            rows_max: Some(PAGE_ITEMS),
            continuation: at.continuation.take(),
            ..QueryPageOptions::default()
        };
        let page = container.query_page::<Box<RawValue>>(&all, options).await;
        let page = page.map_err(failed)?.value;
        for row in &page.rows {
            let written = match (format, at.items) {
                (ExportFormat::Jsonl, _) => writeln!(out, "{row}"),
                (ExportFormat::Json, 0) => write!(out, "\n{row}"),
                (ExportFormat::Json, _) => write!(out, ",\n{row}"),
            };
            written.map_err(lost)?;
            at.items += 1;
        }
        progress(at.items);
        at.continuation = page.continuation;
        if at.continuation.is_none() {
            if format == ExportFormat::Json {
                writeln!(out, "\n]").map_err(lost)?;
            }
            out.flush().map_err(lost)?;
            return Ok(at.items);
        }
        // After the page is written: a position ahead of the file would lose items.
        out.save_position(&mut at).map_err(lost)?;
    }
}

#[cfg(test)]
mod tests {
    use client::{Account, PartitionKeyDefinition, StorageLocation};
    use serde_json::json;

    use super::*;
    use crate::command::export::file::ResumeMode;

    /// A file whose disk is full after some pages.
    struct FailingFile {
        file: OutFile,
        pages: u32,
    }

    impl Write for FailingFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.pages == 0 { Err(io::Error::other("full")) } else { self.file.write(bytes) }
        }

        fn flush(&mut self) -> io::Result<()> {
            self.file.flush()
        }
    }

    impl ExportWriter for FailingFile {
        fn save_position(&mut self, at: &mut ExportPosition) -> io::Result<()> {
            self.file.save_position(at)?;
            // Leave bytes after the position, as a crash would.
            self.file.write_all(b"half an it")?;
            self.pages -= 1;
            Ok(())
        }
    }

    async fn check(format: ExportFormat) {
        let account = Account::embedded(StorageLocation::Memory).await.unwrap();
        let database = account.database("shop").unwrap();
        database.create_if_missing(None).await.unwrap();
        let container = database.container("items").unwrap();
        let key = PartitionKeyDefinition::single("/id").unwrap();
        container.create_if_missing(container.properties(key), None).await.unwrap();
        for number in 0..2500 {
            let id = format!("i{number}");
            container.create(&id.as_str().into(), &json!({"id": id})).await.unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let open = || OutFile::open(&path, "it".to_owned(), ResumeMode::On).unwrap();
        let (file, at) = open();
        let mut failing = FailingFile { file, pages: 1 };
        let stopped = write(&container, format, &mut failing, at, &|_| {}).await;
        assert!(stopped.unwrap_err().to_string().contains("full"));
        failing.file.abandon();
        let (mut file, at) = open();
        assert!(at.items > 0 && at.items < 2500, "{at:?}");
        assert_eq!(write(&container, format, &mut file, at, &|_| {}).await.unwrap(), 2500);
        file.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut ids: Vec<String> = match format {
            ExportFormat::Json => serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap(),
            ExportFormat::Jsonl => {
                let lines = text.lines().skip(1);
                lines.map(|line| serde_json::from_str(line).unwrap()).collect()
            }
        }
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 2500);
    }

    #[tokio::test]
    async fn a_stopped_export_goes_on_and_is_whole() {
        check(ExportFormat::Jsonl).await;
        check(ExportFormat::Json).await;
    }
}
