//! DC-A15: the suite notices when a query forgets its tenant.
//!
//! Each query of the account provider is changed on its way to the account: the tenant is taken out of its text, or
//! the partition key out of its scope. A case of the suite must fail for each of them.

use std::collections::BTreeSet;
use std::time::Duration;

use client::QueryMutation;
use futures::future::BoxFuture;

use crate::contract::{conditions, equal_names, isolation, states};
use crate::world::World;

/// A change that makes the suite wait for ever is noticed, too.
const LIMIT: Duration = Duration::from_secs(120);
const PREDICATE: &str = "c.serviceId = @service";

pub(crate) type Case = fn(World) -> BoxFuture<'static, u64>;

/// Runs a case; returns how many items of other tenants it read.
macro_rules! case {
    ($path:path) => {
        |world: World| {
            Box::pin(async move {
                $path(&world).await;
                world.storage.admin.foreign_items()
            })
        }
    };
}

/// The cases that are about tenants; together they send every statement.
pub(crate) const CASES: [Case; 6] = [
    case!(equal_names::dc_a15_reads_never_leave_the_tenant),
    case!(equal_names::dc_a15_conditions_never_leave_the_tenant),
    case!(equal_names::dc_a15_changes_never_leave_the_tenant),
    case!(isolation::dc_a3_tenants_see_only_their_own),
    case!(states::dc_a14_versions_and_tenants_have_states_of_their_own),
    case!(conditions::an_expected_version_is_checked),
];

/// Whether a case fails on a world.
pub(crate) async fn is_noticed(case: Case, world: World) -> bool {
    match tokio::time::timeout(LIMIT, tokio::spawn(case(world))).await {
        Ok(Ok(foreign_items)) => foreign_items > 0,
        Ok(Err(_)) | Err(_) => true,
    }
}

async fn queries() -> BTreeSet<&'static str> {
    let mut texts = BTreeSet::new();
    for case in CASES {
        let world = World::account().await;
        let faults = world.faults.clone();
        assert!(!is_noticed(case, world).await, "the suite passes without a change");
        texts.extend(faults.queries());
    }
    texts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a15_a_query_without_its_tenant_is_noticed() {
    let texts = queries().await;
    let source = include_str!("../../src/account/queries.rs");
    let written = source.matches("tenant_text!(").count();
    let scoped = texts.iter().filter(|text| text.contains(PREDICATE)).count();
    assert_eq!(scoped, written, "the cases send every query: {texts:#?}");
    for text in texts {
        let mutation = if text.contains(PREDICATE) {
            let other = text.replace(PREDICATE, "@service = @service");
            QueryMutation::Text(Box::leak(other.into_boxed_str()))
        } else if text == "SELECT c.serviceId FROM c" {
            // The list of tenants is for operators and has none.
            continue;
        } else {
            QueryMutation::WholeContainer
        };
        let mut is_found = false;
        for case in CASES {
            let world = World::account().await;
            world.faults.mutate_query(text, mutation);
            is_found |= is_noticed(case, world).await;
            if is_found {
                break;
            }
        }
        assert!(is_found, "nothing fails after {mutation:?} of {text}");
    }
}
