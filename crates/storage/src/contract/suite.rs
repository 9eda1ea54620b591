//! The list of cases, and how they run.
//!
//! Owns the cases by name and the run over all of them. Does not own the cases themselves: each subject has its file.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::check::ContractViolation;
use super::{commits, guards, lifecycle, points, scans, stamps};
use crate::{Space, Store};

/// The spaces that a store must be opened with to run the cases.
pub const SPACES: &[Space] = &[ITEMS, TERMS, LOG];

pub(super) const ITEMS: Space =
    Space { number: 1, name: "contract_items", prefix_bytes: 17, buffered: false };
pub(super) const TERMS: Space =
    Space { number: 2, name: "contract_terms", prefix_bytes: 17, buffered: true };
pub(super) const LOG: Space =
    Space { number: 3, name: "contract_log", prefix_bytes: 17, buffered: false };

/// One guarantee and its test.
#[derive(Clone, Copy)]
pub struct ContractCase {
    /// The guarantee as a sentence in snake case.
    pub name: &'static str,
    check: fn(Arc<dyn Store>) -> CaseFuture,
}

type CaseFuture = Pin<Box<dyn Future<Output = Result<(), ContractViolation>> + Send>>;

impl ContractCase {
    /// Tests the guarantee on an empty store.
    ///
    /// # Errors
    /// The guarantee that is broken, with what happened instead.
    pub async fn check(&self, store: Arc<dyn Store>) -> Result<(), ContractViolation> {
        (self.check)(store).await
    }
}

/// Lists functions as cases under their own names.
macro_rules! cases {
    ($($module:ident::$case:ident),* $(,)?) => {
        /// Every case.
        pub const CASES: &[ContractCase] = &[
            $(ContractCase {
                name: stringify!($case),
                check: |store| Box::pin($module::$case(store)),
            }),*
        ];
    };
}

cases! {
    points::get_returns_what_was_put_and_nothing_else,
    points::get_many_returns_values_in_the_order_of_the_keys,
    points::empty_keys_and_empty_values_are_allowed,
    points::long_keys_and_large_values_are_stored_completely,
    points::shards_and_spaces_do_not_see_each_other,
    scans::every_kind_of_bound_selects_the_right_keys,
    scans::empty_and_reversed_ranges_find_nothing,
    scans::a_limit_in_entries_ends_the_page_and_sets_more,
    scans::a_limit_in_bytes_ends_the_page_but_never_before_one_entry,
    scans::pages_continued_after_the_last_key_cover_the_range_once,
    scans::a_prefix_range_covers_its_prefix_even_when_it_ends_in_ff,
    scans::a_scan_stays_inside_its_shard_and_space,
    scans::removed_keys_do_not_appear,
    commits::a_commit_to_several_spaces_is_atomic,
    commits::the_last_write_to_a_key_wins_within_a_set,
    commits::the_last_write_to_a_key_wins_across_the_sets_of_a_group,
    commits::removing_an_absent_key_is_not_an_error,
    commits::an_empty_group_changes_nothing,
    commits::a_snapshot_does_not_change,
    commits::concurrent_commits_all_succeed_with_distinct_stamps,
    guards::absent_is_true_only_without_a_value,
    guards::present_is_true_only_with_a_value,
    guards::unchanged_is_true_only_for_the_same_value,
    guards::guards_are_checked_against_the_state_before_the_group,
    guards::one_failed_guard_refuses_the_whole_group_and_names_its_key,
    guards::guards_serialise_concurrent_increments,
    stamps::stamps_are_placed_big_endian_in_keys_and_values,
    stamps::the_sets_of_a_group_have_increasing_stamps,
    stamps::a_stamp_is_greater_than_stamp_above,
    stamps::each_shard_counts_its_own_stamps,
    stamps::a_refused_group_leaves_the_last_stamp_alone,
    stamps::a_stamp_offset_outside_its_bytes_is_refused,
    stamps::a_stamp_above_the_greatest_number_is_refused,
    lifecycle::wait_returns_at_once_when_the_shard_is_already_newer,
    lifecycle::wait_returns_after_a_commit,
    lifecycle::statistics_return_the_last_stamp,
    lifecycle::sync_succeeds_on_an_open_store,
    lifecycle::a_closed_store_refuses_every_call,
    lifecycle::closing_ends_a_wait,
}

/// Runs every case, each on a newly opened store.
///
/// # Panics
/// If a guarantee is broken; the text names every broken one.
pub async fn run<S: Store + 'static>(open: impl AsyncFn() -> Arc<S>) {
    let mut broken = Vec::new();
    for case in CASES {
        if let Err(violation) = case.check(open().await).await {
            broken.push(format!("{}: {violation}", case.name));
        }
    }
    assert!(broken.is_empty(), "the store breaks the contract:\n{}", broken.join("\n"));
}
