//! The list of promises and how they are tried.

use std::future::Future;
use std::pin::Pin;

use super::check::AccountViolation;
use super::fixture::ContractFixture;
use super::{batches, feeds, items, processing, queries, resources, writers};
use crate::account::Account;

/// One promise.
#[derive(Clone, Copy)]
pub struct AccountCase {
    /// The promise as a sentence in snake case.
    pub name: &'static str,
    /// What an account must offer.
    pub needs: Requirement,
    check: fn(ContractFixture) -> AccountCaseFuture,
}

/// What an account must offer for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// What every account has.
    Nothing,
    /// The feed of all versions, which the service has only with continuous backup.
    AllVersions,
}

type AccountCaseFuture = Pin<Box<dyn Future<Output = Result<(), AccountViolation>> + Send>>;

impl AccountCase {
    /// Tries the promise.
    ///
    /// # Errors
    /// What was promised and what happened instead.
    pub async fn check(&self, fixture: &ContractFixture) -> Result<(), AccountViolation> {
        (self.check)(fixture.clone()).await.map_err(|violation| violation.in_case(self.name))
    }
}

/// Tries every promise an account with these abilities must keep, and gives those that are broken.
///
/// # Errors
/// [`AccountViolation`] when the fixture cannot be prepared.
pub async fn run(
    account: &Account,
    abilities: &[Requirement],
) -> Result<Vec<AccountViolation>, AccountViolation> {
    let fixture = ContractFixture::prepare(account).await?;
    let mut broken = Vec::new();
    for case in CASES {
        if case.needs == Requirement::Nothing || abilities.contains(&case.needs) {
            broken.extend(case.check(&fixture).await.err());
        }
    }
    Ok(broken)
}

/// Lists functions of a module as cases under their own names.
macro_rules! cases {
    ($($needs:ident $module:ident::$case:ident),* $(,)?) => {
        /// Every promise.
        pub const CASES: &[AccountCase] = &[$(AccountCase {
            name: stringify!($case),
            needs: Requirement::$needs,
            check: |fixture| Box::pin($module::$case(fixture)),
        }),*];
    };
}

cases! {
    Nothing resources::a_database_is_created_only_when_it_is_missing,
    Nothing resources::a_container_is_created_once_with_its_properties,
    Nothing resources::properties_of_a_container_are_replaced,
    Nothing resources::another_partition_key_is_refused,
    Nothing resources::what_is_missing_is_not_found,
    Nothing resources::databases_and_containers_are_listed,
    Nothing resources::throughput_is_read_and_replaced,
    Nothing items::an_item_is_created_and_read,
    Nothing items::answers_carry_charge_etag_session_token_and_activity_id,
    Nothing items::a_session_token_can_be_passed_on_as_text,
    Nothing items::a_taken_id_is_a_conflict,
    Nothing items::a_missing_item_is_not_found,
    Nothing items::a_stale_etag_changes_nothing,
    Nothing items::an_unchanged_item_is_not_sent_again,
    Nothing items::an_upsert_creates_and_then_replaces,
    Nothing items::a_patch_changes_parts_when_its_condition_holds,
    Nothing items::a_wrong_item_is_refused,
    Nothing items::an_item_of_another_shape_is_unexpected,
    Nothing items::several_items_are_read_at_once,
    Nothing items::a_logical_partition_is_deleted_as_a_whole,
    Nothing writers::what_a_type_does_not_know_survives_a_save,
    Nothing writers::modifications_at_the_same_time_are_all_kept,
    Nothing writers::a_modification_that_changes_nothing_writes_nothing,
    Nothing writers::a_refused_modification_ends_the_loop,
    Nothing batches::a_batch_does_everything,
    Nothing batches::a_batch_that_fails_does_nothing_and_names_the_operation,
    Nothing queries::parameters_and_partition_keys_select_rows,
    Nothing queries::a_value_cannot_change_the_query,
    Nothing queries::pages_continue_without_gap_or_repeat,
    Nothing queries::a_prefix_selects_the_partitions_below_it,
    Nothing queries::a_fan_out_finds_everything_and_is_counted,
    Nothing queries::feed_ranges_divide_a_query,
    Nothing queries::a_wrong_query_is_refused,
    Nothing feeds::the_feed_tells_the_newest_version_of_what_changed,
    Nothing feeds::a_feed_that_starts_now_tells_what_comes,
    Nothing feeds::feed_ranges_cover_the_container,
    AllVersions feeds::the_feed_of_all_versions_tells_versions_and_deletions,
    AllVersions feeds::a_wrong_start_is_refused,
    Nothing processing::a_processor_goes_on_where_it_was,
    Nothing processing::a_lease_has_one_owner,
    Nothing processing::what_cannot_be_handled_is_parked,
}
