//! The items of a container in one of the forms, page by page.

use std::io::{self, Write};

use clap::ValueEnum;
use client::{Container, Json, Query, QueryPageOptions};
use model::Object;
use serde_json::value::RawValue;

use super::out::{OutFile, Position};
use crate::failure::Failure;

/// Items read at once; a position is kept after each page.
const PAGE_ITEMS: usize = 1000;

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The properties of the container, then one item per line
    #[default]
    Jsonl,
    /// One array of items
    Json,
}

/// Something an export can be written to.
pub(super) trait Out: Write {
    /// Keeps the position behind what was written so far, if it can.
    fn keep(&mut self, at: &mut Position) -> io::Result<()>;
}

impl Out for OutFile {
    fn keep(&mut self, at: &mut Position) -> io::Result<()> {
        Self::keep(self, at)
    }
}

impl Out for io::BufWriter<io::Stdout> {
    fn keep(&mut self, _: &mut Position) -> io::Result<()> {
        Ok(())
    }
}

/// Writes all items from the position on; how many there are with those of earlier runs.
pub(super) async fn write(
    container: &Container,
    format: Format,
    out: &mut (dyn Out + Send),
    mut at: Position,
    progress: &(dyn Fn(u64) + Send + Sync),
) -> Result<u64, Failure> {
    let failed = |error: client::Error| {
        Failure::of(format!("exporting {}", container.path()), &error)
            .or_way_out("correct --database or --container")
    };
    let lost = |error: io::Error| Failure::of_output(&error);
    if at.continuation.is_none() {
        let properties = container.read_properties().await.map_err(failed)?.value;
        let mut header = Object::new();
        header.insert("planisphereExport", 1);
        header.insert("container", properties.to_json());
        match format {
            Format::Jsonl => writeln!(out, "{}", Json::Object(header)).map_err(lost)?,
            Format::Json => write!(out, "[").map_err(lost)?,
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
                (Format::Jsonl, _) => writeln!(out, "{row}"),
                (Format::Json, 0) => write!(out, "\n{row}"),
                (Format::Json, _) => write!(out, ",\n{row}"),
            };
            written.map_err(lost)?;
            at.items += 1;
        }
        progress(at.items);
        at.continuation = page.continuation;
        if at.continuation.is_none() {
            if format == Format::Json {
                writeln!(out, "\n]").map_err(lost)?;
            }
            out.flush().map_err(lost)?;
            return Ok(at.items);
        }
        out.keep(&mut at).map_err(lost)?;
    }
}

#[cfg(test)]
mod tests {
    use client::{Account, PartitionKeyDefinition, StorageLocation};
    use serde_json::json;

    use super::*;
    use crate::command::export::out::Keep;

    /// A file whose disk is full after some pages.
    struct Stopping {
        file: OutFile,
        pages: u32,
    }

    impl Write for Stopping {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.pages == 0 { Err(io::Error::other("full")) } else { self.file.write(bytes) }
        }

        fn flush(&mut self) -> io::Result<()> {
            self.file.flush()
        }
    }

    impl Out for Stopping {
        fn keep(&mut self, at: &mut Position) -> io::Result<()> {
            self.file.keep(at)?;
            // Something behind the position, as a crash would leave it.
            self.file.write_all(b"half an it")?;
            self.pages -= 1;
            Ok(())
        }
    }

    async fn check(format: Format) {
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
        let open = || OutFile::open(&path, "it".to_owned(), Keep::Position).unwrap();
        let (file, at) = open();
        let mut stopping = Stopping { file, pages: 1 };
        let stopped = write(&container, format, &mut stopping, at, &|_| {}).await;
        assert!(stopped.unwrap_err().to_string().contains("full"));
        stopping.file.abandon();
        let (mut file, at) = open();
        assert!(at.items > 0 && at.items < 2500, "{at:?}");
        assert_eq!(write(&container, format, &mut file, at, &|_| {}).await.unwrap(), 2500);
        file.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut ids: Vec<String> = match format {
            Format::Json => serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap(),
            Format::Jsonl => {
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
        check(Format::Jsonl).await;
        check(Format::Json).await;
    }
}
