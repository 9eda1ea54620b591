//! Pages of resources that are few: cut from a list that is in memory.
//!
//! Owns paging by id and the reply. Does not own items, which the engine pages.

use engine::Engine;
use hyper::StatusCode;
use model::{ContinuationToken, Json, RequestCharge, ResourceId};

use crate::exchange::{Envelope, Failure, Outcome, Reply, Request, header};
use crate::query::QueryText;

const TOKEN_KIND: &str = "resources";
const TOKEN_VERSION: u8 = 1;

/// The answer to a query over resources, whole.
pub(crate) fn query(
    engine: &Engine,
    request: &Request,
    parent: Option<&ResourceId>,
    name: &str,
    resources: &[Json],
) -> Outcome<Reply> {
    let query = QueryText::of(request)?;
    let rows = engine.query_values(&query.text, &query.parameters, resources)?;
    let mut envelope = Envelope::new(parent, name, 1024);
    rows.iter().for_each(|row| envelope.push(row));
    let count = envelope.count();
    Ok(Reply::ok(envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .charge(RequestCharge::from_request_units(1)))
}

/// A feed of resources sorted by id.
pub(crate) fn feed(
    request: &Request,
    parent: Option<&ResourceId>,
    name: &str,
    resources: Vec<Json>,
    charge: RequestCharge,
) -> Outcome<Reply> {
    let page = request.page()?;
    // A token needs a resource to be tied to; the account stands for the lists that have no parent.
    let owner = parent.copied().unwrap_or_else(|| ResourceId::database(0));
    let after = match &page.continuation {
        Some(token) => Some(decode(token, &owner)?),
        None => None,
    };
    let id =
        |resource: &Json| resource.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut rest = resources
        .into_iter()
        .filter(|resource| after.as_ref().is_none_or(|after| id(resource) > *after));
    let items_max = page.items_max.unwrap_or(usize::MAX);
    let values: Vec<Json> = rest.by_ref().take(items_max).collect();
    let continuation = match (rest.next(), values.last()) {
        (Some(_), Some(last)) => {
            let payload = id(last);
            Some(ContinuationToken::encode(TOKEN_KIND, TOKEN_VERSION, &owner, payload.as_bytes()))
        }
        _ => None,
    };
    let envelope = Envelope::of_values(parent, name, &values);
    let count = envelope.count();
    Ok(Reply::json(StatusCode::OK, envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .with_some(header::CONTINUATION, continuation)
        .charge(charge))
}

fn decode(token: &str, owner: &ResourceId) -> Outcome<String> {
    let (_, payload) = ContinuationToken::decode(token, TOKEN_KIND, owner)?;
    String::from_utf8(payload).map_err(|_| Failure::bad_request("Invalid Continuation Token"))
}
