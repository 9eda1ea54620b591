//! Convert responses of the SDK.

use azure_data_cosmos::models::{ItemResponse, ResourceResponse, ResponseHeaders};
use bytes::Bytes;
use engine::Environment;
use model::{ContainerProperties, Json};

use crate::error::{Error, Result};
use crate::request::{BackendResponse, ResponseBody};
use crate::response::{ActivityId, ClientSessionToken, EntityTag};

use super::error::translate;

/// A response with the metadata of its headers.
pub(super) fn metadata_response(
    headers: &ResponseHeaders,
    body: ResponseBody,
    environment: &Environment,
) -> BackendResponse {
    BackendResponse {
        body,
        // Some responses carry no charge; they count as free instead of failing.
        charge: headers.request_charge().map_or(0.0, |charge| charge.value()),
        etag: headers.etag().map(|etag| EntityTag::from_text(etag.to_string())),
        session_token: headers
            .session_token()
            .map(|token| ClientSessionToken::from_text(token.to_string())),
        activity_id: headers.activity_id().map_or_else(
            || ActivityId::random(environment),
            |id| ActivityId::from_text(id.to_string()),
        ),
    }
}

/// The response about one item. Requests ask the account to return the item of a write.
pub(super) fn item_response(
    response: ItemResponse,
    environment: &Environment,
) -> Result<BackendResponse> {
    let is_unmodified = u16::from(response.status().status_code()) == 304;
    let mut converted = metadata_response(response.headers(), ResponseBody::Nothing, environment);
    let text: Bytes = response.into_body().single().map_err(translate)?;
    converted.body = match (is_unmodified, text.is_empty()) {
        (true, _) => ResponseBody::NotModified,
        // A delete, or an account that does not return the item of a write.
        (false, true) => ResponseBody::Nothing,
        (false, false) => ResponseBody::Item(text),
    };
    Ok(converted)
}

pub(super) fn container_response<T>(
    response: ResourceResponse<T>,
    environment: &Environment,
) -> Result<BackendResponse> {
    let mut converted = metadata_response(response.headers(), ResponseBody::Nothing, environment);
    let text = response.into_body().single().map_err(translate)?;
    let json = Json::parse(&text)
        .map_err(|error| Error::unexpected("the account did not return JSON").caused_by(&error))?;
    converted.body = ResponseBody::Container(Box::new(ContainerProperties::from_json(&json)?));
    Ok(converted)
}
