//! One published figure against ours, and the figures of reads and writes.

use model::charge::{
    self, ChargeProfile, LEAF_UNITS, SIZE_STEPS, TERM_UNITS, failed_write, point_read,
};
use model::{ConsistencyLevel, RequestCharge};

/// What somebody has published about a charge.
pub(super) struct Published {
    pub(super) what: String,
    pub(super) source: &'static str,
    pub(super) published: f64,
    pub(super) ours: RequestCharge,
    pub(super) expectation: Expectation,
}

/// How close our charge must be.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Expectation {
    /// Within this many percent.
    Within(f64),
    /// The figure is from before the service got cheaper: ours must be below it.
    Obsolete,
}

impl Published {
    pub(super) fn new(
        what: impl Into<String>,
        source: &'static str,
        published: f64,
        ours: RequestCharge,
        percent_max: f64,
    ) -> Self {
        let expectation = Expectation::Within(percent_max);
        Self { what: what.into(), source, published, ours, expectation }
    }

    pub(super) fn obsolete(
        what: &str,
        source: &'static str,
        published: f64,
        ours: RequestCharge,
    ) -> Self {
        let expectation = Expectation::Obsolete;
        Self { what: what.into(), source, published, ours, expectation }
    }

    pub(super) fn check(&self) {
        let (what, published, ours) = (&self.what, self.published, self.ours);
        assert!(
            self.holds(),
            "{what}: {published} published, {ours} ours, {:+.2} %",
            self.percent()
        );
    }

    pub(super) fn percent(&self) -> f64 {
        (self.ours.as_f64() / self.published - 1.0) * 100.0
    }

    pub(super) fn holds(&self) -> bool {
        match self.expectation {
            Expectation::Within(percent_max) => self.percent().abs() <= percent_max,
            Expectation::Obsolete => self.percent() < 0.0,
        }
    }
}

pub(super) const KB: usize = 1024;

pub(super) fn create(bytes: usize, leaves: u64) -> RequestCharge {
    charge::create(bytes, leaves * LEAF_UNITS)
}

pub(super) fn delete(bytes: usize, leaves: u64) -> RequestCharge {
    charge::delete(bytes, leaves * LEAF_UNITS)
}

/// A replace that changes the values of some leaves.
pub(super) fn replace(profile: ChargeProfile, bytes: usize, changed: u64) -> RequestCharge {
    charge::replace(profile, bytes, bytes, Some(2 * changed * LEAF_UNITS))
}

pub(super) fn read(bytes: usize) -> RequestCharge {
    point_read(bytes, ConsistencyLevel::Session)
}

/// Every published figure of reads and writes.
pub(super) fn figures() -> Vec<Published> {
    let mut figures = sizes();
    figures.extend(documented());
    figures.extend(measured());
    figures.extend(scripts_and_averages());
    figures
}

fn sizes() -> Vec<Published> {
    const READ: [f64; 12] =
        [1.00, 1.04, 1.14, 1.33, 1.67, 2.19, 4.76, 9.95, 20.28, 40.95, 145.90, 291.80];
    const WRITE: [f64; 12] =
        [4.95, 6.29, 6.67, 7.04, 9.52, 11.23, 22.67, 48.19, 98.29, 184.57, 625.0, 1250.0];
    let source = "official 2026";
    let mut figures = Vec::new();
    for (step, published) in SIZE_STEPS.iter().zip(READ) {
        let ours = read(step.kilobytes as usize * KB);
        let what = format!("read {} KB", step.kilobytes);
        figures.push(Published::new(what, source, published, ours, 0.75));
    }
    for (step, published) in SIZE_STEPS.iter().zip(WRITE) {
        let ours = create(step.kilobytes as usize * KB, 0);
        let what = format!("write {} KB without index", step.kilobytes);
        figures.push(Published::new(what, source, published, ours, 0.15));
    }
    figures
}

fn documented() -> Vec<Published> {
    let azure = ChargeProfile::Azure;
    let ten_terms = charge::create(KB, 10 * TERM_UNITS);
    let patch = replace(azure, KB, 1) + charge::patch_operations(2);
    let (official, illustrative) = ("official", "official, illustrative");
    let old = "official 2017";
    vec![
        Published::new("read 100 KB", official, 10.0, read(100 * KB), 0.5),
        Published::new("write 100 KB", official, 50.0, create(100 * KB, 0), 3.7),
        Published::new("create 1 KB, 10 terms", illustrative, 7.0, ten_terms, 2.1),
        Published::new("delete 1 KB, 10 terms", illustrative, 7.0, ten_terms, 2.1),
        Published::new(
            "replace 1 KB, 1 leaf changed",
            illustrative,
            10.8,
            replace(azure, KB, 1),
            1.3,
        ),
        Published::new("patch of 2 properties, 1 leaf changed", illustrative, 11.6, patch, 1.5),
        Published::new("create 1 KB without indexing, id only", official, 5.5, create(KB, 1), 3.1),
        Published::obsolete("read 4 KB", old, 1.3, read(4 * KB)),
        Published::obsolete("write 4 KB", old, 7.0, create(4 * KB, 0)),
        Published::obsolete("read 64 KB", old, 10.0, read(64 * KB)),
        Published::obsolete("write 64 KB", old, 48.0, create(64 * KB, 0)),
    ]
}

fn measured() -> Vec<Published> {
    let azure = ChargeProfile::Azure;
    let same = charge::replace(azure, KB, KB, Some(0));
    let strong = point_read(KB, ConsistencyLevel::Strong);
    let (model, sample) = ("Model and partition, measured 2019", "third-party sample code");
    let (labs, logs) = ("Cosmos labs 2020", "third-party logs");
    vec![
        Published::new("create {id, username}", model, 5.71, create(KB, 2), 0.1),
        Published::new("create like, 5 leaves", model, 7.05, create(KB, 5), 2.8),
        Published::new("create comment, 6 leaves, 1-2 KB", model, 8.57, create(2 * KB, 6), 0.1),
        Published::new("create post, 7 leaves, 1-2 KB", model, 8.76, create(2 * KB, 7), 2.2),
        Published::new("create 1 KB, 2 leaves", sample, 5.71, create(KB, 2), 0.1),
        Published::new("update 1 KB, 1 leaf changed", sample, 10.67, replace(azure, KB, 1), 0.1),
        Published::new("delete 1 KB, 2 leaves", sample, 5.71, delete(KB, 2), 0.1),
        Published::new("upsert of an existing item, unchanged", "tool log", 10.29, same, 0.1),
        Published::new("failed delete (404), failed write (400)", logs, 1.24, failed_write(), 0.2),
        Published::new("create cereal, 25 leaves", "official 2017-18", 15.0, create(KB, 25), 3.5),
        Published::new("create person, 22 leaves, 1-2 KB", labs, 15.0, create(2 * KB, 22), 2.3),
        Published::new("create family, 132 leaves, 5.5 KB", labs, 48.0, create(5632, 132), 19.5),
        Published::new("the same, /relatives/* excluded", labs, 16.0, create(5632, 22), 3.6),
        Published::new("strong read 1 KB", "DP-420 lab 21", 2.0, strong, 0.0),
    ]
}

fn scripts_and_averages() -> Vec<Published> {
    // Inside scripts the service does not pay for removals.
    let native = ChargeProfile::Native;
    let post = read(2 * KB) + replace(native, 2 * KB, 1);
    let (model, plan) = ("Model and partition, measured 2019", "Plan costs, averages");
    vec![
        Published::new(
            "script: read, replace, create comment",
            model,
            15.27,
            post + create(2 * KB, 6),
            9.2,
        ),
        Published::new(
            "script: read, replace, create like",
            model,
            14.67,
            post + create(KB, 5),
            2.0,
        ),
        Published::new("create, 2 leaves", plan, 5.0, create(KB, 2), 14.5),
        Published::new("update, 1 leaf", plan, 10.0, replace(ChargeProfile::Azure, KB, 1), 7.0),
        Published::new("delete, id only", plan, 5.0, delete(KB, 1), 7.0),
    ]
}

#[test]
fn every_published_figure_of_reads_and_writes_is_met() {
    figures().iter().for_each(Published::check);
}
