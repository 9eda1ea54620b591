//! The commands, one file each; `help` is the list of them.

mod bench;
mod conformance;
mod help;
mod pages;
mod test;
mod tidy;

pub(crate) use bench::bench;
pub(crate) use conformance::conformance;
pub(crate) use help::{help, refuse};
pub(crate) use pages::pages;
pub(crate) use test::test;
pub(crate) use tidy::tidy;
