//! Getting a push out of the house: the words of it, and the providers behind one trait.
//!
//! ```text
//! dispatcher ─► Delivery::push ─► Providers ─┬─► fcm      (access token ─► message ─► answer)
//!                    ▲                       ├─► apns     (provider token ─► payload ─► answer)
//!                    │                       ├─► webhook  (address ─► signature ─► status)
//!                PushResult ◄────────────────┴─► mail     (letter ─► reply)
//! ```

mod apns;
pub mod fake;
mod fcm;
mod fit;
mod http;
mod mail;
mod message_id;
mod pem;
mod providers;
mod settings;
mod trust;
mod webhook;
mod words;

pub use providers::Providers;
pub use settings::{
    APNS_ENDPOINT, ApnsSettings, FCM_ENDPOINT, FCM_TOKEN_ENDPOINT, FcmSettings, ProviderSettings,
    SettingsError, SmtpSecurity, SmtpSettings, WebhookSettings,
};
pub use webhook::Signature;
pub use words::{Delivery, Push, PushResult};
