//! The notifications pipeline of seed 003: events in, an in-app list and pushes out.
//!
//! Owns its words, its containers and its rules. Does not own HTTP plumbing, identity or work queues (`service`), nor any
//! storage (`client`).
#![allow(dead_code, unused_imports)]

mod containers;
pub mod delivery;
mod error;
mod settings;
mod text;
mod words;

pub use containers::Containers;
pub use error::{Error, ErrorKind, Problem, Result};
pub use settings::{Defaults, QuietMode, RateLimit, Settings};
pub use words::{
    Category, Device, DeviceId, Event, EventType, Moment, Notification, Payload, Platform, Preferences,
    PushRecord, PushState, PushToken, QuietHours, Reason, RevokedReason, Status, TargetType, Toggles, UserId,
};
