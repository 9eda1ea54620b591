//! Export and import of a container as JSON lines.
//!
//! Owns the file format: a first line that describes the container, then one item per line as stored. The first line
//! makes the file complete: an import into an empty account creates the container as it was. Does not own files: the
//! caller brings a reader or a writer.

use std::io::{BufRead, Write};

use model::{ContainerProperties, DatabaseProperties, FeedRange, Json, Object};
use tokio::task::JoinSet;

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{
    ContainerLink, CreateContainer, CreateDatabase, ListItems, PageOptions, UpsertItem,
};

/// Upserts under way at once; they share the syncs of the store.
const IMPORTS_AT_ONCE: usize = 64;

const FORMAT_MEMBER: &str = "planisphereExport";
const FORMAT_VERSION: i64 = 1;

impl Engine {
    /// Writes a container's properties and all its items, one JSON text per line; returns how many items there were.
    ///
    /// # Errors
    /// `OwnerNotFound` when there is no such container, `Unavailable` when the writer fails.
    pub async fn export_container(
        &self,
        link: &ContainerLink,
        out: &mut (dyn Write + Send),
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64> {
        let container = self.container(link)?;
        let mut header = Object::new();
        header.insert(FORMAT_MEMBER, FORMAT_VERSION);
        header.insert("container", container.record().properties.to_json());
        write_line(out, &Json::Object(header).to_bytes())?;
        let mut exported = 0;
        let mut continuation = None;
        loop {
            let list = ListItems {
                container: link.clone(),
                feed_range: FeedRange::Container,
                page: PageOptions { items_max: None, continuation },
                options: Default::default(),
            };
            let page = self.list_items(list).await?.value;
            for item in &page.items {
                write_line(out, item.text())?;
            }
            exported += page.items.len() as u64;
            progress(exported);
            continuation = page.continuation;
            if continuation.is_none() {
                out.flush().map_err(|error| failed("written", &error))?;
                return Ok(exported);
            }
        }
    }

    /// Reads what [`Engine::export_container`] wrote, or plain JSON lines, and upserts every item; returns how many.
    /// Database and container are created when missing, the container as the first line describes it. Items get new
    /// system properties: their time to live counts from the import.
    ///
    /// # Errors
    /// `Invalid` naming the line that is not an item, `OwnerNotFound` when the container is missing and the file does
    /// not describe it. Items before the failing line are imported.
    pub async fn import_container(
        &self,
        link: &ContainerLink,
        input: &mut (dyn BufRead + Send),
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<u64> {
        let mut imported = 0;
        let mut number = 0_u64;
        let mut running = JoinSet::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read =
                input.read_until(b'\n', &mut line).map_err(|error| failed("read", &error))?;
            if read == 0 {
                break;
            }
            number += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let json = Json::parse(&line).map_err(|error| not_an_item(number, &error))?;
            if number == 1 && json.get(FORMAT_MEMBER).is_some() {
                self.prepare_import(link, &json).await?;
                continue;
            }
            while running.len() >= IMPORTS_AT_ONCE {
                finish_one(&mut running, &mut imported).await?;
                progress(imported);
            }
            let (engine, container) = (self.clone(), link.clone());
            running.spawn(async move {
                let options = Default::default();
                let upsert = UpsertItem { container, partition_key: None, item: json, options };
                engine
                    .upsert_item(upsert)
                    .await
                    .map(|_| ())
                    .map_err(|error| Error::new(error.kind(), format!("line {number}: {error}")))
            });
        }
        while !running.is_empty() {
            finish_one(&mut running, &mut imported).await?;
        }
        progress(imported);
        Ok(imported)
    }

    async fn prepare_import(&self, link: &ContainerLink, header: &Json) -> Result<()> {
        let version = header.get(FORMAT_MEMBER).and_then(Json::as_i64);
        if version != Some(FORMAT_VERSION) {
            return Err(Error::invalid(format!(
                "the file has export format {version:?}, this version reads {FORMAT_VERSION}; use a newer one"
            )));
        }
        if self.container(link).is_ok() {
            return Ok(());
        }
        let described = header.get("container").unwrap_or(&Json::Null);
        let mut properties = ContainerProperties::from_json(described)?;
        properties.id = link.container.clone();
        if self.database(&link.database).is_err() {
            let properties = DatabaseProperties { id: link.database.clone() };
            self.create_database(CreateDatabase { properties, throughput: None }).await?;
        }
        let database = link.database.clone();
        self.create_container(CreateContainer { database, properties, throughput: None }).await?;
        Ok(())
    }
}

async fn finish_one(running: &mut JoinSet<Result<()>>, imported: &mut u64) -> Result<()> {
    match running.join_next().await {
        Some(Ok(result)) => result?,
        Some(Err(_)) => return Err(Error::closed()),
        None => return Ok(()),
    }
    *imported += 1;
    Ok(())
}

fn write_line(out: &mut (dyn Write + Send), text: &[u8]) -> Result<()> {
    out.write_all(text)
        .and_then(|()| out.write_all(b"\n"))
        .map_err(|error| failed("written", &error))
}

fn failed(what: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("the export could not be {what}: {error}"))
}

fn not_an_item(line: u64, error: &model::ParseError) -> Error {
    Error::invalid(format!("line {line} is not JSON: {error}"))
}
