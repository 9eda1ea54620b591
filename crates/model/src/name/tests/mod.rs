//! The longer tests of names, one file per file tested.

mod resource_id;
