//! The list of scenarios, from which `both_ways!` makes tests for each kind of account.

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
    containers::ch_a1_an_empty_account_gets_the_containers_rooms_and_users_once,
    containers::ch_a2_without_auto_create_a_missing_container_is_named,
    containers::ch_a2_without_auto_create_another_partition_key_is_named,
    containers::ch_a13_messages_expire_and_a_receipt_prolongs_their_life,
    containers::ch_a13_retention_from_creation_is_not_prolonged,
    codes::ch_a3_a_code_signs_in_once_and_is_stored_as_a_hash,
    codes::ch_a4_five_wrong_codes_lock_until_the_window_ends,
    codes::ch_a5_an_unknown_user_gets_the_same_answer_and_no_key,
    messages::ch_a9_the_length_of_a_message_is_checked,
    messages::ch_a10_a_repeated_id_overwrites_nothing,
    messages::ch_a11_twenty_readers_at_once_are_all_kept,
    messages::ch_a12_the_hundred_and_first_receipt_is_refused,
    messages::ch_a16_throttled_creates_are_retried_and_stored_once,
    messages::ch_a16_endless_throttling_is_an_error_without_a_duplicate,
    messages::ch_a17_a_resend_is_one_message,
}
