//! One simulated life: power on, work, power cut, look at what is left; several times.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::operation::{CreateContainer, CreateDatabase};
use engine::{ContainerLink, Engine, EngineSettings, Environment, TravellingClock};
use model::{DatabaseProperties, FeedRange};
use storage::Store;
use storage::faulty::{FaultPlan, FaultyStore};
use storage::simulated_disk::{DiskDurability, SimulatedDisk};

use super::client::Client;
use super::operator::Operator;
use super::trace::Trace;
use crate::account::{Account, START, plain, quiet};
use crate::dice::Dice;

const CLIENTS: u64 = 6;
const LIVES: u64 = 3;
/// Operations of all clients after which the power is cut, at least and at most.
const OPERATIONS_PER_LIFE: std::ops::Range<u64> = 100..1000;
/// Seeds of an ordinary run.
const SEEDS_DEFAULT: u64 = 16;

const PLAN: FaultPlan = FaultPlan {
    commit_fails_ppm: 20_000,
    acknowledgement_lost_ppm: 20_000,
    read_fails_ppm: 2_000,
    delay_ppm: 300_000,
    delay_yields_max: 6,
};

struct World {
    dice: Dice,
    trace: Trace,
    clock: Arc<TravellingClock>,
    disk: Arc<SimulatedDisk>,
    clients: Vec<Client>,
    link: ContainerLink,
    /// Splits and merges that were done.
    restructured: u64,
}

/// What a seed has come to.
#[derive(Debug, PartialEq, Eq)]
struct Ending {
    trace: u64,
    acknowledged: u64,
    restructured: u64,
}

impl World {
    async fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let trace = Trace::default();
        let link = ContainerLink::new("d", "c").unwrap();
        let client =
            |number| Client::new(number, link.clone(), Dice::new(dice.number()), trace.clone());
        let clients = (0..CLIENTS).map(client).collect();
        let disk = Arc::new(SimulatedDisk::new(DiskDurability::Synced));
        let clock = TravellingClock::starting_at(START);
        let world = Self { dice, trace, clock, disk, clients, link, restructured: 0 };
        world.found().await;
        world
    }

    fn settings() -> EngineSettings {
        EngineSettings { maintenance_items_max: 100, group_operations_max: 8, ..quiet() }
    }

    async fn open(&self, store: Arc<dyn Store>) -> engine::Result<Engine> {
        let environment = Environment::simulated(Arc::clone(&self.clock), 1);
        Engine::open(store, environment, Self::settings()).await
    }

    /// The first life begins with a container on a store that works.
    async fn found(&self) {
        let engine = self.open(Arc::clone(&self.disk) as Arc<dyn Store>).await.unwrap();
        let properties = DatabaseProperties { id: self.link.database.clone() };
        engine.create_database(CreateDatabase { properties, throughput: None }).await.unwrap();
        let create = CreateContainer {
            database: self.link.database.clone(),
            properties: plain("c"),
            throughput: None,
        };
        engine.create_container(create).await.unwrap();
    }

    /// Works on a failing store until the power is cut at some moment.
    async fn live(&mut self) {
        let seed = self.dice.number();
        let store = Arc::new(FaultyStore::new(Arc::clone(&self.disk), seed, PLAN));
        let engine = loop {
            match self.open(Arc::clone(&store) as Arc<dyn Store>).await {
                Ok(engine) => break engine,
                Err(error) => self.trace.event(format_args!("open {:?}", error.kind())),
            }
        };
        let over = Arc::new(AtomicBool::new(false));
        let is_over = |over: &Arc<AtomicBool>| {
            let over = Arc::clone(over);
            move || over.load(Ordering::SeqCst)
        };
        let mut tasks = Vec::new();
        for mut client in std::mem::take(&mut self.clients) {
            let (engine, is_over) = (engine.clone(), is_over(&over));
            tasks.push(tokio::spawn(async move {
                client.run(&engine, is_over).await;
                client
            }));
        }
        let operator = tokio::spawn({
            let dice = Dice::new(self.dice.number());
            let mut operator =
                Operator { link: self.link.clone(), dice, trace: self.trace.clone() };
            let (engine, is_over) = (engine.clone(), is_over(&over));
            async move { operator.run(&engine, is_over).await }
        });
        let span = OPERATIONS_PER_LIFE.end - OPERATIONS_PER_LIFE.start;
        let until = self.trace.operations() + OPERATIONS_PER_LIFE.start + self.dice.below(span);
        while self.trace.operations() < until {
            tokio::task::yield_now().await;
        }
        over.store(true, Ordering::SeqCst);
        self.disk = Arc::new(self.disk.crash(self.dice.number()));
        self.trace.event(format_args!("crash"));
        for task in tasks {
            self.clients.push(task.await.unwrap());
        }
        self.restructured += operator.await.unwrap();
    }

    /// Looks at what the crash has left, on a store that works.
    async fn check(&mut self) {
        let store = Arc::clone(&self.disk) as Arc<dyn Store>;
        let engine = self.open(Arc::clone(&store)).await.unwrap();
        for client in &mut self.clients {
            client.check(&engine).await;
        }
        let account = Account { engine, clock: Arc::clone(&self.clock), store };
        account.verify().await;
        let expected: usize = self.clients.iter().map(Client::items).sum();
        let listed = account.list(&self.link, &FeedRange::Container, 5).await;
        assert_eq!(listed.len(), expected);
        account.engine.maintain_fully().await.unwrap();
        account.verify().await;
        for item in listed {
            self.trace.event(format_args!("{}", String::from_utf8_lossy(item.text())));
        }
    }
}

/// Runs one seed.
fn simulate(seed: u64) -> Ending {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut world = World::new(seed).await;
        for _ in 0..LIVES {
            world.live().await;
            world.check().await;
        }
        let acknowledged = world.clients.iter().map(|client| client.acknowledged).sum();
        let restructured = world.restructured;
        Ending { trace: world.trace.hash(), acknowledged, restructured }
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn acknowledged_writes_survive_faults_crashes_and_splits() {
    let seeds = match number("SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("SIMULATION_SEEDS").unwrap_or(SEEDS_DEFAULT),
    };
    let mut restructured = 0;
    let is_one = seeds.end - seeds.start == 1;
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| simulate(seed));
        let ending = outcome.unwrap_or_else(|_| {
            panic!("run it again: SIMULATION_SEED={seed} cargo test -p engine simulation")
        });
        assert!(ending.acknowledged > 20, "seed {seed}: {ending:?}");
        restructured += ending.restructured;
    }
    assert!(is_one || restructured > 20, "hardly anything was split or merged: {restructured}");
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let ending = simulate(3);
    assert_eq!(ending, simulate(3));
    assert_ne!(ending, simulate(4));
}
