//! Durable creates on the engine alone, in a process of its own: the baseline of creates through the gateway.
//!
//! Items are built in advance, like the requests of the load generator.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use engine::operation::{CreateContainer, CreateDatabase, CreateItem};
use engine::{ContainerLink, Engine};
use model::{
    ContainerId, ContainerProperties, DatabaseId, DatabaseProperties, Json, PartitionKeyDefinition,
};
use storage_lsm::Durability;
use tokio::task::JoinSet;

use super::load::percentile;
use super::work::{CONTAINER, DATABASE};
use crate::Result;
use crate::data::open;
use crate::meter::{TimeMeter, now};
use crate::queries::{PARTITION_ITEMS, item};

/// Creates a number of items, or as many as the time allows.
#[derive(Clone, Debug, Args)]
pub struct EngineCreates {
    /// Folder of the new store.
    #[arg(long)]
    pub(super) folder: PathBuf,
    /// Maximum number of items.
    #[arg(long)]
    pub(super) items: u64,
    /// Number of concurrent callers.
    #[arg(long)]
    pub(super) callers: usize,
    /// Maximum duration in milliseconds.
    #[arg(long)]
    pub(super) measured_ms: u64,
}

/// Shared by all callers.
struct CreateJob {
    engine: Engine,
    container: ContainerLink,
    items: Vec<Json>,
    next: AtomicUsize,
    until: Instant,
}

impl EngineCreates {
    /// Creates the items and prints the measurements.
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.create(out))
    }

    async fn create(&self, out: &mut impl Write) -> Result<()> {
        let engine = open(&self.folder, Durability::Synced, None).await?;
        let container = create_container(&engine).await?;
        let partitions = (self.items / PARTITION_ITEMS).max(1);
        let items = (0..self.items).map(|number| item(number, partitions)).collect();
        let until = now() + Duration::from_millis(self.measured_ms);
        let work = CreateJob { engine, container, items, next: AtomicUsize::new(0), until };
        let work = Arc::new(work);
        let mut tasks = JoinSet::new();
        let meter = TimeMeter::start()?;
        for _ in 0..self.callers {
            tasks.spawn(create_until_done(Arc::clone(&work)));
        }
        let mut times_us = Vec::new();
        while let Some(done) = tasks.join_next().await {
            times_us.extend(done??);
        }
        let spent = meter.stop()?;
        work.engine.clone().close().await?;
        times_us.sort_unstable();
        let (wall, cpu) = (spent.wall.as_micros(), spent.cpu.as_micros());
        writeln!(out, "answered={}\nwall_us={wall}\nserver_cpu_us={cpu}", times_us.len())?;
        let (p50, p99) = (percentile(&times_us, 50), percentile(&times_us, 99));
        writeln!(out, "p50_us={p50}\np99_us={p99}")?;
        Ok(())
    }
}

async fn create_container(engine: &Engine) -> Result<ContainerLink> {
    let database = DatabaseId::new(DATABASE)?;
    let properties = DatabaseProperties { id: database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    let definition = PartitionKeyDefinition::single("/customer")?;
    let properties = ContainerProperties::new(ContainerId::new(CONTAINER)?, definition);
    let throughput = None;
    engine.create_container(CreateContainer { database, properties, throughput }).await?;
    Ok(ContainerLink::new(DATABASE, CONTAINER)?)
}

/// The durations of one caller's creates, in microseconds.
async fn create_until_done(work: Arc<CreateJob>) -> Result<Vec<u32>> {
    let mut times_us = Vec::new();
    loop {
        let place = work.next.fetch_add(1, Ordering::Relaxed);
        let started = now();
        let Some(item) = work.items.get(place).filter(|_| started < work.until) else {
            return Ok(times_us);
        };
        let create = CreateItem {
            container: work.container.clone(),
            partition_key: None,
            item: item.clone().into(),
            options: Default::default(),
        };
        work.engine.create_item(create).await?;
        times_us.push(u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
}
