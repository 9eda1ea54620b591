//! The checks that keep the tree readable: one file each, all of them ordinary tests of this package.

mod checks;
mod names;
mod structure;
mod text;

pub(crate) use checks::{check_all, offenses};
