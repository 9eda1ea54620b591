//! Settings: a file, overridden by the environment, overridden by flags; typed, checked, shown.
//!
//! Owns where values come from, how names are matched and how mistakes are told: all of them at once, each with its
//! name, value, source and what is allowed. Does not own any setting of a system: that is a serde type with defaults.
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use planisphere_service::settings::{Check, Secret, Settings, Sources};
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
//! impl Settings for Everything {
//!     fn check(&self, check: &mut Check) {
//!         check.within("Notifications:BatchSize", self.notifications.batch_size, 1..=1000);
//!     }
//! }
//!
//! let environment = [("NOTIFICATIONS__BATCHSIZE".to_owned(), "50".to_owned())];
//! let flags = ["Fcm:PrivateKey=hush".to_owned()];
//! let sources = Sources::new().environment(environment).flags(&flags);
//! let loaded = sources.load::<Everything>().unwrap();
//! assert_eq!(loaded.value.notifications.batch_size, 50);
//! assert!(!loaded.show().contains("hush"));
//! ```
//!
//! Every level of the type says `#[serde(default)]`, and no property is skipped when it is written: the names are read
//! off the type by writing its default.

mod check;
mod fit;
mod load;
mod mistake;
mod name;
mod secret;
mod sources;

pub use check::{Check, Settings};
pub use load::Loaded;
pub use mistake::{Mistake, Mistakes};
pub use secret::Secret;
pub use sources::{Source, Sources};
