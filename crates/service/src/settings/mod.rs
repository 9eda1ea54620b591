//! Settings: files, overridden by the environment, overridden by flags; typed, validated, shown.
//!
//! Owns the sources, the matching of names, and error reports: all errors at once, each with name, value, source and
//! what is allowed. Does not own any setting of a system: that is a serde type with defaults.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use planisphere_service::settings::{SettingsValidator, Secret, SettingsSection, SettingsBuilder};
//!
//! #[derive(Default, Serialize, Deserialize)]
//! #[serde(default, rename_all = "PascalCase")]
//! struct Everything {
//!     notifications: Notifications,
//!     fcm: Fcm,
//! }
//!
//! #[derive(Serialize, Deserialize)]
//! #[serde(default, rename_all = "PascalCase")]
//! struct Notifications {
//!     batch_size: u32,
//! }
//!
//! impl Default for Notifications {
//!     fn default() -> Self {
//!         Self { batch_size: 100 }
//!     }
//! }
//!
//! #[derive(Default, Serialize, Deserialize)]
//! #[serde(default, rename_all = "PascalCase")]
//! struct Fcm {
//!     private_key: Secret,
//! }
//!
//! impl SettingsSection for Everything {
//!     fn validate(&self, validator: &mut SettingsValidator) {
//!         validator.require_range("Notifications:BatchSize", self.notifications.batch_size, 1..=1000);
//!     }
//! }
//!
//! let environment = [("NOTIFICATIONS__BATCHSIZE".to_owned(), "50".to_owned())];
//! let flags = ["Fcm:PrivateKey=hush".to_owned()];
//! let sources = SettingsBuilder::new().environment(environment).flags(&flags);
//! let loaded = sources.load::<Everything>().unwrap();
//! assert_eq!(loaded.value.notifications.batch_size, 50);
//! assert!(!loaded.show().contains("hush"));
//! ```
//!
//! Every level of the type must have `#[serde(default)]` and serialize all properties: the known names are found by
//! serializing the default.

mod builder;
mod error;
mod fit;
mod load;
mod name;
mod provider_error;
mod secret;
mod validator;

pub use builder::{SettingSource, SettingsBuilder};
pub use error::{SettingError, SettingErrors};
pub use load::LoadedSettings;
pub use provider_error::ProviderSettingsError;
pub use secret::Secret;
pub use validator::{SettingsSection, SettingsValidator};
