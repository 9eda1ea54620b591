//! Authentication: bearer tokens of an issuer, or browser sessions.
//!
//! Owns verifying them, roles, the sign-in of people at an issuer (OpenID Connect), and the protection of sessions
//! against cross-site requests. Does not own authorization for the data of a system: its routes decide by [`Caller`].
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use axum::http::{HeaderMap, Method, header::AUTHORIZATION};
//! use client::Environment;
//! use planisphere_service::identity::{Authentication, Identity, IdentitySettings};
//!
//! // Demo mode issues its own tokens (HS256); otherwise the settings name an issuer.
//! let identity = Identity::new(Environment::system(), &IdentitySettings::demo()).unwrap();
//! let token = identity.demo_issuer().unwrap().token("ann", &["service"]);
//!
//! let mut headers = HeaderMap::new();
//! headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
//! let Authentication::Authenticated(ann) = identity.identify(&Method::GET, &headers).await else { panic!() };
//! assert_eq!(ann.subject(), "ann");
//! assert!(ann.require_role("admin").is_err());
//! # });
//! ```

mod admission;
mod authenticate;
mod bearer;
mod caller;
mod caller_end;
mod certified_peer;
mod cross_site;
mod demo_issuer;
mod oidc;
mod revoked_sessions;
mod routes;
mod session;
mod settings;
mod sign_in_link;
mod signing_key;

pub use admission::{AdmittedPerson, PersonAdmission};
pub use authenticate::{Authentication, Identity};
pub use caller::Caller;
pub use caller_end::CallerEnd;
pub use certified_peer::CertifiedPeer;
pub use demo_issuer::DemoIssuer;
pub use routes::session_routes;
pub use settings::{IdentityMode, IdentitySettings};
pub use signing_key::SigningKey;
