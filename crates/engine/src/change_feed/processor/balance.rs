//! Who takes which lease: a pure function of the leases as one instance sees them.
//!
//! Owns the share (as many leases as there are, divided by the instances, rounded up), the order (what is free first,
//! then at most one from the most loaded) and the proof by test that repeating it settles. Does not own taking.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{EpkRange, TimestampMs};

use super::lease::{Instance, Lease};

/// What one instance should do now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Free leases and leases that still name this instance from an earlier life.
    pub(crate) take: Vec<EpkRange>,
    /// One lease of the most loaded instance.
    pub(crate) steal: Option<EpkRange>,
}

/// What `instance`, which now works on `held`, should do. Instances without a lease are invisible to each other; each
/// counts itself, which is enough to settle.
pub(crate) fn balance(
    instance: &Instance,
    held: &[EpkRange],
    leases: &[Lease],
    now: TimestampMs,
    expiry: Duration,
) -> Plan {
    let mut loads: BTreeMap<&Instance, usize> = BTreeMap::from([(instance, 0)]);
    let mut free = Vec::new();
    let mut plan = Plan::default();
    for lease in leases {
        match &lease.owner {
            Some(owner) if owner == instance || !lease.is_expired(now, expiry) => {
                *loads.entry(owner).or_default() += 1;
                if owner == instance && !held.contains(&lease.range) {
                    plan.take.push(lease.range.clone());
                }
            }
            _ => free.push(lease.range.clone()),
        }
    }
    let share = leases.len().div_ceil(loads.len());
    let mine = loads.get(instance).copied().unwrap_or_default();
    let wanted = share.saturating_sub(mine);
    if !free.is_empty() {
        plan.take.extend(free.into_iter().take(wanted));
    } else if wanted > 0 {
        plan.steal = steal(&loads, mine, leases);
    }
    plan
}

/// The last lease of the most loaded instance, if that leaves both nearer to each other.
fn steal(loads: &BTreeMap<&Instance, usize>, mine: usize, leases: &[Lease]) -> Option<EpkRange> {
    let (most_loaded, load) = loads.iter().max_by_key(|(_, load)| **load)?;
    if *load <= mine + 1 {
        return None;
    }
    let theirs = leases.iter().rfind(|lease| lease.owner.as_ref() == Some(*most_loaded))?;
    Some(theirs.range.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::{Lsn, PartitionKeyDefinition};
    use proptest::prelude::*;

    use super::super::lease::LeasePosition;
    use super::*;

    const EXPIRY: Duration = Duration::from_secs(60);
    const NOW: TimestampMs = TimestampMs(1_000_000);

    fn name(number: usize) -> Instance {
        Instance::new(format!("instance-{number}"))
    }

    /// Leases whose owner is the given number; those renewed too long ago are marked so.
    fn leases(owners: &[(Option<usize>, bool)]) -> Vec<Lease> {
        let definition = PartitionKeyDefinition::single("/pk").unwrap();
        EpkRange::equal_parts(owners.len(), &definition)
            .into_iter()
            .zip(owners)
            .map(|(range, (owner, expired))| Lease {
                range,
                owner: owner.map(name),
                position: LeasePosition::After(Lsn::ZERO),
                renewed: if *expired { TimestampMs(NOW.0 - 60_000) } else { NOW },
                parked: 0,
                etag: None,
            })
            .collect()
    }

    fn held(leases: &[Lease], instance: &Instance) -> Vec<EpkRange> {
        let mine = leases.iter().filter(|lease| lease.owner.as_ref() == Some(instance));
        mine.map(|lease| lease.range.clone()).collect()
    }

    fn plan(leases: &[Lease], instance: &Instance) -> Plan {
        balance(instance, &held(leases, instance), leases, NOW, EXPIRY)
    }

    fn ranges(plan: &Plan) -> Vec<EpkRange> {
        plan.take.iter().chain(&plan.steal).cloned().collect()
    }

    fn give(leases: &mut [Lease], range: &EpkRange, instance: &Instance) {
        let lease = leases.iter_mut().find(|lease| lease.range == *range).unwrap();
        lease.owner = Some(instance.clone());
        lease.renewed = NOW;
    }

    /// All instances look at the same leases; of those who want one lease the first gets it.
    fn round(leases: &mut [Lease], instances: usize) -> usize {
        let seen = leases.to_vec();
        let mut taken = BTreeSet::new();
        for instance in (0..instances).map(name) {
            for range in ranges(&plan(&seen, &instance)) {
                if taken.insert(range.clone()) {
                    give(leases, &range, &instance);
                }
            }
        }
        taken.len()
    }

    #[test]
    fn a_lone_instance_takes_everything() {
        let leases = leases(&[(None, false), (None, false), (Some(9), true)]);
        assert_eq!(plan(&leases, &name(0)).take.len(), 3);
    }

    #[test]
    fn what_is_free_comes_before_what_is_stolen() {
        let leases = leases(&[(Some(1), false), (Some(1), false), (Some(1), false), (None, false)]);
        let plan = plan(&leases, &name(0));
        assert_eq!(plan.take, [leases[3].range.clone()]);
        assert_eq!(plan.steal, None);
    }

    #[test]
    fn one_lease_is_stolen_from_the_most_loaded() {
        let owners = [Some(1), Some(2), Some(2), Some(2)].map(|owner| (owner, false));
        let leases = leases(&owners);
        assert_eq!(plan(&leases, &name(0)).steal, Some(leases[3].range.clone()));
    }

    #[test]
    fn more_instances_than_leases_leave_each_other_alone() {
        let leases = leases(&[(Some(1), false), (Some(2), false)]);
        assert_eq!(plan(&leases, &name(0)), Plan::default());
    }

    #[test]
    fn a_restarted_instance_takes_up_what_still_names_it() {
        let leases = leases(&[(Some(0), false), (Some(1), false)]);
        let plan = balance(&name(0), &[], &leases, NOW, EXPIRY);
        assert_eq!(plan.take, [leases[0].range.clone()]);
    }

    fn owners() -> impl Strategy<Value = Vec<(Option<usize>, bool)>> {
        prop::collection::vec((prop::option::of(0usize..9), any::<bool>()), 1..30)
    }

    proptest! {
        #[test]
        fn no_instance_goes_beyond_its_share(owners in owners(), number in 0usize..9) {
            let leases = leases(&owners);
            let instance = name(number);
            let plan = plan(&leases, &instance);
            let mine = held(&leases, &instance).len();
            let live: BTreeSet<_> = leases
                .iter()
                .filter(|lease| !lease.is_expired(NOW, EXPIRY))
                .filter_map(|lease| lease.owner.clone())
                .chain([instance])
                .collect();
            let share = leases.len().div_ceil(live.len());
            prop_assert!(mine + ranges(&plan).len() <= share.max(mine));
            prop_assert!(plan.steal.is_none() || plan.take.is_empty());
        }

        #[test]
        fn rounds_settle_with_even_loads_and_one_owner_each(
            owners in owners(),
            instances in 1usize..9,
        ) {
            // Owners beyond the running instances have crashed: their leases are expired.
            let owners: Vec<_> = owners
                .into_iter()
                .map(|(owner, expired)| (owner, expired || owner >= Some(instances)))
                .collect();
            let mut leases = leases(&owners);
            let rounds = (0..200).take_while(|_| round(&mut leases, instances) > 0).count();
            prop_assert!(rounds < 200);
            let loads: Vec<usize> =
                (0..instances).map(|number| held(&leases, &name(number)).len()).collect();
            prop_assert_eq!(loads.iter().sum::<usize>(), leases.len());
            let (least, most) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
            prop_assert!(most - least <= 1, "{:?}", loads);
        }
    }
}
