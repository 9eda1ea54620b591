//! What was used, and the report made of it.
//!
//! Owns the two paths under `/_planisphere` that are signed like any other: the document of usage, and the report with
//! its price table and the partition key to try. Does not own counting or conclusions: they are the engine's.

use engine::usage;
use hyper::Method;
use model::Json;

use crate::exchange::{Failure, Outcome, Reply, Request, header};
use crate::gateway::Gateway;

/// `/_planisphere/usage`
pub(crate) fn usage(gateway: &Gateway, request: &Request) -> Outcome<Reply> {
    only_get(request)?;
    Ok(reply(&gateway.engine().usage()))
}

/// `/_planisphere/report`
pub(crate) fn report(gateway: &Gateway, request: &Request) -> Outcome<Reply> {
    only_get(request)?;
    let candidate = request.header(&header::TRY_PARTITION_KEY);
    let candidate = candidate.map(usage::candidate_partition_key).transpose()?;
    let document = gateway.engine().usage();
    let report = usage::report(&document, &gateway.settings().prices, candidate.as_ref())?;
    Ok(reply(&report))
}

fn only_get(request: &Request) -> Outcome<()> {
    if request.method == Method::GET { Ok(()) } else { Err(Failure::method_not_allowed()) }
}

fn reply(json: &Json) -> Reply {
    Reply::ok(json.to_bytes())
}
