//! The body of a query request: query text and parameters.
//!
//! Owns both forms, JSON and plain text.

use engine::query::Parameters;
use engine::{ContainerLink, Engine};
use hyper::header::CONTENT_TYPE;
use model::Json;

use crate::http::{ApiError, ApiRequest, ApiResult};

/// The query that a client sends.
#[derive(Clone, Debug)]
pub(crate) struct QueryRequestBody {
    pub(crate) text: String,
    pub(crate) parameters: Parameters,
    /// The values that a client stopped at when it merged ordered rows.
    resume_filter: Option<Json>,
}

impl QueryRequestBody {
    pub(crate) fn parse(request: &ApiRequest) -> ApiResult<Self> {
        let content_type = request.header(&CONTENT_TYPE).unwrap_or_default();
        if content_type.starts_with("application/sql") {
            let text = String::from_utf8_lossy(&request.body).into_owned();
            return Ok(Self { text, parameters: Parameters::new(), resume_filter: None });
        }
        let Json::Object(mut body) = request.json()? else { return Err(missing_text()) };
        let Some(Json::String(text)) = body.remove("query") else {
            return Err(missing_text());
        };
        let resume_filter = body.remove("resumeFilter").filter(|filter| *filter != Json::Null);
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
        Ok(Self { text, parameters, resume_filter })
    }

    /// The query with the condition of its resume filter. The token of the client may be further: then that counts.
    pub(crate) fn resumed(mut self, engine: &Engine, container: &ContainerLink) -> ApiResult<Self> {
        if let Some(filter) = self.resume_filter.take() {
            let query = (self.text.as_str(), &self.parameters);
            self.text = engine.resumed_query_text(container, query, &filter)?;
        }
        Ok(self)
    }
}

fn missing_text() -> ApiError {
    ApiError::bad_request(
        "The body of a query is {\"query\":\"...\",\"parameters\":[{\"name\":\"@a\",\"value\":1}]}; it has no \
         'query'.",
    )
}
