//! Where an answer about items stands: position, physical partition, quota and usage.
//!
//! Owns the headers that every answer about items shares, refusals of the engine included. Does not own the session
//! token of a success, which is its operation's.

use engine::{ContainerAddress, Engine};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use model::{FeedRange, SessionToken};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::usage;
use crate::exchange::{Failure, Outcome, Reply, Request, header};

/// The copies that the service has of each physical partition.
const COPIES: [(HeaderName, HeaderValue); 2] = [
    (header::WRITE_QUORUM, HeaderValue::from_static("3")),
    (header::REPLICA_SET_SIZE, HeaderValue::from_static("4")),
];

/// The answer with the headers that all answers about items have.
pub(crate) async fn standing(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    answer: Outcome<Reply>,
) -> Outcome<Reply> {
    match answer {
        // A plan is made without looking at any partition.
        Ok(reply) if request.flag(&header::IS_QUERY_PLAN) => Ok(reply),
        Ok(reply) => Ok(of_success(engine, request, address, reply)),
        Err(failure) if is_of_partition(failure.status()) => {
            // Rare and large: the answers that succeed must not carry it around.
            Err(Box::pin(of_failure(engine, request, address, failure)).await)
        }
        Err(failure) => Err(failure),
    }
}

fn of_success(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    reply: Reply,
) -> Reply {
    let reply = positioned(address, reply);
    let reply = match is_write(request) {
        true => reply
            .copied(&header::LSN, header::QUORUM_ACKED_LSN)
            .copied(&header::LSN, header::QUORUM_ACKED_LOCAL_LSN)
            .with_all(COPIES),
        false => reply,
    };
    match engine.container_usage(&address.link) {
        Ok((held, partitions)) => usage::of_container(reply, held, partitions),
        // It was deleted meanwhile.
        Err(_) => reply,
    }
}

/// The headers that follow from the physical partition and its lsn.
fn positioned(address: &ContainerAddress, reply: Reply) -> Reply {
    let reply = reply.copied(&header::LSN, header::GLOBAL_COMMITTED_LSN);
    let Some(number) = reply.partition() else { return reply };
    let [internal, physical] = [0x8000, 0x9000].map(|kind| {
        let mut text = [0; Hyphenated::LENGTH];
        partition_id(address, number, kind).hyphenated().encode_lower(&mut text);
        text
    });
    reply
        .with_written(header::INTERNAL_PARTITION_ID, |text| text.ascii(&internal))
        .with_written(header::PHYSICAL_PARTITION_ID, |text| text.ascii(&physical))
}

/// A name for a physical partition in the form clients print: made from the container and the number, so that it stays.
fn partition_id(address: &ContainerAddress, number: u32, kind: u16) -> Uuid {
    let bytes = address.rid.as_bytes();
    let container = bytes.iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
    let (high, low) = (container >> 16 & 0xFFFF_FFFF_FFFF, container & 0xFFFF);
    let kinds = 0x4000 << 64 | u128::from(kind) << 48;
    Uuid::from_u128(high << 80 | kinds | low << 32 | u128::from(number))
}

fn is_write(request: &Request) -> bool {
    match request.method {
        Method::POST => request.flag(&header::IS_BATCH) || !request.is_query(),
        Method::PUT | Method::PATCH | Method::DELETE => true,
        _ => false,
    }
}

/// Whether a refusal comes from a physical partition that looked, and not from the door.
fn is_of_partition(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::NOT_FOUND
            | StatusCode::CONFLICT
            | StatusCode::PRECONDITION_FAILED
            | StatusCode::TOO_MANY_REQUESTS
    )
}

async fn of_failure(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
    failure: Failure,
) -> Failure {
    let token = session_token(engine, request, address).await;
    let reply = Reply::empty(failure.status())
        .charge(failure.charge())
        .session(token.as_ref())
        .owner(address);
    failure.with_headers(positioned(address, reply).into_headers())
}

/// What a caller has seen by being refused: the physical partition of its partition key as it is now.
async fn session_token(
    engine: &Engine,
    request: &Request,
    address: &ContainerAddress,
) -> Option<SessionToken> {
    let key = request.partition_key().ok().flatten()?;
    let definition = engine.partition_key_definition(&address.link).ok()?;
    let range = FeedRange::PartitionKey(key).epk_range(&definition);
    let listed = engine.list_partitions(&address.link).await.ok()?.value.partitions;
    let partition = listed.iter().find(|partition| partition.range.contains(&range.min))?;
    Some(SessionToken::new(partition.number, partition.lsn))
}
