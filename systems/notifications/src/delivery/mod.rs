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
mod fit_text;
mod http;
mod mail;
mod message_id;
mod pem;
mod providers;
mod push;
mod settings;
mod tls;
mod webhook;

pub use providers::Providers;
pub use push::{Delivery, Push, PushResult};
pub use settings::{
    APNS_ENDPOINT, ApnsSettings, FCM_ENDPOINT, FCM_TOKEN_ENDPOINT, FcmSettings, ProviderSettings,
    ProviderSettingsError, SmtpSecurity, SmtpSettings, WebhookSettings,
};
pub use webhook::WebhookSigner;
