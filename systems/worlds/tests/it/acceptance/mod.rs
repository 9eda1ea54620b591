//! The acceptance scenarios WB-A1 to WB-A10 and WB-A13 to WB-A15 over the HTTP interface, each on an account inside the
//! program and on one that is connected to a server of ours. Those of assets, WB-A11 and WB-A12, are missing.

mod build;
mod delete;
mod edit;
mod scenarios;
mod transfer;
