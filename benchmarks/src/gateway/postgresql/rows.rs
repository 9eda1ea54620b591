//! The comparisons with the peer, in turns with our server.

use std::process::Command;

use super::statement::{CREATED, ITEMS, PostgresWork, create_table, row};
use crate::child::measured_by;
use crate::gateway::compare::{LoadResult, alternate};
use crate::gateway::measure::{creates_on_new_folders, creating};
use crate::gateway::report::{ComparedRow, RowTarget};
use crate::gateway::run::{GatewayBench, LoadRound};
use crate::gateway::serving::BenchServer;
use crate::gateway::work::RequestKind;
use crate::queries::{PARTITION_ITEMS, item};
use crate::scratch_server::ScratchServer;
use crate::{Error, Result, progress};

/// Durable, and with as much memory for pages as our server has for blocks.
const SETTINGS: [&str; 2] = ["shared_buffers=256MB", "synchronous_commit=on"];

/// What is compared: the letter in the table, our request, the peer's call, its name and the ratio that is wanted.
struct PostgresRow {
    letter: char,
    ours: RequestKind,
    theirs: PostgresWork,
    beside: &'static str,
    ratio_min: Option<f64>,
}

const ROWS: [PostgresRow; 6] = [
    PostgresRow::new('f', RequestKind::PointRead, PostgresWork::PointRead),
    PostgresRow::new('g', RequestKind::Query, PostgresWork::Query),
    PostgresRow {
        beside: "PostgreSQL, GIN",
        ratio_min: Some(1.0),
        ..PostgresRow::new('h', RequestKind::TwoConditions, PostgresWork::TwoConditions)
    },
    PostgresRow {
        beside: "PostgreSQL, B-tree",
        ..PostgresRow::new('i', RequestKind::TwoConditions, PostgresWork::TwoConditionsBTree)
    },
    PostgresRow {
        ratio_min: Some(1.0),
        ..PostgresRow::new('j', RequestKind::Create, PostgresWork::Create)
    },
    PostgresRow {
        ratio_min: Some(1.0),
        ..PostgresRow::new('k', RequestKind::Replace, PostgresWork::Replace)
    },
];

/// All comparisons with our server, which has its items; `None` if PostgreSQL is not installed.
pub(in crate::gateway) fn rows(
    bench: &GatewayBench,
    server: &BenchServer,
) -> Result<Option<Vec<ComparedRow>>> {
    let Some(postgresql) = ScratchServer::start(&SETTINGS)? else { return Ok(None) };
    fill(&postgresql, bench.options.items)?;
    let mut rows = Vec::new();
    for row in &ROWS {
        progress::step(&format!("{}: {:?} beside PostgreSQL", row.letter, row.ours));
        rows.push(row.measure(bench, server, &postgresql)?);
    }
    Ok(Some(rows))
}

impl PostgresRow {
    const fn new(letter: char, ours: RequestKind, theirs: PostgresWork) -> Self {
        Self { letter, ours, theirs, beside: "PostgreSQL", ratio_min: None }
    }

    fn measure(
        &self,
        bench: &GatewayBench,
        server: &BenchServer,
        postgresql: &ScratchServer,
    ) -> Result<ComparedRow> {
        let is_create = self.ours == RequestKind::Create;
        let round = match is_create {
            true => creating(bench),
            false => bench.round(self.ours, bench.options.items),
        };
        let mut on_new_folders = creates_on_new_folders(bench, "postgresql-creates");
        let compared = alternate(
            bench.options.rounds,
            || if is_create { on_new_folders() } else { bench.load(server, round) },
            || {
                if is_create {
                    postgresql.connect()?.batch_execute(&format!("TRUNCATE {CREATED}"))?;
                }
                self.load(bench, postgresql, round)
            },
        )?;
        let target = RowTarget { beside: self.beside, ratio_min: self.ratio_min };
        Ok(ComparedRow::new(self.letter, self.ours, compared, target))
    }

    /// Loads the peer from a process of its own.
    fn load(
        &self,
        bench: &GatewayBench,
        postgresql: &ScratchServer,
        round: LoadRound,
    ) -> Result<LoadResult> {
        let work = clap::ValueEnum::to_possible_value(&self.theirs);
        let work = work.ok_or_else(|| Error::from("work without name"))?;
        let mut command = Command::new(bench.program());
        command.args(["process", "postgres-load", "--work", work.get_name(), "--address"]);
        command.arg(postgresql.address());
        for (name, value) in [
            ("--connections", round.connections as u64),
            ("--items", round.items),
            ("--warm-up-ms", round.warm_up_ms),
            ("--measured-ms", round.measured_ms),
            ("--process", u64::from(postgresql.process())),
        ] {
            command.arg(name).arg(value.to_string());
        }
        LoadResult::from_numbers(&measured_by(&mut command, "the load generator of PostgreSQL")?)
    }
}

/// Creates the tables and loads the items.
fn fill(postgresql: &ScratchServer, items: u64) -> Result<()> {
    let mut client = postgresql.connect()?;
    client.batch_execute(&create_table(ITEMS))?;
    client.batch_execute(&create_table(CREATED))?;
    let partitions = (items / PARTITION_ITEMS).max(1);
    let mut transaction = client.transaction()?;
    let insert =
        format!("INSERT INTO {ITEMS} (customer, id, item) VALUES ($1, $2, $3::text::jsonb)");
    let insert = transaction.prepare(&insert)?;
    for number in 0..items {
        let row = row(&item(number, partitions));
        let [customer, id, text] = row.as_slice() else { continue };
        transaction.execute(&insert, &[customer, id, text])?;
    }
    transaction.commit()?;
    Ok(client.batch_execute("VACUUM ANALYZE")?)
}
