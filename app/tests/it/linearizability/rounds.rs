//! The run: round after round of clients and faults, each compared before the next begins.
//!
//! `LINEARIZABILITY_SEED` repeats the plan of a run, `LINEARIZABILITY_ROUNDS` makes it longer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::cell::{Cell, SLOTS};
use super::clients::{
    CLIENTS, Client, History, Shared, follow, observe, restructure, snapshot, spawn,
};
use super::damage::{DamageCounts, damage_copies};
use super::disk::Disk;
use super::feed::check_feed;
use super::follower::{Follower, read_latest};
use super::http::{Connection, Request};
use super::operation::{CELLS, create_container};
use super::plan::{Fault, Round, plan};
use super::search::{Operation, linearize};
use super::server::Server;
use crate::planisphere::on;

/// Each fault once.
const ROUNDS: u64 = 6;
/// Rounds on one store. Then a new one begins, so that the small disk holds it.
const ROUNDS_PER_STORE: u64 = 12;
/// How often the threads are looked at, and for how long at most: only a hang takes so many looks.
const LOOK_EVERY: Duration = Duration::from_millis(2);
const LOOKS_MAX: u32 = 60_000;

#[derive(Debug, Default)]
struct Totals {
    operations: usize,
    lost: usize,
    changes: usize,
    restructured: u64,
    full_disks: u64,
    damages: DamageCounts,
    faults: BTreeMap<String, u64>,
}

#[test]
fn one_order_of_all_operations_explains_what_clients_saw() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("LINEARIZABILITY_SEED").unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    let rounds = number("LINEARIZABILITY_ROUNDS").unwrap_or(ROUNDS);
    println!("LINEARIZABILITY_SEED={seed} LINEARIZABILITY_ROUNDS={rounds}");
    let mut totals = Totals::default();
    for rounds in plan(seed, rounds).chunks(ROUNDS_PER_STORE as usize) {
        let disk = Disk::new();
        if !disk.is_small() {
            println!("SKIPPED: full disks. Mounting a small tmpfs needs root.");
        }
        let mut run = Run::start(&disk, seed);
        for round in rounds {
            println!("{round:?}");
            if let Err(broken) = run.carry_out(round, &mut totals) {
                let kept = disk.keep();
                panic!(
                    "{round:?} of LINEARIZABILITY_SEED={seed}: {broken}\nstore kept in {}",
                    kept.display()
                );
            }
        }
    }
    println!("{totals:?}");
    assert!(totals.operations as u64 > rounds * 50, "too little was done to show anything");
    assert!(totals.restructured > 0 || rounds < ROUNDS, "nothing was split");
}

struct Run<'disk> {
    disk: &'disk Disk,
    server: Option<Server>,
    shared: Arc<Shared>,
    follower: Option<Follower>,
    /// The items of each logical partition at the end of the last round.
    cells: Vec<Cell>,
}

impl<'disk> Run<'disk> {
    fn start(disk: &'disk Disk, seed: u64) -> Self {
        let server = Server::start(&disk.store(), &disk.messages(), false).unwrap();
        let mut connection = Connection::new(server.port);
        create_container(&mut connection).unwrap();
        let follower = Follower::start(&mut connection, seed).unwrap();
        Self {
            disk,
            server: Some(server),
            shared: Arc::default(),
            follower: Some(follower),
            cells: vec![[None; SLOTS]; CELLS],
        }
    }

    fn carry_out(&mut self, round: &Round, totals: &mut Totals) -> Result<(), String> {
        let history = self.attack(round, totals)?;
        let lost = history.iter().filter(|(_, operation)| operation.outcome.is_none()).count();
        totals.operations += history.len();
        totals.lost += lost;
        *totals.faults.entry(format!("{:?}", round.fault)).or_default() += 1;
        self.compare(history, totals)?;
        if round.fault == Fault::Damage {
            self.take_server().kill();
            let counts = damage_copies(&self.disk.store(), round.seed, &self.cells)?;
            totals.damages.refused += counts.refused;
            totals.damages.recovered += counts.recovered;
        } else {
            self.take_server().terminate()?;
        }
        let verified = on("verify", &self.disk.store());
        if verified.code != 0 {
            return Err(format!("verify: {verified:?}"));
        }
        self.start_server(round)
    }

    fn take_server(&mut self) -> Server {
        self.server.take().expect("a server runs between two rounds")
    }

    fn start_server(&mut self, round: &Round) -> Result<(), String> {
        let (store, messages) = (self.disk.store(), self.disk.messages());
        let server = Server::start(&store, &messages, round.is_relaxed);
        self.server =
            Some(server.map_err(|refused| format!("the store does not open: {refused:?}"))?);
        Ok(())
    }

    /// Runs the clients and lets the fault happen; a new server runs at the end.
    fn attack(&mut self, round: &Round, totals: &mut Totals) -> Result<History, String> {
        let server = self.take_server();
        let port = server.port;
        self.shared.is_over.store(false, Ordering::SeqCst);
        self.shared.had_full_disk.store(false, Ordering::SeqCst);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let client = Client::new(port, &self.shared, round.seed ^ (number + 1));
                spawn(move || client.run())
            })
            .collect();
        let follower = self.follower.take().expect("a follower between two rounds");
        let shared = Arc::clone(&self.shared);
        let follower = spawn(move || follow(follower, port, &shared));
        let shared = Arc::clone(&self.shared);
        let (seed, pause) = (round.seed, pause_of(round.fault));
        let restructuring = spawn(move || restructure(port, &shared, seed, pause));
        let restructured = self.shared.restructured.load(Ordering::SeqCst);

        let fault = self.inject(server, round, totals);
        self.shared.is_over.store(true, Ordering::SeqCst);
        let mut history = Vec::new();
        for client in clients {
            history.extend(client.join().expect("a client does not panic")?);
        }
        restructuring.join().expect("it does not panic")?;
        self.follower = Some(follower.join().expect("the follower does not panic")?);
        totals.restructured += self.shared.restructured.load(Ordering::SeqCst) - restructured;
        match fault? {
            Some(server) => self.server = Some(server),
            None => self.start_server(round)?,
        }
        Ok(history)
    }

    /// The fault itself. Returns the server if it still runs.
    fn inject(
        &self,
        mut server: Server,
        round: &Round,
        totals: &mut Totals,
    ) -> Result<Option<Server>, String> {
        self.wait_for(&mut server, round.operations)?;
        let stopped = Duration::from_millis(round.stopped_ms);
        match round.fault {
            Fault::Kill | Fault::Restructure | Fault::Damage => server.kill(),
            Fault::Stop => {
                server.signal("STOP");
                std::thread::sleep(stopped);
                server.signal("CONT");
                self.wait_for(&mut server, round.operations / 2)?;
                // Requests in progress are answered before it ends.
                server.terminate()?;
            }
            Fault::StopAndKill => {
                server.signal("STOP");
                std::thread::sleep(stopped);
                server.kill();
            }
            Fault::FullDisk => {
                if self.disk.is_small() {
                    self.fill_disk(&mut server)?;
                    totals.full_disks += 1;
                }
                self.wait_for(&mut server, round.operations / 2)?;
                return Ok(Some(server));
            }
        }
        Ok(None)
    }

    /// Fills the disk until a write is refused, and frees it: the server writes again without a restart.
    fn fill_disk(&self, server: &mut Server) -> Result<(), String> {
        let failed = self.shared.failed.load(Ordering::SeqCst);
        self.shared.had_full_disk.store(true, Ordering::SeqCst);
        self.disk.fill();
        let refused = look("a write was refused by the full disk", || {
            // What the store frees meanwhile is filled as well.
            self.disk.fill();
            self.shared.failed.load(Ordering::SeqCst) > failed
        });
        let mut connection = Connection::new(server.port);
        let ready = Request { verb: "GET", path: "/ready", headers: &[], body: "" };
        let full = connection.ask(&ready)?;
        self.disk.free();
        refused?;
        if full.status != 503 {
            return Err(format!("/ready was {} while the disk was full", full.status));
        }
        look("the server was ready after space was freed", || {
            connection.ask(&ready).is_ok_and(|answer| answer.status == 200)
        })
    }

    /// Waits until so many more operations are answered.
    fn wait_for(&self, server: &mut Server, operations: u64) -> Result<(), String> {
        let target = self.shared.answered.load(Ordering::SeqCst) + operations;
        let mut ended = None;
        look("enough operations were answered", || {
            ended = server.ended();
            ended.is_some() || self.shared.answered.load(Ordering::SeqCst) >= target
        })?;
        match ended {
            Some(status) => Err(format!("the server ended by itself: {status}")),
            None => Ok(()),
        }
    }

    /// Reads everything while nobody writes, and compares.
    fn compare(&mut self, history: History, totals: &mut Totals) -> Result<(), String> {
        let port = self.server.as_ref().expect("a server runs").port;
        let mut connection = Connection::new(port);
        let mut follower = self.follower.take().expect("a follower between two rounds");
        follower.catch_up(&mut connection)?;
        let mut operations: Vec<Vec<Operation>> = vec![Vec::new(); CELLS];
        for (cell, operation) in history {
            operations[cell].push(operation);
        }
        for (cell, operations) in operations.iter_mut().enumerate() {
            let observed = observe(&mut connection, &self.shared, cell)?;
            let after = snapshot(&observed);
            operations.extend(observed);
            let context = |broken: String| format!("logical partition c{cell}: {broken}");
            linearize(&self.cells[cell], operations).map_err(context)?;
            let changes = std::mem::take(&mut follower.changes[cell]);
            totals.changes += changes.len();
            check_feed(&self.cells[cell], &changes, operations, &after).map_err(context)?;
            self.cells[cell] = after;
        }
        self.follower = Some(follower);
        let latest = read_latest(&mut connection)?;
        match latest == self.cells {
            true => Ok(()),
            false => {
                Err(format!("the latest versions are listed as {latest:?}, not {:?}", self.cells))
            }
        }
    }
}

fn pause_of(fault: Fault) -> Duration {
    match fault {
        Fault::Restructure => Duration::ZERO,
        _ => Duration::from_millis(50),
    }
}

/// Looks until something holds.
fn look(what: &str, mut holds: impl FnMut() -> bool) -> Result<(), String> {
    for _ in 0..LOOKS_MAX {
        if holds() {
            return Ok(());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Err(format!("never: {what}"))
}
