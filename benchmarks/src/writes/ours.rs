//! Our side: the engine on a folder, every commit synced except in the bulk load.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::operation::{CreateContainer, CreateDatabase, CreateItem, ReplaceItem};
use engine::{ContainerLink, Engine};
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, ItemId, Json,
    PartitionKeyDefinition,
};
use storage_lsm::Durability;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::run::{WriteTarget, WritesOptions};
use crate::child::{LOADING_CALLERS, RELAXED};
use crate::data::{create_derived_items, open};
use crate::meter::{TimeMeter, TimeSpent, folder_bytes, now, wait_until_idle};
use crate::queries::item;
use crate::{Result, progress};

/// Logical partitions of all items.
pub(super) const PARTITIONS: u64 = 100;

/// The open engine.
pub(super) struct EngineSide {
    runtime: Runtime,
    folder: TempDir,
    engine: Option<Engine>,
    callers: usize,
}

/// An item by its number, after so many changes of one property.
pub(super) fn changed_item(number: u64, changes: u64) -> Json {
    let mut item = item(number, PARTITIONS);
    if let (Json::Object(object), 1..) = (&mut item, changes) {
        object.insert("price", i64::try_from(100_000 + changes).unwrap_or_default());
    }
    item
}

impl EngineSide {
    pub(super) fn open(options: &WritesOptions) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let folder = tempfile::Builder::new().prefix("benchmarks").tempdir()?;
        let engine = runtime.block_on(async {
            let engine = open(folder.path(), Durability::Synced, None).await?;
            create_container(&engine).await?;
            crate::Result::Ok(engine)
        })?;
        Ok(Self { runtime, folder, engine: Some(engine), callers: options.callers })
    }

    fn engine(&self) -> Result<&Engine> {
        self.engine.as_ref().ok_or_else(|| "the engine is closed".into())
    }

    /// Calls `write` with one number after another until the time is over; returns the next number.
    fn write_for(
        &self,
        first: u64,
        time: Duration,
        write: impl Fn(u64) -> EngineWrite + Copy + Send + 'static,
    ) -> Result<(u64, TimeSpent)> {
        let (engine, next) = (self.engine()?, Arc::new(AtomicU64::new(first)));
        self.runtime.block_on(async {
            let meter = TimeMeter::start()?;
            let until = now() + time;
            let mut tasks = JoinSet::new();
            for _ in 0..self.callers {
                let (engine, next) = (engine.clone(), Arc::clone(&next));
                tasks.spawn(async move {
                    while now() < until {
                        match write(next.fetch_add(1, Ordering::Relaxed)) {
                            EngineWrite::Create(create) => {
                                engine.create_item(create).await?;
                            }
                            EngineWrite::Replace(replace) => {
                                engine.replace_item(replace).await?;
                            }
                        }
                    }
                    Ok::<(), engine::Error>(())
                });
            }
            while let Some(done) = tasks.join_next().await {
                done??;
            }
            Ok((next.load(Ordering::Relaxed), meter.stop()?))
        })
    }

    fn reopen(&mut self, durability: Durability) -> Result<()> {
        let engine = self.engine.take();
        self.engine = Some(self.runtime.block_on(async {
            if let Some(engine) = engine {
                engine.close().await?;
            }
            open(self.folder.path(), durability, None).await
        })?);
        Ok(())
    }
}

/// One write of the engine.
enum EngineWrite {
    Create(CreateItem),
    Replace(ReplaceItem),
}

impl WriteTarget for EngineSide {
    fn create(&mut self, first: u64, time: Duration) -> Result<(u64, TimeSpent)> {
        self.write_for(first, time, |number| {
            EngineWrite::Create(CreateItem {
                container: link(),
                partition_key: None,
                item: item(number, PARTITIONS).into(),
                options: Default::default(),
            })
        })
    }

    fn replace(&mut self, items: u64, time: Duration) -> Result<(u64, TimeSpent)> {
        self.write_for(0, time, move |place| {
            let (number, changes) = (place % items, place / items + 1);
            EngineWrite::Replace(ReplaceItem {
                container: link(),
                partition_key: None,
                id: ItemId::new(format!("order-{number:010}")).unwrap_or_else(|_| unreachable!()),
                item: changed_item(number, changes).into(),
                options: Default::default(),
            })
        })
    }

    fn load(&mut self, first: u64, end: u64) -> Result<TimeSpent> {
        self.reopen(RELAXED)?;
        let engine = self.engine()?.clone();
        let spent = self.runtime.block_on(async {
            let bar = progress::bar(end - first, "bulk load");
            let meter = TimeMeter::start()?;
            let derive = |number| item(number, PARTITIONS);
            let callers = LOADING_CALLERS;
            create_derived_items(&engine, &link(), first..end, callers, &bar, derive).await?;
            bar.finish_and_clear();
            meter.stop()
        })?;
        drop(engine);
        wait_until_idle()?;
        self.reopen(Durability::Synced)?;
        Ok(spent)
    }

    fn disk_bytes(&mut self) -> Result<(u64, u64)> {
        wait_until_idle()?;
        // Closed, so that what is in memory is in the files.
        if let Some(engine) = self.engine.take() {
            self.runtime.block_on(engine.close())?;
        }
        let journal = journal_bytes(&self.folder.path().join("lsm"))?;
        Ok((folder_bytes(self.folder.path())?.saturating_sub(journal), journal))
    }
}

fn journal_bytes(tree: &Path) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(tree)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "jnl") {
            bytes += entry.metadata()?.blocks() * 512;
        }
    }
    Ok(bytes)
}

fn link() -> ContainerLink {
    ContainerLink::new("benchmarks", "orders").unwrap_or_else(|_| unreachable!())
}

async fn create_container(engine: &Engine) -> Result<()> {
    let database = DatabaseId::new("benchmarks")?;
    let properties = DatabaseProperties { id: database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    let definition = PartitionKeyDefinition::single("/customer")?;
    let properties = ContainerProperties::new(ContainerId::new("orders")?, definition);
    engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    Ok(())
}
