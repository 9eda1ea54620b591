//! Transactional batches on the wire, and the border to bulk requests, which share their form.
//!
//! Owns the request and the answer of a batch that is all or nothing.

use engine::operation::TransactionalBatch;
use engine::response::BatchResult;
use engine::{ContainerAddress, Engine};
use hyper::StatusCode;
use model::RequestCharge;
use model::limits::TRANSACTIONAL_BATCH_OPERATIONS_MAX;

use super::bulk;
use super::operation_text::{Written, operations};
use super::result_text::{self, Entry};
use crate::exchange::{Failure, Outcome, Reply, Request, header};

/// The first byte of the binary form that one client uses.
const HYBRID_ROW: u8 = 0x81;

pub(crate) async fn answer(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Outcome<Reply> {
    if request.body.first() == Some(&HYBRID_ROW) {
        return Err(Failure::unsupported(
            "Batches in HybridRow form are not supported. Use a client that sends batches as JSON.",
        ));
    }
    let operations = operations(&request.json()?)?;
    if operations.is_empty() {
        return Err(Failure::bad_request("Batch request has no operations."));
    }
    if operations.len() > TRANSACTIONAL_BATCH_OPERATIONS_MAX {
        return Err(Failure::bad_request(
            "Batch request has more operations than what is supported.",
        ));
    }
    if request.flag(&header::BATCH_ATOMIC) {
        let operations = operations.into_iter().collect::<Outcome<Vec<_>>>()?;
        transactional(engine, request, address, operations).await
    } else {
        bulk::run(engine, request, address, operations).await
    }
}

async fn transactional(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    written: Vec<Written>,
) -> Outcome<Reply> {
    let minimal: Vec<bool> = written.iter().map(|written| written.wants_minimal).collect();
    let batch = TransactionalBatch {
        container: address.link.clone(),
        partition_key: request.required_partition_key()?,
        operations: written
            .into_iter()
            .map(|written| written.operation_explained(request.wants_explanation()))
            .collect(),
    };
    let mut outcome = engine.transactional_batch(batch).await?;
    let explanation = outcome.explanation.take();
    let (status, sub_status, entries) = match outcome.value {
        BatchResult::Committed(answers) => {
            let entries = answers.into_iter().zip(&minimal).map(|(answer, minimal)| {
                let entry = Entry::of_effect(answer.effect, answer.charge);
                if *minimal { entry.minimal() } else { entry }
            });
            (StatusCode::OK, None, entries.collect())
        }
        BatchResult::RolledBack { failed, error } => {
            let failure = Failure::from(error);
            let entries: Vec<Entry> = (0..minimal.len())
                .map(|index| match index == failed {
                    true => Entry::of_failure(&failure),
                    false => Entry::dependent(),
                })
                .collect();
            (StatusCode::MULTI_STATUS, failure.sub_status_number(), entries)
        }
    };
    Ok(reply(status, &entries, outcome.charge, address)
        .with_some(header::SUBSTATUS, sub_status)
        .explained(explanation)
        .session(outcome.session_token.as_ref()))
}

/// The reply that holds the entries.
pub(crate) fn reply(
    status: StatusCode,
    entries: &[Entry],
    charge: RequestCharge,
    address: &ContainerAddress,
) -> Reply {
    Reply::json(status, result_text::text(entries))
        .with(header::ITEM_COUNT, entries.len())
        .charge(charge)
        .owner(address)
}
