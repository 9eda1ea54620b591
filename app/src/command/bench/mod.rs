//! `planisphere bench`: how fast this machine and this disk are, in a minute.

mod folder;
mod measure;
mod run;
mod workload;

pub(crate) use run::BenchCommand;
