//! The body of a query request: query text and parameters.
//!
//! Owns both forms, JSON and plain text.

use engine::query::{Parameters, resume_text};
use hyper::header::CONTENT_TYPE;
use model::Json;

use crate::http::{ApiError, ApiRequest, ApiResult};

/// The query that a client sends.
#[derive(Clone, Debug)]
pub(crate) struct QueryRequestBody {
    pub(crate) text: String,
    pub(crate) parameters: Parameters,
}

impl QueryRequestBody {
    pub(crate) fn parse(request: &ApiRequest) -> ApiResult<Self> {
        let content_type = request.header(&CONTENT_TYPE).unwrap_or_default();
        if content_type.starts_with("application/sql") {
            let text = String::from_utf8_lossy(&request.body).into_owned();
            return Ok(Self { text, parameters: Parameters::new() });
        }
        let Json::Object(mut body) = request.json()? else { return Err(missing_text()) };
        let Some(Json::String(mut text)) = body.remove("query") else {
            return Err(missing_text());
        };
        // A client that merges ordered rows names the values it stopped at. Its token may be further: then that counts.
        if let Some(filter) = body.get("resumeFilter").filter(|filter| **filter != Json::Null) {
            text = resume_text(&text, filter)?;
        }
        let mut parameters = Parameters::new();
        let listed = match body.get("parameters") {
            None | Some(Json::Null) => &[],
            Some(list) => list.as_array().ok_or_else(|| {
                ApiError::bad_request("The parameters of a query are an array of names and values.")
            })?,
        };
        for parameter in listed {
            let name = parameter.get("name").and_then(Json::as_str).ok_or_else(|| {
                ApiError::bad_request("A parameter of a query has no 'name' that is a string.")
            })?;
            // A parameter without a value is undefined, which differs from null.
            parameters.push(name, parameter.get("value").cloned());
        }
        Ok(Self { text, parameters })
    }
}

fn missing_text() -> ApiError {
    ApiError::bad_request(
        "The body of a query is {\"query\":\"...\",\"parameters\":[{\"name\":\"@a\",\"value\":1}]}; it has no \
         'query'.",
    )
}
