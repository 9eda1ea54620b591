//! g: one item by partition key and id through `client`, against the same through the engine.

use client::{Account, Container};
use engine::Engine;
use engine::operation::ReadItem;
use model::{ItemId, PartitionKey};
use serde::Deserialize;
use storage_lsm::Durability;

use crate::meter::{Meter, Spent};
use crate::report::Row;
use crate::rounds::alternate;
use crate::run::Bench;
use crate::{Error, Result, data, progress};

/// What a program would read of an item.
#[derive(Deserialize)]
struct Named {
    id: String,
}

type Names = Vec<(PartitionKey, String)>;

pub(crate) fn client_read(bench: &Bench) -> Result<Vec<Row>> {
    let engine =
        bench.runtime.block_on(data::open(&bench.prepared.store(), Durability::Synced, None))?;
    let account = bench.runtime.block_on(Account::embedded(engine.clone()))?;
    let link = data::link()?;
    let database = account.database(link.database.as_str())?;
    let container = database.container(link.container.as_str())?;
    let numbers = data::shuffled(bench.options.items);
    let names: Names = numbers.iter().map(|number| data::name(*number)).collect();
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
    let row = Row::share('g', what, medians, "at most 1.3x the time", 1.0 / 1.3);
    Ok(vec![Row { value, value_text: format!("{value:.2}x the time"), ..row }])
}

fn through_client(
    bench: &Bench,
    container: &Container,
    names: &Names,
    letters: &mut u64,
) -> Result<Spent> {
    bench.runtime.block_on(async {
        let meter = Meter::start()?;
        for (key, id) in names {
            let item = container.read::<Named>(key, id).await?.value;
            *letters += item.value.id.len() as u64;
        }
        meter.stop()
    })
}

/// What a program does that has the engine alone: it makes the operation and parses the item.
fn through_engine(
    bench: &Bench,
    engine: &Engine,
    names: &Names,
    letters: &mut u64,
) -> Result<Spent> {
    let link = data::link()?;
    bench.runtime.block_on(async {
        let meter = Meter::start()?;
        for (key, id) in names {
            let read = ReadItem {
                container: link.clone(),
                partition_key: key.clone(),
                id: ItemId::new(id)?,
                options: Default::default(),
            };
            let answer = engine.read_item(read).await?.value;
            let item = answer.item().ok_or_else(|| Error::from("an item is missing"))?;
            let named: Named = serde_json::from_slice(item.text())?;
            *letters += named.id.len() as u64;
        }
        meter.stop()
    })
}
