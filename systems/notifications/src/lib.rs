//! The notifications pipeline of seed 003: events in, an in-app list and pushes out.
//!
//! Owns its words, its containers and its rules. Does not own HTTP plumbing, identity or work queues (`service`), nor
//! any storage (`client`).
//!
//! ```text
//! action/enqueue ─► notification_events ─► reaction (change feed) ─► notifications ─► question/list, stream
//!                                              └──► delivery (push)
//! ```

mod action;
mod charged;
mod containers;
pub mod delivery;
mod error;
mod http;
mod notifications;
mod page;
mod question;
mod reaction;
mod settings;
mod stream;
mod text;
mod words;

pub use action::{NewEvent, PreferencesChange, Registered, Registration};
pub use charged::Charged;
pub use containers::Containers;
pub use error::{Error, ErrorKind, Problem, Result};
pub use http::{ADMIN_ROLE, SERVICE_ROLE};
pub use notifications::Notifications;
pub use page::PAGES;
pub use question::{EventPage, ListOptions, NotificationPage, Stats};
pub use reaction::{Cleaned, Dispatcher, Done, Health, Round, Step, StepWatch, Swept};
pub use settings::{Defaults, Indexing, QuietMode, RateLimit, Settings};
pub use words::{
    Category, Device, DeviceId, Event, EventType, Moment, Notification, Payload, Platform,
    Preferences, PushRecord, PushState, PushToken, QuietHours, Reason, RevokedReason, Status,
    TargetType, Toggles, UserId,
};
