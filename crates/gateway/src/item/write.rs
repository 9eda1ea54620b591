//! Create, upsert, replace and delete on the wire.
//!
//! Owns their requests and replies. Does not own patch, which has a body of its own.

use engine::operation::{CreateItem, DeleteItem, ReplaceItem, UpsertItem};
use engine::response::UpsertResult;
use engine::{ContainerAddress, Engine, Item, Response as EngineResponse};
use hyper::StatusCode;
use model::ItemId;

use super::body;
use crate::exchange::{Outcome, Reply, Request, header};

pub(crate) async fn create(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let operation = CreateItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        item: body::item(&request.body)?,
        options: request.write_options()?,
    };
    let created = engine.create_item(operation).await?;
    Ok(written(StatusCode::CREATED, request, address, created))
}

pub(crate) async fn upsert(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let operation = UpsertItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        item: body::item(&request.body)?,
        options: request.write_options()?,
    };
    let outcome = engine.upsert_item(operation).await?;
    let status = match outcome.value {
        UpsertResult::Created(_) => StatusCode::CREATED,
        UpsertResult::Replaced(_) => StatusCode::OK,
    };
    let outcome = outcome.map(|upserted| match upserted {
        UpsertResult::Created(item) | UpsertResult::Replaced(item) => item,
    });
    Ok(written(status, request, address, outcome))
}

pub(crate) async fn replace(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    id: ItemId,
) -> Outcome<Reply> {
    let operation = ReplaceItem {
        container: address.link.clone(),
        partition_key: Some(request.required_partition_key()?),
        id,
        item: body::item(&request.body)?,
        options: request.write_options()?,
    };
    let replaced = engine.replace_item(operation).await?;
    Ok(written(StatusCode::OK, request, address, replaced))
}

pub(crate) async fn delete(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    id: ItemId,
) -> Outcome<Reply> {
    let operation = DeleteItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        options: request.write_options()?,
    };
    let deleted = engine.delete_item(operation).await?;
    Ok(Reply::empty(StatusCode::NO_CONTENT)
        .charge(deleted.charge)
        .explained(deleted.explanation)
        .session(deleted.session_token.as_ref())
        .owner(address))
}

/// The reply of a write that leaves an item.
pub(crate) fn written(
    status: StatusCode,
    request: &Request,
    address: &ContainerAddress,
    outcome: EngineResponse<Item>,
) -> Reply {
    let (etag, lsn) = (outcome.value.etag(), outcome.value.lsn());
    let reply = match request.wants_minimal() {
        true => Reply::empty(status),
        false => Reply::json(status, body::text(request, outcome.value)),
    };
    reply
        .item_etag(etag)
        .charge(outcome.charge)
        .explained(outcome.explanation)
        .session(outcome.session_token.as_ref())
        .with_number(header::ITEM_LSN, lsn.0)
        .copied(&header::ITEM_LSN, header::ITEM_LOCAL_LSN)
        .owner(address)
}
