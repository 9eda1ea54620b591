//! g: one item by partition key and id through `client`, against the same through the engine.

use client::{Account, Container};
use engine::Engine;
use engine::operation::ReadItem;
use model::{ItemId, PartitionKey};
use serde::Deserialize;
use storage_lsm::Durability;

use crate::meter::{TimeMeter, TimeSpent};
use crate::report::ReportRow;
use crate::rounds::alternate;
use crate::run::EngineBench;
use crate::{Error, Result, data, progress};

/// What a program would read of an item.
#[derive(Deserialize)]
struct ItemName {
    id: String,
}

type ItemKeys = Vec<(PartitionKey, String)>;

pub(crate) fn client_read(bench: &EngineBench) -> Result<Vec<ReportRow>> {
    let engine =
        bench.runtime.block_on(data::open(&bench.prepared.store(), Durability::Synced, None))?;
    let account = bench.runtime.block_on(Account::embedded(engine.clone()))?;
    let link = data::link()?;
    let database = account.database(link.database.as_str())?;
    let container = database.container(link.container.as_str())?;
    let numbers = data::shuffled(bench.options.items);
    let names: ItemKeys = numbers.iter().map(|number| data::name(*number)).collect();
    progress::step("g: point reads through the client");
    let (mut client_letters, mut engine_letters) = (0, 0);
    let medians = alternate(
        bench.options.rounds,
        bench.options.items,
        || through_client(bench, &container, &names, &mut client_letters),
        || through_engine(bench, &engine, &names, &mut engine_letters),
    )?;
    if client_letters == 0 || client_letters != engine_letters {
        return Err("both ways must read the same items".into());
    }
    bench.runtime.block_on(account.close())?;
    let value = medians.1.per_second / medians.0.per_second;
    let what = "point read through `client` (raw: `engine`)";
    let row = ReportRow::share('g', what, medians, "at most 1.3x the time", 1.0 / 1.3);
    Ok(vec![ReportRow { value, value_text: format!("{value:.2}x the time"), ..row }])
}

fn through_client(
    bench: &EngineBench,
    container: &Container,
    names: &ItemKeys,
    letters: &mut u64,
) -> Result<TimeSpent> {
    bench.runtime.block_on(async {
        let meter = TimeMeter::start()?;
        for (key, id) in names {
            let item = container.read::<ItemName>(key, id).await?.value;
            *letters += item.value.id.len() as u64;
        }
        meter.stop()
    })
}

/// What a program does that has the engine alone: it makes the operation and parses the item.
fn through_engine(
    bench: &EngineBench,
    engine: &Engine,
    names: &ItemKeys,
    letters: &mut u64,
) -> Result<TimeSpent> {
    let link = data::link()?;
    bench.runtime.block_on(async {
        let meter = TimeMeter::start()?;
        for (key, id) in names {
            let read = ReadItem {
                container: link.clone(),
                partition_key: key.clone(),
                id: ItemId::new(id)?,
                options: Default::default(),
            };
            let answer = engine.read_item(read).await?.value;
            let item = answer.item().ok_or_else(|| Error::from("an item is missing"))?;
            let named: ItemName = serde_json::from_slice(item.text())?;
            *letters += named.id.len() as u64;
        }
        meter.stop()
    })
}
