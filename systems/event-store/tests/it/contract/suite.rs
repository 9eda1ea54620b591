//! Every case of the suite on every provider.

/// Runs each case on each provider.
macro_rules! contract {
    ($($module:ident :: $case:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                crate::contract::$module::$case(&crate::world::World::memory().await).await;
            })*
        }

        mod account {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                crate::contract::$module::$case(&crate::world::World::account().await).await;
            })*
        }

        mod gateway {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                crate::contract::$module::$case(&crate::world::World::gateway().await).await;
            })*
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                if let Some(world) = crate::postgres::world(stringify!($case)).await {
                    crate::contract::$module::$case(&world).await;
                }
            })*
        }
    };
}

contract! {
    appends::events_are_read_in_the_order_of_their_appends,
    appends::a_page_ends_where_the_next_begins,
    appends::tags_have_versions_counts_and_rows,
    appends::an_append_with_several_events_is_whole,
    appends::a_repeat_under_one_key_gets_the_first_receipt,
    appends::an_id_that_exists_is_refused,
    conditions::an_expected_version_is_checked,
    conditions::dc_a9_one_of_fifty_writers_wins_and_all_get_their_turn,
    conditions::dc_a10_writers_of_two_tags_neither_deadlock_nor_lose_updates,
    conditions::a_query_condition_sees_only_matching_events,
    conditions::what_was_read_is_the_condition,
    conditions::a_command_depends_on_what_it_read,
    equal_names::dc_a15_reads_never_leave_the_tenant,
    equal_names::dc_a15_conditions_never_leave_the_tenant,
    equal_names::dc_a15_changes_never_leave_the_tenant,
    feeds::a_feed_returns_every_event_once,
    feeds::a_reader_can_start_at_the_end,
    feeds::a_group_goes_on_where_it_committed,
    feeds::a_receipt_is_committed_by_another_process,
    input::dc_a1_and_other_bad_input_has_its_own_error_and_stores_nothing,
    isolation::dc_a3_tenants_see_only_their_own,
    isolation::dc_a3_conditions_and_keys_are_of_one_tenant,
    isolation::tenants_are_listed_and_dropped_apart,
    isolation::dc_a2_a_program_without_tenants_is_the_default_one,
    states::dc_a14_versions_and_tenants_have_states_of_their_own,
    states::dc_a14_a_large_state_is_offloaded,
    states::a_save_can_be_tied_to_a_revision,
    waiting::dc_a16_a_query_waits_for_a_position_or_says_that_it_did_not_come,
    wirings::dc_a6_a_job_without_a_tenant_stores_nothing,
    wirings::requests_of_two_tenants_interleave_without_a_leak,
}
