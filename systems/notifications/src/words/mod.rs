//! The nouns of this system as types: what is stored, with its exact names.

mod device;
mod event_type;
mod moment;
mod user;

pub use device::{Device, DeviceId, Platform, PushToken, RevokedReason};
pub use event_type::{Category, EventType, TargetType};
pub use moment::Moment;
pub use user::UserId;
