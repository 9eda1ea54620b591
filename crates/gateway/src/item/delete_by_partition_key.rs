//! Delete by partition key on the wire.
//!
//! Owns the request and the reply.

use engine::operation::DeleteByPartitionKey;
use engine::{ContainerAddress, Engine};
use hyper::{Method, StatusCode};

use crate::exchange::{Failure, Outcome, Reply, Request};

pub(crate) async fn delete_by_partition_key(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    if request.method != Method::POST {
        return Err(Failure::method_not_allowed());
    }
    let operation = DeleteByPartitionKey {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
    };
    let outcome = engine.delete_by_partition_key(operation).await?;
    Ok(Reply::empty(StatusCode::OK)
        .charge(outcome.charge)
        .session(outcome.session_token.as_ref())
        .owner(address))
}
