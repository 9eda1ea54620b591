//! `planisphere report`: what requests cost, what was hot, what would help, what it would cost.

#[cfg(feature = "connect")]
mod fetch;
mod print;
mod run;
mod table;

pub(crate) use run::ReportCommand;
