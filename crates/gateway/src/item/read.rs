//! Read on the wire: one item, or "not modified".
//!
//! Owns the request and the reply; the text of the item is passed on as stored.

use engine::operation::{ReadItem, ReadOptions};
use engine::response::ReadResult;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::ItemId;

use super::body;
use crate::exchange::{Outcome, Reply, Request, header};

pub(crate) async fn read(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    id: ItemId,
) -> Outcome<Reply> {
    let options =
        ReadOptions { precondition: request.if_none_match(), ..request.read_options(engine)? };
    let operation = ReadItem {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        id,
        options,
    };
    let outcome = engine.read_item(operation).await?;
    let reply = match outcome.value {
        ReadResult::Found(item) => {
            let (etag, lsn) = (item.etag(), item.lsn().0);
            Reply::ok(body::text(request, item))
                .item_etag(etag)
                .with_number(header::ITEM_LSN, lsn)
                .copied(&header::ITEM_LSN, header::ITEM_LOCAL_LSN)
        }
        ReadResult::NotModified(etag) => Reply::empty(StatusCode::NOT_MODIFIED).item_etag(etag),
    };
    Ok(reply
        .charge(outcome.charge)
        .explained(outcome.explanation)
        .session(outcome.session_token.as_ref())
        .owner(address))
}
