//! DC-A15 on PostgreSQL: the suite notices when a statement forgets its tenant.

use std::collections::BTreeSet;

use super::proxy::PREDICATE;
use crate::mutants::{CASES, is_noticed};

const TEST: &str = "dc_a15_a_statement_without_its_tenant_is_noticed";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a15_a_statement_without_its_tenant_is_noticed() {
    let mut statements = BTreeSet::new();
    for case in CASES {
        let Some((world, proxy)) = super::world_behind_proxy(TEST).await else { return };
        assert!(!is_noticed(case, world).await, "the suite passes without a change");
        statements.extend(proxy.statements());
    }
    let source = include_str!("../../../src/postgres/sql.rs");
    let constants = source.split("pub(super) const ").skip(1);
    let written: usize = constants
        .map(|part| match part.starts_with("DROP_TENANT") {
            true => part.matches(PREDICATE).count(),
            false => usize::from(part.contains(PREDICATE)),
        })
        .sum();
    assert_eq!(statements.len(), written, "the cases send every statement: {statements:#?}");
    for statement in statements {
        let mut is_found = false;
        for case in CASES {
            let Some((world, proxy)) = super::world_behind_proxy(TEST).await else { return };
            proxy.mutate(&statement);
            is_found |= is_noticed(case, world).await;
            if is_found {
                break;
            }
        }
        assert!(is_found, "nothing fails without the tenant in {statement}");
    }
}
