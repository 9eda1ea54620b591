//! HTTP for the systems: the same errors, request ids, pages, limits and events everywhere.
//!
//! Owns what surrounds the routes. Does not own any route of a system, nor authentication; see `identity`.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use client::Environment;
//! use planisphere_service::http::{
//!     ApiDescription, HttpResult, HttpServer, HttpSettings, JsonBody, OpenApiRouter, PathParams, Problem, routes,
//! };
//! use planisphere_service::identity::{Caller, Identity, IdentitySettings};
//!
//! #[derive(serde::Serialize, utoipa::ToSchema)]
//! struct Greeting {
//!     text: String,
//! }
//!
//! /// Greets somebody.
//! #[utoipa::path(get, path = "/api/greetings/{name}", params(("name" = String, Path)), responses(
//!     (status = 200, body = Greeting),
//!     (status = 404, body = planisphere_service::http::ProblemDocument, content_type = "application/problem+json"),
//! ))]
//! async fn greet(caller: Caller, PathParams(name): PathParams<String>) -> HttpResult<JsonBody<Greeting>> {
//!     caller.require_role("greeter")?;
//!     match name.as_str() {
//!         "ann" => Ok(JsonBody(Greeting { text: format!("Hello {name}") })),
//!         _ => Err(Problem::not_found(format!("Nobody here is called '{name}'."))),
//!     }
//! }
//!
//! let environment = Environment::system();
//! let settings = IdentitySettings::demo();
//! let identity = Identity::new(environment.clone(), &settings).unwrap();
//! let server = HttpServer::new(environment, HttpSettings::default(), identity);
//! server.describe(ApiDescription::new("Greetings", "1.0.0", "Greets people by name."));
//! let router = server.router(OpenApiRouter::new().routes(routes!(greet)), &[]);
//! // `server.serve(router).await` would listen until `server.shutdown().trigger()`.
//!
//! // One test of each system compares its OpenAPI document with its routes:
//! assert_eq!(planisphere_service::http::openapi_mismatches(&router, &[]).await, Vec::<String>::new());
//! # });
//! ```
//!
//! - Lists: [`PageQuery`] with [`PageLimits`] becomes the options of a page; [`Cursors`] (from
//!   [`HttpServer::cursors`]) sign its continuation token.
//! - Writes: [`IfMatch`] as an argument gives 428 and 412; [`EtagHeader`] on responses; [`IfNoneMatch`] with
//!   [`not_modified`] for reads.
//! - Events: one [`EventRing`] per service, [`EventRing::publish`] by topic, [`EventRing::respond`] in the route, which
//!   takes an [`EventStreamRequest`].
//! - Errors of `client` become problems with `?`.
//! - [`HttpServer::shutdown`] ends long polls and event streams.

mod api_description;
mod asset;
mod caller_key;
mod connections;
#[cfg(feature = "docs-page")]
mod docs_page;
mod etag;
mod events;
mod middleware;
mod observe;
mod openapi;
mod operations;
mod paging;
mod rate_limit;
mod request_id;
mod server;
mod settings;
mod shutdown;

pub use crate::extract::{JsonBody, PathParams, QueryParams};
pub use crate::problem::{FieldError, HttpResult, Problem, ProblemDocument};
pub use api_description::ApiDescription;
pub use connections::{ServeOptions, serve};
pub use etag::{EtagHeader, IfMatch, IfNoneMatch, not_modified};
pub use events::{EventId, EventListener, EventRing, EventStreamRequest, ServerEvent};
pub use observe::{Health, HealthStatus, ServiceMetrics};
pub use openapi::openapi_mismatches;
pub use paging::{Cursors, PageLimits, PageQuery};
pub use rate_limit::{RateLimit, RateLimitStatus};
pub use request_id::X_REQUEST_ID;
pub use server::HttpServer;
pub use settings::HttpSettings;
pub use shutdown::ShutdownSignal;
pub use tower_http::request_id::RequestId;
pub use ui_kit::Asset;
pub use utoipa_axum::router::OpenApiRouter;
pub use utoipa_axum::routes;
