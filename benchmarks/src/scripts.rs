//! The cost of scripts: a cold realm beside a prepared one, an empty procedure, ten creates beside a batch, a function
//! beside the query that calls it.
//!
//! Owns the measurements and their page. Everything runs on a store in memory, so that the disk does not hide the cost
//! of the script; the sides take turns, because the machine is rarely idle.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use engine::operation::{
    BatchOperation, CreateContainer, CreateDatabase, CreateItem, ExecuteProcedure,
    TransactionalBatch, WriteOptions,
};
use engine::query::QueryItems;
use engine::script_runtime::{
    ScriptCall, ScriptLimits, ScriptMeter, ScriptPurpose, ScriptRuntime, ScriptSource,
};
use engine::{
    AttachedKind, Clock, ContainerLink, Engine, EngineSettings, Environment, SystemClock,
};
use javascript::JavaScript;
use model::{Json, MeasuredJson, Object, PartitionKey};

use crate::Result;
use crate::meter::{load_average, machine};

/// How scripts are measured.
#[derive(Clone, Copy, Debug)]
pub struct ScriptOptions {
    /// Calls of each side.
    pub calls: usize,
    /// Items that a function is called for.
    pub items: usize,
}

/// Medians.
#[derive(Clone, Debug)]
pub struct ScriptReport {
    /// The start of a run in a runtime that has run nothing: a new realm, compilation.
    pub cold: Duration,
    /// The start of the next run of the same script, whose realm was prepared.
    pub prepared: Duration,
    /// An empty procedure: a session, no writes.
    pub empty: Duration,
    /// A procedure with ten creates.
    pub creates: Duration,
    /// A batch of ten creates.
    pub batch: Duration,
    /// A query that calls a function for each item.
    pub called: Duration,
    /// The same query without the call.
    pub plain: Duration,
    /// Items of the query.
    pub items: usize,
}

/// More than the preparation of a realm takes.
const PREPARATION: Duration = Duration::from_millis(5);

const LIMITS: ScriptLimits = ScriptLimits {
    time_max: Duration::from_secs(5),
    memory_bytes_max: 64 << 20,
    stack_bytes_max: 512 << 10,
    output_bytes_max: 4 << 20,
    operations_max: 10_000,
    log_bytes_max: 16 << 10,
};

const EMPTY: &str = "function () {}";

const CREATES: &str = "function (first) { for (let n = 0; n < 10; n++) \
    __.createDocument(__.getSelfLink(), { id: '' + (first + n), pk: 'a', total: n, name: 'name ' + n }); }";

/// Measures scripts.
///
/// # Errors
/// Those of the engine.
pub async fn run_scripts(options: ScriptOptions) -> Result<ScriptReport> {
    let environment = Environment::system().with_scripts(Arc::new(JavaScript::new()));
    let store = Arc::new(storage::memory::MemoryStore::new());
    let engine = Engine::open(store, environment, EngineSettings::default()).await?;
    let link = ContainerLink::new("d", "c")?;
    prepare(&engine, &link, options.items).await?;
    let (mut empty, mut creates, mut batch) = (Vec::new(), Vec::new(), Vec::new());
    let (mut called, mut plain) = (Vec::new(), Vec::new());
    let (mut cold, mut prepared) = (Vec::new(), Vec::new());
    for call in 0..options.calls {
        let runtime = JavaScript::new();
        cold.push(start(&runtime)?);
        runtime.prepare_next();
        prepared.push(start(&runtime)?);
        empty.push(procedure(&engine, &link, "empty", "[]").await?);
        let first = 20 * call;
        creates.push(procedure(&engine, &link, "creates", &format!("[{first}]")).await?);
        batch.push(ten_creates(&engine, &link, first + 10).await?);
    }
    for _ in 0..options.calls.clamp(1, 10) {
        called.push(query(&engine, &link, "SELECT VALUE SUM(udf.twice(c.n)) FROM c").await?);
        plain.push(query(&engine, &link, "SELECT VALUE SUM(c.n) FROM c WHERE c.n >= -1").await?);
    }
    engine.close().await?;
    Ok(ScriptReport {
        cold: median(cold),
        prepared: median(prepared),
        empty: median(empty),
        creates: median(creates),
        batch: median(batch),
        called: median(called),
        plain: median(plain),
        items: options.items,
    })
}

async fn prepare(engine: &Engine, link: &ContainerLink, items: usize) -> Result<()> {
    let properties = model::DatabaseProperties { id: link.database.clone() };
    engine.create_database(CreateDatabase { properties, throughput: None }).await?;
    let key = model::PartitionKeyDefinition::single("/pk")?;
    let properties = model::ContainerProperties::new(link.container.clone(), key);
    let database = link.database.clone();
    engine.create_container(CreateContainer { database, properties, throughput: None }).await?;
    let owner = engine.resolve_container("d", "c")?.rid;
    let function = "function (n) { return 2 * n; }";
    for (kind, id, body) in [
        (AttachedKind::StoredProcedure, "empty", EMPTY),
        (AttachedKind::StoredProcedure, "creates", CREATES),
        (AttachedKind::UserDefinedFunction, "twice", function),
    ] {
        let mut content = Object::new();
        content.insert("id", id);
        content.insert("body", body);
        engine.create_attached(owner, kind, content).await?;
    }
    for number in 0..items {
        let text = format!(r#"{{"id":"{number}","pk":"b","n":{number}}}"#);
        let item = MeasuredJson::parse(text.as_bytes())?;
        let (container, options) = (link.clone(), WriteOptions::default());
        let create = CreateItem { container, partition_key: None, item, options };
        engine.create_item(create).await?;
    }
    Ok(())
}

async fn procedure(
    engine: &Engine,
    link: &ContainerLink,
    name: &str,
    arguments: &str,
) -> Result<Duration> {
    let operation = ExecuteProcedure {
        container: link.clone(),
        procedure: name.to_owned(),
        partition_key: PartitionKey::from("a"),
        arguments: arguments.to_owned(),
        wants_log: false,
    };
    let began = SystemClock.stopwatch();
    engine.execute_procedure(operation).await?;
    let time = SystemClock.stopwatch().saturating_sub(began);
    // The next realm is prepared meanwhile, so that it slows down no other side.
    tokio::time::sleep(PREPARATION).await;
    Ok(time)
}

/// How long the start of a run takes.
fn start(runtime: &JavaScript) -> Result<Duration> {
    let call = ScriptCall {
        source: ScriptSource { name: "creates".to_owned(), text: CREATES.into() },
        purpose: ScriptPurpose::Procedure { arguments: "[]".to_owned() },
        self_link: "dbs/d/colls/c/".to_owned(),
        alternate_link: "dbs/d/colls/c".to_owned(),
        wants_log: false,
        seed: 1,
        limits: LIMITS,
        meter: Arc::new(StartMeter),
    };
    let began = SystemClock.stopwatch();
    let run = runtime.start(call)?;
    let time = SystemClock.stopwatch().saturating_sub(began);
    drop(run);
    Ok(time)
}

/// A clock that ends nothing.
struct StartMeter;

impl ScriptMeter for StartMeter {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

async fn ten_creates(engine: &Engine, link: &ContainerLink, first: usize) -> Result<Duration> {
    let mut operations = Vec::new();
    for n in 0..10 {
        let id = first + n;
        let text = format!(r#"{{"id":"{id}","pk":"a","total":{n},"name":"name {n}"}}"#);
        let item = MeasuredJson::parse(text.as_bytes())?;
        operations.push(BatchOperation::Create { item, options: WriteOptions::default() });
    }
    let (container, partition_key) = (link.clone(), PartitionKey::from("a"));
    let batch = TransactionalBatch { container, partition_key, operations };
    let began = SystemClock.stopwatch();
    engine.transactional_batch(batch).await?;
    Ok(SystemClock.stopwatch().saturating_sub(began))
}

async fn query(engine: &Engine, link: &ContainerLink, text: &str) -> Result<Duration> {
    let mut operation = QueryItems::new(link.clone(), text);
    operation.feed_range = model::FeedRange::PartitionKey(PartitionKey::from("b"));
    let began = SystemClock.stopwatch();
    let page = engine.query_items(operation).await?.value;
    let time = SystemClock.stopwatch().saturating_sub(began);
    let row = page.rows.first().and_then(|row| Json::parse(row).ok());
    if row.is_none() || page.continuation.is_some() {
        return Err("the query has no row".into());
    }
    Ok(time)
}

impl ScriptReport {
    /// The page with the table.
    #[must_use]
    pub fn page(&self) -> String {
        let (cores, memory) = machine().unwrap_or_default();
        let (memory, load) = (memory as f64 / (1_u64 << 30) as f64, load_average());
        let load = load.unwrap_or_default();
        format!(
            "# Scripts\n\nMedians of a release build on a store in memory; \
             `benchmarks scripts --out benchmarks/SCRIPTS.md` writes this page.\n\
             The sides take turns. {cores} cores, {memory:.0} GiB, load average {load}.\n\n{self}\n"
        )
    }
}

fn median(times: Vec<Duration>) -> Duration {
    let mut times = times;
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

impl fmt::Display for ScriptReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        let ratio = us(self.creates) / us(self.batch).max(f64::MIN_POSITIVE);
        let call = (us(self.called) - us(self.plain)) / self.items.max(1) as f64;
        writeln!(formatter, "| measurement | median | goal |")?;
        writeln!(formatter, "|---|---|---|")?;
        writeln!(
            formatter,
            "| start of a run, cold: a new realm, the script compiled | {:.0} us | - |",
            us(self.cold)
        )?;
        writeln!(
            formatter,
            "| start of a run, realm and script prepared | {:.0} us | - |",
            us(self.prepared)
        )?;
        writeln!(formatter, "| empty procedure, one call | {:.0} us | - |", us(self.empty))?;
        writeln!(
            formatter,
            "| ten creates in a procedure | {:.0} us, {ratio:.2} x the batch | 2 x |",
            us(self.creates)
        )?;
        writeln!(formatter, "| ten creates in a batch | {:.0} us | - |", us(self.batch))?;
        writeln!(
            formatter,
            "| function over {} items | {:.0} us, {call:.2} us a call beside the query | 2 us |",
            self.items,
            us(self.called)
        )?;
        write!(formatter, "| the same query without it | {:.0} us | - |", us(self.plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn scripts_are_measured_beside_a_batch_and_a_query() {
        let report = run_scripts(ScriptOptions { calls: 2, items: 20 }).await.unwrap();
        assert!(report.creates > Duration::ZERO && report.batch > Duration::ZERO);
        assert!(report.to_string().contains("20 items"), "{report}");
    }
}
