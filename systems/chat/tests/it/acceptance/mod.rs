//! The acceptance scenarios of the requirements, CH-A1 to CH-A17, each embedded and over our gateway.

mod codes;
mod containers;
mod messages;
mod scenarios;
