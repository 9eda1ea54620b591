//! The claims of the seeds in both profiles, with the condition under which each holds.

use std::ops::RangeInclusive;

use model::RequestCharge;
use model::charge::{ChargeProfile, QueryCounters};

use super::published::{KB, create, read, replace};
use super::query_figures::{found, price};

/// One claim.
pub(super) struct Claim {
    pub(super) what: &'static str,
    /// What the seed says, in request units.
    pub(super) claimed: &'static str,
    pub(super) range: RangeInclusive<f64>,
    /// What it costs; several figures for several sizes.
    pub(super) cost: fn(ChargeProfile) -> Vec<RequestCharge>,
    pub(super) condition: &'static str,
    /// Whether it holds where removals are paid.
    pub(super) holds_in_azure: bool,
}

/// "~N" is read as N, 40 percent either way.
fn about(figure: f64) -> RangeInclusive<f64> {
    figure * 0.6..=figure * 1.4
}

/// A page of items of one kilobyte.
fn page(lookups: u64, items: &[u64]) -> Vec<RequestCharge> {
    items.iter().map(|items| price(found(lookups, *items, 1024))).collect()
}

fn update(profile: ChargeProfile) -> RequestCharge {
    replace(profile, KB, 1)
}

macro_rules! claim {
    (
        $what:literal, $claimed:literal, $range:expr, $holds:literal, $condition:literal, $cost:expr
    ) => {
        Claim {
            what: $what,
            claimed: $claimed,
            range: $range,
            cost: $cost,
            condition: $condition,
            holds_in_azure: $holds,
        }
    };
}

/// Every claim of the seeds.
pub(super) fn claims() -> Vec<Claim> {
    let mut claims = queries();
    claims.extend(writes());
    claims.extend(messages());
    claims
}

fn queries() -> Vec<Claim> {
    vec![
        claim!("get entity by id", "1", 1.0..=1.0, true, "at most 1 KB", |_| vec![read(KB)]),
        claim!(
            "children query",
            "2-5",
            2.0..=5.0,
            true,
            "key in the request; parentId, isDeleted indexed; composite (parentId, name); 10 and 30 items of 1 KB",
            |_| page(2, &[10, 30])
        ),
        claim!(
            "list all world entities",
            "5-15",
            5.0..=15.0,
            true,
            "per page of 50, 100 and 200 items of 1 KB",
            |_| page(1, &[50, 100, 200])
        ),
        claim!("list by type", "3-8", 3.0..=8.0, true, "25 and at most 85 items of 1 KB", |_| {
            page(2, &[25, 85])
        }),
        claim!(
            "search",
            "5-12",
            5.0..=12.0,
            true,
            "CONTAINS on an indexed path in one world; 500 and 1,000 names, 20 items of 1 KB",
            |_| {
                let walked = |names| QueryCounters { index_entries: names, ..found(1, 20, 1024) };
                [500, 1000].map(|names| price(walked(names))).to_vec()
            }
        ),
        claim!(
            "count children",
            "2-3",
            2.0..=3.0,
            true,
            "two predicates, index-only count of 20",
            |_| vec![price(QueryCounters { tuples: 20, ..found(2, 0, 0) })]
        ),
        claim!(
            "cross-partition by owner",
            "10-50",
            10.0..=50.0,
            true,
            "4 and 15 physical partitions, 30 items of 1 KB",
            |_| {
                let spread = |partitions| QueryCounters { partitions, ..found(1, 30, 1024) };
                [4, 15].map(|partitions| price(spread(partitions))).to_vec()
            }
        ),
        claim!(
            "get entity assets",
            "2-5",
            2.0..=5.0,
            true,
            "full hierarchical key in the request; 8 items of 0.6 KB",
            |_| vec![price(found(1, 8, 614))]
        ),
    ]
}

fn writes() -> Vec<Claim> {
    vec![
        claim!(
            "create entity",
            "5-8",
            5.0..=8.0,
            true,
            "at most 1 KB with 7 and 8 indexed leaves, or 2 KB with 4",
            |_| vec![create(KB, 7), create(KB, 8), create(2 * KB, 4)]
        ),
        claim!(
            "update entity",
            "6-12",
            6.0..=12.0,
            true,
            "read and replace, one indexed leaf changed, updatedAt not indexed",
            |profile| vec![read(KB) + update(profile)]
        ),
        claim!(
            "soft delete",
            "6-10",
            6.0..=10.0,
            false,
            "as update; deletedDate, deletedBy and ttl not indexed",
            |profile| vec![read(KB) + update(profile)]
        ),
        claim!("create asset", "5-7", 5.0..=7.0, true, "at most 1 KB, 4 and 5 leaves", |_| {
            vec![create(KB, 4), create(KB, 5)]
        }),
    ]
}

fn messages() -> Vec<Claim> {
    vec![
        claim!("enqueue event", "~5", about(5.0), true, "3 leaves, payload not indexed", |_| {
            vec![create(KB, 3)]
        }),
        claim!(
            "process event",
            "~15",
            about(15.0),
            true,
            "read, create of 4 leaves, status update, preferences query of 0.4 KB",
            |profile| {
                let query = price(found(1, 1, 410));
                vec![read(KB) + create(KB, 4) + update(profile) + query]
            }
        ),
        claim!(
            "read page of 20 notifications",
            "~3",
            about(3.0),
            true,
            "items of 0.4 KB, composite for the order",
            |_| vec![price(found(1, 20, 410))]
        ),
        claim!(
            "mark read",
            "~5",
            about(5.0),
            false,
            "one indexed leaf; replace and patch",
            |profile| {
                vec![update(profile), update(profile) + model::charge::patch_operations(2)]
            }
        ),
        claim!("update preferences", "~5", about(5.0), false, "one indexed leaf", |profile| {
            vec![update(profile)]
        }),
        claim!("register device", "~10", about(10.0), true, "query and create of 5 leaves", |_| {
            vec![price(found(1, 1, 1024)) + create(KB, 5)]
        }),
    ]
}

impl Claim {
    pub(super) fn holds(&self, profile: ChargeProfile) -> bool {
        // A charge is compared as it is printed.
        let printed = |cost: &RequestCharge| (cost.as_f64() * 100.0).round() / 100.0;
        (self.cost)(profile).iter().all(|cost| self.range.contains(&printed(cost)))
    }
}

#[test]
fn every_claim_holds_in_the_native_profile() {
    for claim in claims() {
        let costs = (claim.cost)(ChargeProfile::Native);
        assert!(claim.holds(ChargeProfile::Native), "{}: {costs:?}", claim.what);
    }
    assert_eq!(claims().len(), 18);
}

#[test]
fn all_claims_but_three_hold_in_the_azure_profile() {
    for claim in claims() {
        let costs = (claim.cost)(ChargeProfile::Azure);
        let holds = claim.holds(ChargeProfile::Azure);
        assert_eq!(holds, claim.holds_in_azure, "{}: {costs:?}", claim.what);
    }
    assert_eq!(claims().iter().filter(|claim| !claim.holds_in_azure).count(), 3);
}

/// The figures that the comparison of seeds and service names, one by one.
#[test]
fn the_claims_cost_what_they_were_computed_to_cost() {
    let expected: [(&str, &[&str], &[&str]); 18] = [
        ("get entity by id", &["1"], &["1"]),
        ("children query", &["3.48", "4.66"], &["3.48", "4.66"]),
        ("list all world entities", &["5.74", "8.69", "14.59"], &["5.74", "8.69", "14.59"]),
        ("list by type", &["4.37", "7.91"], &["4.37", "7.91"]),
        ("search", &["6.02", "8.07"], &["6.02", "8.07"]),
        ("count children", &["2.92"], &["2.92"]),
        ("cross-partition by owner", &["12.91", "43.55"], &["12.91", "43.55"]),
        ("get entity assets", &["3.13"], &["3.13"]),
        ("create entity", &["7.62", "8", "7.81"], &["7.62", "8", "7.81"]),
        ("update entity", &["11.67"], &["6.71"]),
        ("soft delete", &["11.67"], &["6.71"]),
        ("create asset", &["6.48", "6.86"], &["6.48", "6.86"]),
        ("enqueue event", &["6.1"], &["6.1"]),
        ("process event", &["20.96"], &["16.01"]),
        ("read page of 20 notifications", &["3.49"], &["3.49"]),
        ("mark read", &["10.67", "11.43"], &["5.71", "6.48"]),
        ("update preferences", &["10.67"], &["5.71"]),
        ("register device", &["9.7"], &["9.7"]),
    ];
    for (claim, (what, azure, native)) in claims().iter().zip(expected) {
        let texts = |profile| -> Vec<String> {
            (claim.cost)(profile).iter().map(ToString::to_string).collect()
        };
        assert_eq!(claim.what, what);
        assert_eq!(texts(ChargeProfile::Azure), azure, "{what}");
        assert_eq!(texts(ChargeProfile::Native), native, "{what}");
    }
}
