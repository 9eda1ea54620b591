//! The files of the UI kit, compiled into the program: style sheets, scripts, and the gallery page that shows them.
//!
//! Owns which files there are, their paths under `/_kit/`, and the content security policy of all pages. Does not own
//! serving them: `service` and the gateway each have their own HTTP library.

mod asset;
mod files;

pub use asset::{Asset, PAGE_POLICY};
pub use files::{GALLERY, KIT};
