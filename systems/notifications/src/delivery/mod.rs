//! Sending pushes: the trait [`Delivery`] and the providers behind it.
//!
//! ```text
//! dispatcher ─► Delivery::push ─► Providers ─┬─► fcm      (access token ─► message ─► response)
//!                    ▲                       ├─► apns     (provider token ─► payload ─► response)
//!                    │                       ├─► webhook  (address ─► signature ─► status)
//!                DeliveryResult ◄────────────────┴─► mail     (message ─► reply)
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
mod webhook;

pub use providers::Providers;
pub use push::{Delivery, DeliveryResult, Push, VerificationResult};
pub use service::mail::{SmtpSecurity, SmtpSettings};
pub use service::settings::ProviderSettingsError;
pub use settings::{
    APNS_ENDPOINT, ApnsSettings, FCM_ENDPOINT, FCM_TOKEN_ENDPOINT, FcmSettings, ProviderSettings,
    WebhookSettings,
};
pub use webhook::WebhookSigner;
