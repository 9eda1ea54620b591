//! HTTP for the systems: the same form of errors, names, pages, limits and events everywhere.
//!
//! Owns what surrounds routes. Does not own any route of a system, nor who callers are; see `identity`.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use client::Environment;
//! use planisphere_service::http::{HttpSettings, Json, Kit, OpenApiRouter, Outcome, Path, Problem, routes};
//! use planisphere_service::identity::{Identity, IdentitySettings, Principal};
//!
//! #[derive(serde::Serialize, utoipa::ToSchema)]
//! struct Greeting {
//!     text: String,
//! }
//!
//! /// Says hello to whoever may hear it.
//! #[utoipa::path(get, path = "/api/greetings/{name}", params(("name" = String, Path)), responses(
//!     (status = 200, body = Greeting),
//!     (status = 404, body = planisphere_service::http::ProblemDocument, content_type = "application/problem+json"),
//! ))]
//! async fn greet(caller: Principal, Path(name): Path<String>) -> Outcome<Json<Greeting>> {
//!     caller.require_role("greeter")?;
//!     match name.as_str() {
//!         "ann" => Ok(Json(Greeting { text: format!("Hello {name}") })),
//!         _ => Err(Problem::not_found(format!("Nobody here is called '{name}'."))),
//!     }
//! }
//!
//! let environment = Environment::system();
//! let settings = IdentitySettings::demo();
//! let identity = Identity::new(environment.clone(), &settings).unwrap();
//! let kit = Kit::new(environment, HttpSettings::default(), identity);
//! let router = kit.router(OpenApiRouter::new().routes(routes!(greet)), &[]);
//! // `kit.serve(router).await` would listen until `kit.stop().stop()`.
//!
//! // One test of a system compares its document with its routes:
//! assert_eq!(planisphere_service::http::disagreements(&router, &[]).await, Vec::<String>::new());
//! # });
//! ```
//!
//! - Lists: [`PageQuery`] with [`PageLimits`] becomes the options of a page; [`Cursors`] (from [`Kit::cursors`]) seal
//!   its continuation token.
//! - Writes: [`IfMatch`] as an argument gives 428 and 412; [`EtagHeader`] on answers; [`IfNoneMatch`] with
//!   [`not_modified`] for reads.
//! - Events: one [`Events`] per service, [`Events::publish`] by topic, [`Events::respond`] in the route, which takes
//!   an [`OpenStream`].
//! - Failures of `client` become problems with `?`.
//! - Waiting callers and streams end with [`Kit::stop`].

mod asset;
mod etag;
mod events;
mod extract;
mod kit;
mod layer;
mod observe;
mod openapi;
mod paging;
mod problem;
mod rate_limit;
mod request_id;
mod serve;
mod settings;

pub use asset::Asset;
pub use etag::{EtagHeader, IfMatch, IfNoneMatch, not_modified};
pub use events::{Event, Events, Listener, OpenStream, Position};
pub use extract::{Json, Path, Query};
pub use kit::Kit;
pub use observe::{Health, Metrics, Standing};
pub use openapi::disagreements;
pub use paging::{Cursors, PageLimits, PageQuery};
pub use problem::{FieldError, Outcome, Problem, ProblemDocument};
pub use rate_limit::{RateLimit, Standing as RateStanding};
pub use request_id::{RequestId, X_REQUEST_ID};
pub use serve::{ServeOptions, Stop, serve};
pub use settings::HttpSettings;
pub use utoipa_axum::router::OpenApiRouter;
pub use utoipa_axum::routes;
