//! Plan requests: how a client would split a query over physical partitions.
//!
//! Owns the request and the reply. The document is the planner's.

use engine::query::{FeatureSet, PlanQuery};
use engine::{ContainerAddress, Engine};

use super::text::QueryText;
use crate::exchange::{Outcome, Reply, Request, header};

pub(crate) async fn plan(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    let QueryText { text, parameters } = QueryText::of(request)?;
    let features = match request.header(&header::QUERY_FEATURES) {
        Some(list) => FeatureSet::parse(list),
        None => FeatureSet::default(),
    };
    let operation = PlanQuery { container: address.link.clone(), text, parameters, features };
    let outcome = engine.query_plan(operation).await?;
    Ok(Reply::ok(outcome.value.to_bytes()).charge(outcome.charge).owner(address))
}
