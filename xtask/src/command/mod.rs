//! The commands, one file each; `help` is the list of them.

mod attack;
mod bench;
mod conformance;
mod examples;
mod features;
mod fuzz;
mod help;
mod msrv;
mod packages;
mod pages;
mod signalr_clients;
mod test;
mod tidy;
mod vault_clients;

pub(crate) use attack::attack;
pub(crate) use bench::bench;
pub(crate) use conformance::conformance;
pub(crate) use examples::examples;
pub(crate) use features::features;
pub(crate) use fuzz::fuzz;
pub(crate) use help::{help, refuse};
pub(crate) use msrv::msrv;
pub(crate) use packages::packages;
pub(crate) use pages::pages;
pub(crate) use test::test;
pub(crate) use tidy::tidy;
