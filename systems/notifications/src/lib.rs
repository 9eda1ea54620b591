//! The notifications pipeline of seed 003: events in, an in-app list and pushes out.
//!
//! Owns its stored types, its containers and its rules. Does not own HTTP plumbing, identity or work queues
//! (`service`), nor any storage (`client`).
//!
//! ```text
//! action/enqueue ─► notification_events ─► reaction (change feed) ─► notifications ─► question/list, stream
//!                                              └──► delivery (push)
//! ```

mod action;
mod body_field;
mod containers;
pub mod delivery;
mod domain;
mod error;
mod http;
mod monitor;
mod notifications;
mod page;
mod question;
mod queue;
mod reaction;
mod settings;
mod stream;
mod text;

pub use action::{DeviceRegistration, NewEvent, PreferencesChange, RegisteredDevice};
pub use containers::Containers;
pub use domain::{
    Category, Device, DeviceId, EventPayload, EventStatus, EventType, NoPushReason, Notification,
    NotificationEvent, PendingVerification, Platform, Preferences, PushRecord, PushState,
    PushToken, QuietHours, RevokedReason, TargetType, Toggles, UserId, UtcTimestamp,
    VerificationCode,
};
pub use error::{Error, ErrorKind, InvalidField, Result};
pub use http::{ADMIN_ROLE, SERVICE_ROLE};
pub use monitor::{DispatchObserver, DispatchStep};
pub use notifications::Notifications;
pub use page::PAGES;
pub use question::{EventPage, ListOptions, NotificationPage, QueueStats};
pub use reaction::{DeviceCleanup, DispatchRound, Dispatcher, SweepReport};
pub use service::charge::ChargedValue;
pub use settings::{Indexing, NotificationSettings, PreferenceDefaults, PushRateLimit, QuietMode};
