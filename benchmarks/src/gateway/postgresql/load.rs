//! The load generator of the peer: a number of connections, each with its next call when the previous one is answered.
//!
//! Runs on one thread, like that of our server, with prepared statements and prepared parameters.

use std::cell::Cell;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use tokio::task::LocalSet;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Statement};

use super::statement::PostgresWork;
use crate::gateway::load::LoadTimes;
use crate::meter::{cpu_of_family, cpu_of_process, now};
use crate::{Error, Result};

/// The server, the calls and the duration.
#[derive(Clone, Debug, Args)]
pub struct PostgresLoad {
    /// Where the server listens, as parameters of a connection.
    #[arg(long)]
    address: String,
    /// Kind of calls.
    #[arg(long)]
    work: PostgresWork,
    /// Number of connections.
    #[arg(long)]
    connections: usize,
    /// Number of items that exist, or that are created.
    #[arg(long)]
    items: u64,
    /// Warm-up in milliseconds.
    #[arg(long)]
    warm_up_ms: u64,
    /// Measured time in milliseconds.
    #[arg(long)]
    measured_ms: u64,
    /// Process id of the server, to measure the CPU time of it and its children.
    #[arg(long)]
    process: u32,
}

/// Shared by all connections, which are tasks of one thread.
struct CallState {
    work: PostgresWork,
    calls: Vec<Vec<String>>,
    next: Cell<usize>,
    times: LoadTimes,
}

impl PostgresLoad {
    /// Loads the server and prints the measurements.
    pub(in crate::gateway) fn run(&self, out: &mut impl Write) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        LocalSet::new().block_on(&runtime, self.generate(out))
    }

    async fn generate(&self, out: &mut impl Write) -> Result<()> {
        let calls = self.work.calls(self.items);
        let mut clients = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            clients.push(self.connect().await?);
        }
        let times = LoadTimes::new(self.warm_up_ms, self.measured_ms);
        let state = Rc::new(CallState { work: self.work, calls, next: Cell::new(0), times });
        let tasks: Vec<_> = clients
            .into_iter()
            .map(|(client, statement)| {
                tokio::task::spawn_local(call(client, statement, Rc::clone(&state)))
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(self.warm_up_ms)).await;
        let (theirs, ours) = (cpu_of_family(self.process)?, cpu_of_process("self")?);
        for task in tasks {
            task.await??;
        }
        let theirs = cpu_of_family(self.process)?.saturating_sub(theirs);
        let ours = cpu_of_process("self")?.saturating_sub(ours);
        let ran_out = !self.work.is_endless() && state.next.get() >= state.calls.len();
        state.times.report(ran_out, (theirs, ours), out)
    }

    /// A connection with its prepared statement.
    async fn connect(&self) -> Result<(Client, Statement)> {
        let (client, connection) = tokio_postgres::connect(&self.address, NoTls).await?;
        // It ends when the client is dropped; a failure shows in the calls.
        tokio::task::spawn_local(async move { drop(connection.await) });
        let parameters = self.work.calls(1).first().map_or(0, Vec::len);
        let types = vec![Type::TEXT; parameters];
        let statement = client.prepare_typed(&self.work.statement(), &types).await?;
        Ok((client, statement))
    }
}

async fn call(client: Client, statement: Statement, state: Rc<CallState>) -> Result<()> {
    loop {
        let place = state.next.get();
        state.next.set(place + 1);
        let index = if state.work.is_endless() { place % state.calls.len() } else { place };
        let started = now();
        let Some(values) = state.calls.get(index).filter(|_| started < state.times.until) else {
            return Ok(());
        };
        let values: Vec<&(dyn ToSql + Sync)> =
            values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let bytes = if state.work.reads() {
            let rows = client.query(&statement, &values).await?;
            let texts: Vec<&str> =
                rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
            texts.iter().map(|text| text.len()).sum()
        } else {
            usize::try_from(client.execute(&statement, &values).await?)?
        };
        if bytes == 0 && !state.work.may_find_nothing() {
            return Err(Error::from(format!("{:?} of {values:?} found nothing", state.work)));
        }
        state.times.record(started, now(), bytes);
    }
}
