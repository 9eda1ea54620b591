//! Who is calling: bearer tokens of an issuer, or the session of a browser.
//!
//! Owns proving it, roles, and the protection of sessions against other sites. Does not own what a caller may do with
//! the data of a system: routes ask [`Principal`].
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use axum::http::{HeaderMap, Method, header::AUTHORIZATION};
//! use client::Environment;
//! use planisphere_service::identity::{Identified, Identity, IdentitySettings};
//!
//! // Demo mode makes its own tokens (HS256); otherwise `Identity:Issuer`, `:Audience` and `:Jwks` say whom to believe.
//! let identity = Identity::new(Environment::system(), &IdentitySettings::demo()).unwrap();
//! let token = identity.demo_issuer().unwrap().token("ann", &["service"]);
//!
//! let mut headers = HeaderMap::new();
//! headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
//! let Identified::Somebody(ann) = identity.identify(&Method::GET, &headers).await else { panic!() };
//! assert_eq!(ann.subject(), "ann");
//! assert!(ann.require_role("admin").is_err());
//! # });
//! ```

mod bearer;
mod cross_site;
mod demo_issuer;
mod identify;
mod principal;
mod routes;
mod session;
mod settings;
mod sign_in_link;
mod signing_key;

pub use demo_issuer::DemoIssuer;
pub use identify::{Identified, Identity};
pub use principal::Principal;
pub use routes::session_routes;
pub use settings::{IdentityMode, IdentitySettings};
pub use signing_key::SigningKey;
