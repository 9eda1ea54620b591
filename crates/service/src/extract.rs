//! Extractors for bodies, query strings and paths that reject a request with a [`Problem`] instead of plain text.
//!
//! Owns three thin wrappers around those of `axum`. The fields are public, so that a handler can destructure them in
//! its arguments: `JsonBody(order): JsonBody<Order>`.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A JSON body, of a request or of a response.
#[derive(Clone, Copy, Debug)]
pub struct JsonBody<T>(pub T);

/// The parameters of the query string.
#[derive(Clone, Copy, Debug)]
pub struct QueryParams<T>(pub T);

/// The parameters of the path.
#[derive(Clone, Copy, Debug)]
pub struct PathParams<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let axum::Json(value) = axum::Json::from_request(request, state).await?;
        Ok(Self(value))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let axum::extract::Query(value) =
            axum::extract::Query::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let axum::extract::Path(value) =
            axum::extract::Path::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}

impl<T: Serialize> IntoResponse for JsonBody<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}
