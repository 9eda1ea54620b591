//! PostgreSQL: one table of documents with a GIN index on the document and three B-trees, every commit synced except
//! in the bulk load.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use postgres::Client;

use super::ours::{PARTITIONS, changed_item};
use super::run::{WriteTarget, WritesOptions};
use crate::meter::{TimeSpent, cpu_of_process, folder_bytes, now};
use crate::queries::{customer, item};
use crate::scratch_server::{NOT_INSTALLED, ScratchServer};
use crate::{Error, Result};

const SERVER: [&str; 4] =
    ["shared_buffers=256MB", "fsync=on", "synchronous_commit=on", "max_connections=120"];

const TABLE: &str = "
CREATE TABLE orders (customer text, id text, document jsonb NOT NULL, PRIMARY KEY (customer, id));
CREATE INDEX orders_document ON orders USING gin (document);
CREATE INDEX orders_price ON orders (customer, ((document->>'price')::bigint));
CREATE INDEX orders_created ON orders (((document->>'created')::bigint));
CREATE INDEX orders_status ON orders ((document->>'status'), ((document->>'batch')::bigint));
";

const INSERT: &str = "INSERT INTO orders VALUES ($1, $2, $3::text::jsonb)";
const UPDATE: &str = "UPDATE orders SET document = $3::text::jsonb WHERE customer = $1 AND id = $2";

/// Items that one transaction of the bulk load inserts.
const LOADED_AT_ONCE: u64 = 100;

/// A server with the table.
pub(super) struct PostgresSide {
    server: ScratchServer,
    callers: usize,
}

impl PostgresSide {
    /// Starts a server; what to install when there is no PostgreSQL.
    pub(super) fn open(options: &WritesOptions) -> Result<std::result::Result<Self, String>> {
        let Some(server) = ScratchServer::start(&SERVER)? else {
            return Ok(Err(NOT_INSTALLED.to_owned()));
        };
        server.connect()?.batch_execute(TABLE)?;
        Ok(Ok(Self { server, callers: options.callers }))
    }

    fn cpu(&self) -> Result<Duration> {
        Ok(self.server.cpu()? + cpu_of_process("self")?)
    }

    /// Lets every connection work on a thread of its own, and measures until the last one has ended.
    fn at_once(&self, work: impl Fn(&mut Client) -> Result<()> + Sync) -> Result<TimeSpent> {
        let connect = |_| self.server.connect();
        let mut clients = (0..self.callers).map(connect).collect::<Result<Vec<_>>>()?;
        let (started, cpu) = (now(), self.cpu()?);
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                clients.iter_mut().map(|client| scope.spawn(move || work(client))).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| Err(Error::from("a connection's thread panicked")))
            })
        })?;
        // Before the connections end: the processes of the server end with them.
        Ok(TimeSpent { wall: started.elapsed(), cpu: self.cpu()?.saturating_sub(cpu) })
    }

    fn write_for(
        &self,
        first: u64,
        time: Duration,
        statement: &str,
        document: impl Fn(u64) -> (u64, String) + Sync,
    ) -> Result<(u64, TimeSpent)> {
        let (next, until) = (AtomicU64::new(first), now() + time);
        let spent = self.at_once(|client| {
            let statement = client.prepare(statement)?;
            while now() < until {
                let (number, text) = document(next.fetch_add(1, Ordering::Relaxed));
                let (key, id) = (customer(number % PARTITIONS), id(number));
                client.execute(&statement, &[&key, &id, &text])?;
            }
            Ok(())
        })?;
        Ok((next.load(Ordering::Relaxed), spent))
    }
}

impl WriteTarget for PostgresSide {
    fn create(&mut self, first: u64, time: Duration) -> Result<(u64, TimeSpent)> {
        self.write_for(first, time, INSERT, |number| (number, item(number, PARTITIONS).to_string()))
    }

    fn replace(&mut self, items: u64, time: Duration) -> Result<(u64, TimeSpent)> {
        self.write_for(0, time, UPDATE, |place| {
            let (number, changes) = (place % items, place / items + 1);
            (number, changed_item(number, changes).to_string())
        })
    }

    fn load(&mut self, first: u64, end: u64) -> Result<TimeSpent> {
        let next = AtomicU64::new(first);
        let spent = self.at_once(|client| {
            client.batch_execute("SET synchronous_commit = off")?;
            let insert = client.prepare(INSERT)?;
            loop {
                let from = next.fetch_add(LOADED_AT_ONCE, Ordering::Relaxed);
                if from >= end {
                    return Ok(());
                }
                let mut transaction = client.transaction()?;
                for number in from..end.min(from + LOADED_AT_ONCE) {
                    let (key, id) = (customer(number % PARTITIONS), id(number));
                    let text = item(number, PARTITIONS).to_string();
                    transaction.execute(&insert, &[&key, &id, &text])?;
                }
                transaction.commit()?;
            }
        })?;
        self.server.connect()?.batch_execute("VACUUM ANALYZE; CHECKPOINT")?;
        Ok(spent)
    }

    fn disk_bytes(&mut self) -> Result<(u64, u64)> {
        self.server.connect()?.batch_execute("VACUUM; CHECKPOINT")?;
        let data = self.server.data();
        let journal = folder_bytes(&data.join("pg_wal"))?;
        Ok((folder_bytes(&data)?.saturating_sub(journal), journal))
    }
}

fn id(number: u64) -> String {
    format!("order-{number:010}")
}
