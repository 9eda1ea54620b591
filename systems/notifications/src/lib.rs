//! The notifications pipeline of seed 003: events in, an in-app list and pushes out.
//!
//! Owns its words, its containers and its rules. Does not own HTTP plumbing, identity or work queues (`service`), nor any
//! storage (`client`).

pub mod delivery;
mod words;

pub use words::{
    Category, Device, DeviceId, EventType, Moment, Platform, PushToken, RevokedReason, TargetType,
    UserId,
};
