//! The domain types: what is stored, under its exact property names, and the rules that need nothing else.

mod device;
mod device_cap;
mod event;
mod event_type;
mod id;
mod notification;
mod notification_body;
mod preferences;
mod quiet_hours;
mod token_owner;
mod user;
mod verification;

pub use device::{Device, DeviceId, Platform, PushToken, RevokedReason};
pub(crate) use device_cap::DeviceCap;
pub use event::{
    EventPayload, EventStatus, NoPushReason, NotificationEvent, PushRecord, PushState,
};
pub use event_type::{Category, EventType, TargetType};
pub(crate) use id::{event_id, notification_id, random_id};
pub use notification::Notification;
pub(crate) use notification_body::NotificationBody;
pub use preferences::{Preferences, Toggles};
pub use quiet_hours::QuietHours;
pub(crate) use quiet_hours::find_time_zone;
pub use service::timestamp::UtcTimestamp;
pub(crate) use token_owner::TokenOwner;
pub use user::UserId;
pub(crate) use verification::CodeCheck;
pub use verification::{PendingVerification, VerificationCode};
