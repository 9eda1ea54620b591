//! The list of scenarios, from which `both_ways!` makes tests for one interface.

/// A test for each scenario, through this interface.
macro_rules! both_ways {
    ($way:ty) => {
        $crate::acceptance::scenarios::tests! { $way:
            lists::nt_a01_a_fresh_store_has_the_containers_as_stated,
            lists::nt_a02_a_like_is_listed_read_and_put_away,
            running::nt_a02_a_running_system_brings_it_by_itself,
            quiet::nt_a03_quiet_hours_keep_pushes_back_by_the_hour_where_the_user_is,
            lists::nt_a04_what_is_switched_off_leads_to_nothing_but_warnings_come,
            lists::nt_a05_wrong_preferences_are_refused_by_name,
            lists::nt_a06_events_of_one_dedupe_key_are_one_notification_for_a_while,
            delivery::nt_a07_the_fourth_push_in_an_hour_stays_in_the_list,
            devices::nt_a08_a_fourth_device_takes_the_place_of_the_oldest,
            devices::nt_a08_phones_at_the_same_time_are_never_more_than_three,
            delivery::nt_a09_a_provider_that_fails_twice_is_tried_again,
            delivery::nt_a09_an_unregistered_token_revokes_its_device,
            delivery::nt_a09_after_five_failures_an_event_is_dead_until_an_operator_retries,
            delivery::nt_a10_apns_is_http2_with_410_and_goaway,
            killed::nt_a11_a_process_killed_at_any_step_loses_and_doubles_nothing,
            lists::nt_a12_reading_does_not_prolong_a_life,
            delivery::nt_a13_two_workers_process_each_event_once_and_in_order,
            erasure::nt_a14_a_user_is_erased_everywhere_and_nobody_else_is,
            devices::nt_a15_what_is_another_users_is_not_found,
            damaged::what_was_damaged_by_hand_stops_nobody,
            delivery::nt_a16_foreign_text_is_made_safe_and_short,
        }
    };
}

macro_rules! tests {
    ($way:ty: $($module:ident :: $name:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$module::$name::<$way>().await;
            }
        )*
    };
}

pub(crate) use {both_ways, tests};
