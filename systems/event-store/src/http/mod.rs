//! Routes of the service: events, tags, projections, the sample domain, operators.

mod admin;
mod events;
mod groups;
mod problem;
mod projections;
mod router;
mod school;
mod stream;
mod tags;

pub use router::EVENT_STORE_ADMIN_ROLE;
