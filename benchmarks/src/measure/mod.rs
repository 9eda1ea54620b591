//! The measurements, one file each.

mod bulk_load;
mod change_feed;
mod client_read;
mod durable_create;
mod memory;
mod opening;
mod point_read;

pub(crate) use bulk_load::bulk_load;
pub(crate) use change_feed::change_feed;
pub(crate) use client_read::client_read;
pub(crate) use durable_create::durable_create;
pub(crate) use memory::memory;
pub(crate) use opening::opening;
pub(crate) use point_read::point_read;
