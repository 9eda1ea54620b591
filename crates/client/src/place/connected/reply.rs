//! Answers of the library as replies.

use azure_data_cosmos::models::{ItemResponse, ResourceResponse, ResponseHeaders};
use bytes::Bytes;
use engine::Environment;
use model::{ContainerProperties, Json};

use crate::answer::{ActivityId, Etag, SessionToken};
use crate::call::{Body, Reply};
use crate::error::{Error, Result};

use super::error::translate;

/// A reply with what every answer carries.
pub(super) fn reply(headers: &ResponseHeaders, body: Body, environment: &Environment) -> Reply {
    Reply {
        body,
        charge: headers.request_charge().map_or(0.0, |charge| charge.value()),
        etag: headers.etag().map(|etag| Etag::from_text(etag.to_string())),
        session_token: headers
            .session_token()
            .map(|token| SessionToken::from_text(token.to_string())),
        activity_id: headers.activity_id().map_or_else(
            || ActivityId::random(environment),
            |id| ActivityId::from_text(id.to_string()),
        ),
    }
}

/// The reply about one item, which the account sends back because we ask it to.
pub(super) fn item_reply(response: ItemResponse, environment: &Environment) -> Result<Reply> {
    let is_unmodified = u16::from(response.status().status_code()) == 304;
    let mut reply = reply(response.headers(), Body::Nothing, environment);
    let text: Bytes = response.into_body().single().map_err(translate)?;
    reply.body = match (is_unmodified, text.is_empty()) {
        (true, _) => Body::NotModified,
        (false, true) => Body::Nothing,
        (false, false) => Body::Item(text),
    };
    Ok(reply)
}

pub(super) fn container_reply<T>(
    response: ResourceResponse<T>,
    environment: &Environment,
) -> Result<Reply> {
    let mut reply = reply(response.headers(), Body::Nothing, environment);
    let text = response.into_body().single().map_err(translate)?;
    let json = Json::parse(&text).map_err(|error| {
        Error::unexpected("the account answered with no JSON").with_source(error)
    })?;
    reply.body = Body::Container(Box::new(ContainerProperties::from_json(&json)?));
    Ok(reply)
}
