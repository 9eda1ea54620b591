//! List on the wire: the read feed of items.
//!
//! Owns the request and the envelope. Does not own the change feed, which shares the path.

use engine::operation::ListItems;
use engine::{ContainerAddress, Engine};

use crate::exchange::{Envelope, Outcome, Reply, Request, header};
use crate::resource::partition_key_range::feed_range;

pub(crate) async fn list(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let operation = ListItems {
        container: address.link.clone(),
        feed_range: feed_range(engine, request, address).await?,
        page: request.page()?,
        options: request.read_options(engine)?,
    };
    let outcome = engine.list_items(operation).await?;
    let bytes = outcome.value.items.iter().map(|item| item.text().len() + 1).sum();
    let mut envelope = Envelope::new(Some(&address.rid), "Documents", bytes);
    outcome.value.items.iter().for_each(|item| envelope.push(item.text()));
    let count = envelope.count();
    Ok(Reply::ok(envelope.into_text())
        .with(header::ITEM_COUNT, count)
        .with_some(header::CONTINUATION, outcome.value.continuation)
        .charge(outcome.charge)
        .explained(outcome.explanation)
        .session(outcome.session_token.as_ref())
        .owner(address))
}
