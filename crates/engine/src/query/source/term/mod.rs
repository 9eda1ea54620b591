//! Terms as queries read them.
//!
//! Owns the bytes of values and ranges (`value_bytes`), which terms a plan walks (`branch`), the walk itself (`walk`,
//! `absent`), the shapes that tell which items lack a path (`shapes`) and the question whether an item is among the
//! terms (`matching`). Does not own items.

mod absent;
mod branch;
mod matching;
mod shapes;
mod value_bytes;
mod walk;

pub(super) use branch::{Branch, branches, composite_paths, composite_terms, ordered_path_terms};
pub(super) use matching::{parse_paths, values_at};
pub(in crate::query) use shapes::Shape;
pub(crate) use shapes::ShapeCache;
pub(super) use value_bytes::{
    Decoded, cut_beginning, decode, is_held_whole, is_long_cut, successor, uncut,
};
pub(super) use walk::{TermIndex, TermWalk, Terms};
