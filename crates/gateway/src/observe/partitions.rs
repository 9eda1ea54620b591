//! The physical partitions of a container with what they hold and how far a split has come; splitting and merging them
//! by hand.
//!
//! Owns `/_planisphere/partitions/{database}/{container}`, which needs a signature or a session.

use engine::ContainerLink;
use engine::operation::{MergePartitions, SplitPartition};
use engine::response::PartitionsResource;
use hyper::Method;
use model::{EffectivePartitionKey, Json, Object};

use crate::gateway::Gateway;
use crate::http::{ApiError, ApiRequest, ApiResponse, ApiResult};

/// Partition keys of an answer unless the request asks for fewer.
const KEYS_MAX: usize = 100;

/// GET lists; POST `{"split": 0}`, `{"split": 0, "at": "1FFF"}` or `{"merge": [1, 2]}` changes them and lists them
/// again.
pub(crate) async fn handle_partitions(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
) -> ApiResult<ApiResponse> {
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    match request.method {
        Method::GET => {}
        Method::POST => change(gateway, &link, &request.body).await?,
        _ => return Err(ApiError::method_not_allowed()),
    }
    list(gateway, &link).await
}

async fn change(gateway: &Gateway, link: &ContainerLink, body: &[u8]) -> ApiResult<()> {
    const EXPECTED: &str = "Send {\"split\": 0} with the number of a physical partition, and \"at\" with an \
        effective partition key in hex if it is not to be cut in the middle, or {\"merge\": [1, 2]} with two that are \
        beside each other.";
    let body = Json::parse(body).map_err(ApiError::invalid_payload)?;
    let number = |json: &Json| json.as_i64().and_then(|number| u32::try_from(number).ok());
    if let Some(partition) = body.get("split").and_then(number) {
        let at = match body.get("at") {
            None => None,
            Some(at) => {
                let at = at.as_str().ok_or_else(|| ApiError::bad_request(EXPECTED))?;
                let at = EffectivePartitionKey::from_hex(at);
                Some(at.map_err(|invalid| ApiError::bad_request(invalid.message()))?)
            }
        };
        let operation = SplitPartition { container: link.clone(), partition, at };
        gateway.engine().split_partition(operation).await?;
        return Ok(());
    }
    let merge = body.get("merge").and_then(Json::as_array);
    let numbers: Vec<u32> = merge.into_iter().flatten().filter_map(number).collect();
    let [first, second] = *numbers else { return Err(ApiError::bad_request(EXPECTED)) };
    let operation = MergePartitions { container: link.clone(), partitions: (first, second) };
    gateway.engine().merge_partitions(operation).await?;
    Ok(())
}

async fn list(gateway: &Gateway, link: &ContainerLink) -> ApiResult<ApiResponse> {
    let listed = gateway.engine().list_partitions(link).await?;
    let document = partitions_document(&listed.value);
    Ok(ApiResponse::ok(document.to_bytes()).charge(listed.charge))
}

/// The physical partitions of a container as the route lists them.
#[must_use]
pub fn partitions_document(listed: &PartitionsResource) -> Json {
    let partitions = listed.partitions.iter().map(|partition| {
        let mut object = Object::new();
        object.insert("number", i64::from(partition.number));
        object.insert("min", partition.range.min.to_string());
        object.insert("max", partition.range.max.to_string());
        object.insert("parents", numbers(&partition.parents));
        object.insert("lsn", integer(partition.lsn.0));
        object.insert("items", integer(partition.usage.items));
        object.insert("bytes", integer(partition.usage.item_bytes));
        Json::Object(object)
    });
    let mut object = Object::new();
    object.insert("generation", integer(listed.generation));
    object.insert("partitions", partitions.collect::<Vec<_>>());
    // Fewer partitions than this mean that the background is about to split them.
    object.insert("partitionsMin", i64::from(listed.partitions_min));
    let restructuring = listed.restructuring.as_ref().map(|running| {
        let mut object = Object::new();
        object.insert("partitions", numbers(&running.partitions));
        object.insert("into", integer(running.into as u64));
        object.insert("itemsCopied", integer(running.items_copied));
        object.insert("itemsTotal", integer(running.items_total));
        Json::Object(object)
    });
    object.insert("restructuring", restructuring.unwrap_or(Json::Null));
    Json::Object(object)
}

fn numbers(numbers: &[u32]) -> Vec<Json> {
    numbers.iter().map(|number| Json::from(i64::from(*number))).collect()
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// GET `/_planisphere/partitions/{database}/{container}/{number}/keys`: the first partition keys of one.
pub(crate) async fn list_keys(
    gateway: &Gateway,
    request: &ApiRequest,
    database: &str,
    container: &str,
    number: &str,
) -> ApiResult<ApiResponse> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    let link = ContainerLink::new(database, container)
        .map_err(|invalid| ApiError::bad_request(invalid.message()))?;
    let number = number.parse().map_err(|_| {
        ApiError::bad_request(format!("'{number}' is not the number of a physical partition."))
    })?;
    let keys_max = request.items_max()?.unwrap_or(KEYS_MAX).min(KEYS_MAX);
    let listed = gateway.engine().list_partition_keys(&link, number, keys_max).await?;
    let mut object = Object::new();
    let keys = listed.keys.iter().map(model::PartitionKey::to_json);
    object.insert("keys", keys.collect::<Vec<_>>());
    object.insert("more", listed.has_more);
    Ok(ApiResponse::ok(Json::Object(object).to_bytes()))
}
