//! A made-up world: an account in memory whose clock moves when somebody waits, and faults drawn from a seed.

use std::sync::Arc;
use std::time::Duration;

use client::{
    Account, Container, Fault, Faults, PartitionKeyDefinition, TimeToLive, TimestampMs,
    TravellingClock,
};

pub(crate) struct World {
    pub(crate) clock: Arc<TravellingClock>,
    pub(crate) account: Account,
}

impl World {
    pub(crate) async fn new(seed: u64) -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(1_800_000_000_000));
        let account = Account::simulated(&clock, seed).await.unwrap();
        account.database("shop").unwrap().create_if_missing(None).await.unwrap();
        Self { clock, account }
    }

    /// A container by this partition key path; its items may say when they end.
    pub(crate) async fn container(&self, name: &str, path: &str) -> Container {
        let container = on(&self.account, name);
        let mut properties = container.properties(PartitionKeyDefinition::single(path).unwrap());
        properties.default_time_to_live = TimeToLive::NoDefault;
        container.create_if_missing(properties, None).await.unwrap();
        container
    }

    pub(crate) fn travel(&self, seconds: u64) {
        self.clock.travel(Duration::from_secs(seconds));
    }

    /// The same account, suffering these faults.
    pub(crate) fn suffering(&self, faults: &Faults) -> Account {
        self.account.with_faults(faults.clone())
    }
}

/// A container as seen through an account.
pub(crate) fn on(account: &Account, name: &str) -> Container {
    account.database("shop").unwrap().container(name).unwrap()
}

/// Lets writes land whose callers were dropped while they were under way.
pub(crate) async fn land() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// Numbers from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A plan in which about one request of `every` suffers something.
    pub(crate) fn plan(&mut self, faults: &Faults, requests: usize, every: u64) {
        for _ in 0..requests {
            let fault = match self.below(every * 6) {
                0 => Fault::Throttled { delay: Duration::from_millis(self.below(3_000)) },
                1 => Fault::Unavailable,
                2 => Fault::Timeout { after: Duration::from_secs(1 + self.below(20)) },
                3 => Fault::LostResponse,
                4 => Fault::StopBefore,
                5 => Fault::StopAfter,
                _ => Fault::None,
            };
            faults.next(fault);
        }
    }
}
