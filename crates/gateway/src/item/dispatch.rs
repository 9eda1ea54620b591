//! Which operation a request on items is.
//!
//! Owns the order in which the many meanings of a POST are told apart. Does not own the operations. All but point reads
//! and queries have a place of their own for their futures, which are large: nobody else copies them around.

use engine::{ContainerAddress, Engine};
use hyper::Method;
use model::ItemId;

use super::{batch, change_feed, list, patch, read, resource_id, write};
use crate::exchange::{Failure, Outcome, Reply, Request, header};
use crate::gateway::Gateway;
use crate::query;

/// `/dbs/{id}/colls/{id}/docs`
pub(crate) async fn feed(
    gateway: &Gateway,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let engine = gateway.engine();
    match request.method {
        Method::GET if request.header(&header::A_IM).is_some() => {
            Box::pin(change_feed::read(engine, request, address)).await
        }
        Method::GET => Box::pin(list::list(engine, request, address)).await,
        // A plan first: one client marks its plan requests as queries too, others as neither.
        Method::POST if request.flag(&header::IS_QUERY_PLAN) => {
            Box::pin(query::plan(engine, request, address)).await
        }
        Method::POST if request.flag(&header::IS_BATCH) => {
            Box::pin(batch::answer(engine, request, address)).await
        }
        Method::POST if request.is_query() => query::run(gateway, request, address).await,
        Method::POST if request.flag(&header::IS_UPSERT) => {
            Box::pin(write::upsert(engine, request, address)).await
        }
        Method::POST => Box::pin(write::create(engine, request, address)).await,
        _ => Err(Failure::method_not_allowed()),
    }
}

/// `/dbs/{id}/colls/{id}/docs/{id}`
pub(crate) async fn single(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    named: &str,
) -> Outcome<Reply> {
    let id = match resource_id::of_item(address, named) {
        Some(rid) => Box::pin(resource_id::resolve(engine, request, address, rid)).await?,
        None => ItemId::new(named)?,
    };
    match request.method {
        Method::GET => read::read(engine, request, address, id).await,
        Method::PUT => Box::pin(write::replace(engine, request, address, id)).await,
        Method::PATCH => Box::pin(patch::patch(engine, request, address, id)).await,
        Method::DELETE => Box::pin(write::delete(engine, request, address, id)).await,
        _ => Err(Failure::method_not_allowed()),
    }
}
