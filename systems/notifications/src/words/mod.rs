//! The nouns of this system as types: what is stored, with its exact names.

mod device;
mod device_cap;
mod event;
mod event_type;
mod id;
mod notification;
mod preferences;
mod token_owner;
mod user;

pub use device::{Device, DeviceId, Platform, PushToken, RevokedReason};
pub(crate) use device_cap::DeviceCap;
pub use event::{Event, Payload, PushRecord, PushState, Reason, Status};
pub use event_type::{Category, EventType, TargetType};
pub(crate) use id::{drawn_id, event_id, notification_id};
pub use notification::Notification;
pub(crate) use preferences::zone;
pub use preferences::{Preferences, QuietHours, Toggles};
pub use service::moment::Moment;
pub(crate) use token_owner::TokenOwner;
pub use user::UserId;
