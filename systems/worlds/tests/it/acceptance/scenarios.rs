//! The list of scenarios, each run in both ways.

use super::{build, delete, edit, transfer};
use crate::stage::{Embedded, OverGateway};

macro_rules! scenarios {
    ($($module:ident :: $name:ident,)*) => {
        mod embedded {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$module::$name::<super::Embedded>().await;
                }
            )*
        }
        mod over_gateway {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$module::$name::<super::OverGateway>().await;
                }
            )*
        }
    };
}

scenarios! {
    build::wb_a01_nested_entities_have_depths_paths_and_a_tree,
    build::wb_a02_reads_are_right_and_within_their_budgets,
    build::wb_a03_parents_types_names_and_tags_have_rules,
    build::wb_a04_a_schema_finds_all_mistakes_at_once_and_fills_in_defaults,
    edit::wb_a05_paths_follow_a_rename_also_after_a_crash,
    edit::wb_a06_a_move_takes_everything_along_and_makes_no_cycle,
    edit::wb_a07_the_second_of_two_editors_is_refused,
    edit::wb_a08_a_full_world_warns_and_then_refuses,
    delete::wb_a09_a_cascade_is_deleted_and_restored_as_a_whole,
    delete::wb_a10_the_trash_ends_by_itself,
    edit::wb_a13_a_worker_that_was_stopped_catches_up,
    transfer::wb_a15_an_archive_with_mistakes_creates_nothing,
    transfer::wb_a15_an_export_can_be_imported,
}
