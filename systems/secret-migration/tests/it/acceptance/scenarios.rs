//! The list of scenarios, from which `both_ways!` makes tests for one kind of account.

macro_rules! both_ways {
    ($($module:ident :: $name:ident,)*) => {
        mod embedded {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::acceptance::$module::$name::<crate::world::Embedded>().await;
                }
            )*
        }
        mod over_gateway {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    crate::acceptance::$module::$name::<crate::world::OverGateway>().await;
                }
            )*
        }
    };
}

both_ways! {
    planning::sm_a1_an_empty_account_gets_the_containers,
    planning::sm_a3_the_pending_list_touches_one_partition,
    migrating::sm_a4_a_workload_is_migrated_with_every_step_in_the_audit,
    migrating::sm_a6_a_rollback_is_one_write_and_needs_the_source,
    migrating::sm_a7_a_missing_mapping_leaves_the_workload_pending,
    migrating::sm_a8_failed_writes_are_retried_without_a_second_version,
    migrating::sm_a8_after_five_attempts_a_workload_is_held,
    migrating::sm_a10_of_two_operators_one_wins,
    migrating::sm_a11_a_status_is_not_set_by_hand,
    planning::sm_a12_a_wave_stops_at_its_error_ratio,
    planning::sm_a13_temporary_namespaces_expire_and_stale_mappings_stop_the_workers,
    migrating::sm_a15_drift_is_flagged_and_synchronised,
    migrating::an_unhealthy_workload_is_rolled_back_by_itself,
    migrating::a_busy_platform_is_asked_again_later,
    planning::a_protected_cluster_needs_two_people,
    planning::a_protected_cluster_has_no_way_around_the_approval,
    planning::a_wave_a_namespace_and_a_cluster_are_rolled_back_at_once,
}
