//! The notifications system through its public API, on an embedded account with a travelling clock.

mod acceptance;
mod crashes;
mod devices;
mod erasure;
mod faults;
mod golden;
mod world;
