//! The random steps of a model test. Few keys, so that steps affect the same items.

use proptest::prelude::*;

/// The precondition of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    None,
    Current,
    Stale,
}

/// The content of an item.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) number: i64,
    pub(super) unique: Option<i64>,
    pub(super) ttl: Option<i64>,
    /// Sometimes adds properties, so that shapes differ.
    pub(super) extra: bool,
}

/// A change of one item.
#[derive(Clone, Debug)]
pub(super) enum Write {
    Create(Content),
    Upsert(Content, Bound),
    Replace(Content, Bound),
    Increment(Bound),
    SetUnique(i64),
    RemoveUnique,
    Delete(Bound),
    Read,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Write(usize, usize, Write),
    Batch(usize, Vec<(usize, Write)>),
    DeletePartition(usize),
    List(usize),
    ReadMany,
    Poll,
    Travel(u64),
    Maintain,
    Split(usize),
    Merge(usize),
    Reopen,
    DefaultTimeToLive(i64),
    ExcludeFromIndex(bool),
}

pub(super) const PARTITION_KEYS: usize = 3;
pub(super) const IDS: usize = 4;

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![4 => Just(Bound::None), 2 => Just(Bound::Current), 1 => Just(Bound::Stale)]
}

fn content() -> impl Strategy<Value = Content> {
    let ttl = prop_oneof![3 => Just(None), 1 => Just(Some(-1)), 2 => (1_i64..12).prop_map(Some)];
    (0_i64..100, proptest::option::weighted(0.8, 0_i64..5), ttl, any::<bool>())
        .prop_map(|(number, unique, ttl, extra)| Content { number, unique, ttl, extra })
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        4 => content().prop_map(Write::Create),
        4 => (content(), bound()).prop_map(|(content, bound)| Write::Upsert(content, bound)),
        2 => (content(), bound()).prop_map(|(content, bound)| Write::Replace(content, bound)),
        2 => bound().prop_map(Write::Increment),
        1 => (0_i64..5).prop_map(Write::SetUnique),
        1 => Just(Write::RemoveUnique),
        2 => bound().prop_map(Write::Delete),
        1 => Just(Write::Read),
    ]
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let partition_key = || 0..PARTITION_KEYS;
    let id = || 0..IDS;
    let batch = proptest::collection::vec((id(), write()), 1..6);
    prop_oneof![
        60 => (partition_key(), id(), write())
            .prop_map(|(pk, id, write)| Step::Write(pk, id, write)),
        12 => (partition_key(), batch).prop_map(|(pk, writes)| Step::Batch(pk, writes)),
        2 => partition_key().prop_map(Step::DeletePartition),
        4 => (1_usize..6).prop_map(Step::List),
        2 => Just(Step::ReadMany),
        5 => Just(Step::Poll),
        12 => (0_u64..5).prop_map(Step::Travel),
        4 => Just(Step::Maintain),
        1 => (0_usize..4).prop_map(Step::Split),
        1 => (0_usize..4).prop_map(Step::Merge),
        1 => Just(Step::Reopen),
        2 => prop_oneof![Just(0_i64), Just(-1), 1_i64..20].prop_map(Step::DefaultTimeToLive),
        1 => any::<bool>().prop_map(Step::ExcludeFromIndex),
    ]
}
