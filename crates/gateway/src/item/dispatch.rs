//! Dispatches requests about items to their operations.
//!
//! Owns the order in which the meanings of a POST are distinguished. Does not own the operations. The futures of all
//! operations except point reads and queries are boxed: they are large, and otherwise every request would move them.

use engine::{ContainerAddress, Engine};
use hyper::Method;
use model::ItemId;

use super::batch::handle_batch;
use super::change_feed::read_change_feed;
use super::list::list_items;
use super::patch::patch_item;
use super::read::read_item;
use super::{resource_id, write};
use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult, header};
use crate::query::{plan_query, run_query};
use crate::route::parse_item_rid;

/// `/dbs/{id}/colls/{id}/docs`
pub(crate) async fn handle_feed(
    gateway: &Gateway,
    request: &ApiRequest,
    address: &ContainerAddress,
) -> ApiResult<ApiResponse> {
    let engine = gateway.engine();
    match request.method {
        Method::GET if request.header(&header::A_IM).is_some() => {
            Box::pin(read_change_feed(engine, request, address)).await
        }
        Method::GET => Box::pin(list_items(engine, request, address)).await,
        // Plan requests first: one client also sets the header of queries on them.
        Method::POST if request.flag(&header::IS_QUERY_PLAN) => {
            Box::pin(plan_query(engine, request, address)).await
        }
        Method::POST if request.flag(&header::IS_BATCH) => {
            Box::pin(handle_batch(engine, request, address)).await
        }
        Method::POST if request.is_query() => run_query(gateway, request, address).await,
        Method::POST if request.flag(&header::IS_UPSERT) => {
            Box::pin(write::upsert(engine, request, address)).await
        }
        Method::POST => Box::pin(write::create(engine, request, address)).await,
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `/dbs/{id}/colls/{id}/docs/{id}`
pub(crate) async fn handle(
    engine: &Engine,
    request: &ApiRequest,
    address: &ContainerAddress,
    segment: &str,
) -> ApiResult<ApiResponse> {
    // Nearly always none: one comparison for ordinary requests.
    let id = match parse_item_rid(address, segment) {
        Some(rid) => Box::pin(resource_id::resolve_item(engine, request, address, rid)).await?,
        None => ItemId::new(segment)?,
    };
    match request.method {
        Method::GET => read_item(engine, request, address, id).await,
        Method::PUT => Box::pin(write::replace(engine, request, address, id)).await,
        Method::PATCH => Box::pin(patch_item(engine, request, address, id)).await,
        Method::DELETE => Box::pin(write::delete(engine, request, address, id)).await,
        _ => Err(ApiError::method_not_allowed()),
    }
}
