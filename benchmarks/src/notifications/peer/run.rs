//! PostgreSQL through the same run: people, backlog, drain, steady part, outcomes.
//!
//! Owns the connections and the threads. A worker is as many connections as ours works on users at once. An enqueue
//! wakes them inside this process, as it does ours, so nothing is lost by polling.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use postgres::{Client, Statement};

use super::super::latency::LatencyRecorder;
use super::super::mix::{CALLERS, Mix};
use super::super::outcome::name;
use super::super::side::{Drained, Latency, Outcomes, SidePace};
use super::super::tenths::{SpendSample, Tenths};
use super::tables;
use super::work::{PeerWorkResult, PostgresWorker};
use crate::meter::{TimeSpent, cpu_of_process, folder_bytes, now};
use crate::scratch_server::{NOT_INSTALLED, ScratchServer};
use crate::{Error, Result, progress};

/// The wait of a connection that found nothing, unless an enqueue wakes it.
const POLL: Duration = Duration::from_millis(500);

/// A server with the tables.
pub(in crate::notifications) struct PostgresPeer {
    server: ScratchServer,
    mix: Mix,
}

/// A connection that enqueues.
struct Sender {
    client: Client,
    insert: Statement,
}

/// Wakes connections that wait for events.
#[derive(Default)]
struct Wake {
    /// Events nobody was woken for yet.
    events: Mutex<u64>,
    woken: Condvar,
}

impl PostgresPeer {
    /// Starts a server and makes the tables; what to install when there is no PostgreSQL.
    pub(in crate::notifications) fn open(mix: Mix) -> Result<std::result::Result<Self, String>> {
        let Some(server) = ScratchServer::start(&tables::SERVER)? else {
            return Ok(Err(NOT_INSTALLED.to_owned()));
        };
        server.connect()?.batch_execute(tables::TABLES)?;
        Ok(Ok(Self { server, mix }))
    }

    /// Writes what every person wants, and their devices.
    pub(in crate::notifications) fn make_people(&self) -> Result<()> {
        let mut client = self.server.connect()?;
        let mut transaction = client.transaction()?;
        let person = transaction.prepare(tables::MAKE_PERSON)?;
        let device = transaction.prepare(tables::MAKE_DEVICE)?;
        for number in 0..self.mix.people {
            let made = self.mix.person(number);
            let quiet = vec![made.quiet; 24];
            transaction.execute(&person, &[&made.id, &quiet, &made.social, &made.marketing])?;
            for platform in made.devices {
                let name = format!("{}-{}", platform.name(), made.id);
                let token = format!("token-of-{name}");
                transaction.execute(&device, &[&made.id, &name, &token, &platform.name()])?;
            }
        }
        transaction.commit()?;
        Ok(client.batch_execute("VACUUM ANALYZE")?)
    }

    /// Takes all events in, then works them off.
    pub(in crate::notifications) fn drain(&self) -> Result<Drained> {
        let events = self.mix.events;
        progress::step("PostgreSQL: enqueueing the backlog");
        let mut senders = self.senders()?;
        let before = self.spent()?;
        let next = AtomicU64::new(0);
        at_once(&mut senders, |sender| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= events {
                    return Ok(());
                }
                sender.enqueue(&self.mix, number)?;
            }
        })?;
        let enqueue = self.pace(events, before)?;
        // So that plans are made for what is there, as they would be on a server that has run for a while.
        self.server.connect()?.batch_execute("ANALYZE")?;
        progress::step("PostgreSQL: draining");
        drop(senders);
        let mut hands = self.hands()?;
        let before = self.spent()?;
        let tenths = Tenths::begin(events, || Ok(SpendSample::now(self.cpu()?, None)));
        at_once(&mut hands, |hand| {
            while hand.work()? != PeerWorkResult::Nothing {
                tenths.ended();
            }
            Ok(())
        })?;
        let drain = self.pace(events, before)?;
        // While all connections are open: pages that nobody maps any more are in nobody's memory.
        let resident_bytes = self.server.resident_bytes()?;
        Ok(Drained { enqueue, drain, tenths: tenths.tenths()?, resident_bytes })
    }

    /// Sends the events of these numbers at a pace, while the workers run.
    pub(in crate::notifications) fn steady(
        &self,
        numbers: Range<u64>,
        per_second: f64,
    ) -> Result<Latency> {
        progress::step(&format!("PostgreSQL: {per_second:.0} events per second"));
        let all = numbers.end - numbers.start;
        let (mut hands, mut senders) = (self.hands()?, self.senders()?);
        let latencies = LatencyRecorder::begin(numbers, per_second);
        let (wake, ended, failed) = (Wake::default(), AtomicU64::new(0), AtomicBool::new(false));
        let worked = |hand: &mut PostgresWorker| -> Result<()> {
            while ended.load(Ordering::Relaxed) < all && !failed.load(Ordering::Relaxed) {
                match hand.work()? {
                    PeerWorkResult::Nothing => {
                        wake.wait();
                        continue;
                    }
                    PeerWorkResult::Listed(number) => latencies.seen(number),
                    PeerWorkResult::Unlisted => {}
                }
                ended.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        let sent = |sender: &mut Sender| -> Result<()> {
            while let Some((number, wait)) = latencies.next() {
                std::thread::sleep(wait);
                sender.enqueue(&self.mix, number)?;
                latencies.answered(number);
                wake.wake();
            }
            Ok(())
        };
        let noted = |result: Result<()>| {
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            result
        };
        let both = std::thread::scope(|scope| {
            let working = scope.spawn(|| at_once(&mut hands, |hand| noted(worked(hand))));
            let sending = at_once(&mut senders, |sender| noted(sent(sender)));
            sending.and(joined(working.join()))
        });
        both?;
        latencies.latency()
    }

    /// What became of all events.
    pub(in crate::notifications) fn outcomes(&self) -> Result<Outcomes> {
        let mut client = self.server.connect()?;
        let mut events = BTreeMap::new();
        for row in client.query(tables::OUTCOMES, &[])? {
            let (status, reason): (String, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
            let count: i64 = row.try_get(2)?;
            events.insert(name(&status, reason.as_deref()), u64::try_from(count)?);
        }
        let count: i64 = client.query_one("SELECT count(*) FROM notifications", &[])?.try_get(0)?;
        Ok(Outcomes { events, notifications: u64::try_from(count)? })
    }

    /// Bytes on disk, and how many of them are journal.
    pub(in crate::notifications) fn disk_bytes(&self) -> Result<(u64, u64)> {
        let data = self.server.data();
        Ok((folder_bytes(&data)?, folder_bytes(&data.join("pg_wal"))?))
    }

    /// The connections of both workers.
    fn hands(&self) -> Result<Vec<PostgresWorker>> {
        let hand = |number| {
            let worker = if number < CALLERS / 2 { "first" } else { "second" };
            PostgresWorker::new(self.server.connect()?, worker.to_owned())
        };
        (0..CALLERS).map(hand).collect()
    }

    fn senders(&self) -> Result<Vec<Sender>> {
        (0..CALLERS).map(|_| Sender::new(self.server.connect()?)).collect()
    }

    /// Processor time of the server and of this program.
    fn cpu(&self) -> Result<Duration> {
        Ok(self.server.cpu()? + cpu_of_process("self")?)
    }

    fn spent(&self) -> Result<SpendSample> {
        Ok(SpendSample::now(self.cpu()?, None))
    }

    fn pace(&self, events: u64, before: SpendSample) -> Result<SidePace> {
        let wall = now().saturating_duration_since(before.at);
        Ok(SidePace::of(events, TimeSpent { wall, cpu: self.cpu()?.saturating_sub(before.cpu) }))
    }
}

impl Wake {
    fn wake(&self) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.woken.notify_one();
    }

    fn wait(&self) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.woken.wait_timeout_while(events, POLL, |events| *events == 0);
        // Woken or not, the queue is looked into again.
        let (mut events, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *events = events.saturating_sub(1);
    }
}

impl Sender {
    fn new(mut client: Client) -> Result<Self> {
        let insert = client.prepare(tables::ENQUEUE)?;
        Ok(Self { client, insert })
    }

    fn enqueue(&mut self, mix: &Mix, number: u64) -> Result<()> {
        let event = mix.event(number);
        let payload = serde_json::to_string(&event.payload)?;
        let (id, event_type) = (i64::try_from(number)?, event.event_type);
        let (name, category) = (event_type.name(), event_type.category().name());
        self.client.execute(
            &self.insert,
            &[&id, &event.user_id, &name, &category, &payload, &event.dedupe_key],
        )?;
        Ok(())
    }
}

/// Does something on many connections at once, each on a thread of its own.
fn at_once<T: Send>(ready: &mut [T], work: impl Fn(&mut T) -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = ready.iter_mut().map(|one| scope.spawn(move || work(one))).collect();
        threads.into_iter().try_for_each(|thread| joined(thread.join()))
    })
}

fn joined(joined: std::thread::Result<Result<()>>) -> Result<()> {
    joined.unwrap_or_else(|_| Err(Error::from("a connection's thread ended by a panic")))
}
