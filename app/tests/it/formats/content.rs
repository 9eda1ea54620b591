//! What a store holds, as JSON that people can compare: containers with their properties, items, changes and partition
//! maps.

use engine::Engine;
use engine::change_feed::ChangeRecord;
use engine::response::PartitionResource;
use model::{DatabaseId, Json, Object};

use super::sample::link;
use crate::account::{all_changes, all_items};

/// Everything in the sample's database.
pub(crate) async fn content(engine: &Engine) -> Json {
    let database = DatabaseId::new("sample").unwrap();
    let mut containers = Object::new();
    let mut resources = engine.list_containers(&database).await.unwrap().value;
    resources.sort_by(|left, right| left.properties.id.as_str().cmp(right.properties.id.as_str()));
    for resource in resources {
        let link = link(resource.properties.id.as_str());
        let items = all_items(engine, &link).await;
        let changes = all_changes(engine, &link).await;
        let map = engine.list_partitions(&link).await.unwrap().value;
        let mut container = Object::new();
        container.insert("rid", resource.rid.to_string());
        container.insert("etag", resource.etag.to_string());
        container.insert("properties", resource.properties.to_json());
        container.insert("generation", i64::try_from(map.generation).unwrap());
        let partitions = map.partitions.iter().map(partition).collect::<Vec<_>>();
        container.insert("partitions", partitions);
        container
            .insert("items", items.iter().map(engine::ItemResource::to_json).collect::<Vec<_>>());
        container.insert("changes", changes.iter().map(change).collect::<Vec<_>>());
        containers.insert(link.container.as_str(), container);
    }
    Json::Object(containers)
}

fn partition(partition: &PartitionResource) -> Json {
    let number = |number: u64| Json::from(i64::try_from(number).unwrap());
    let mut object = Object::new();
    object.insert("number", i64::from(partition.number));
    object.insert("min", partition.range.min.to_string());
    object.insert("max", partition.range.max.to_string());
    let parents = partition.parents.iter().map(|parent| i64::from(*parent).into());
    object.insert("parents", parents.collect::<Vec<Json>>());
    object.insert("lsn", number(partition.lsn.0));
    object.insert("items", number(partition.usage.items));
    object.insert("itemBytes", number(partition.usage.item_bytes));
    Json::Object(object)
}

fn change(change: &ChangeRecord) -> Json {
    let mut object = Object::new();
    object.insert("operation", format!("{:?}", change.operation()));
    object.insert("id", change.id());
    object.insert("partitionKey", change.partition_key().to_json());
    object.insert("lsn", i64::try_from(change.lsn().0).unwrap());
    object.insert("previousLsn", i64::try_from(change.previous_lsn().0).unwrap());
    object.insert("timestamp", i64::try_from(change.timestamp().0).unwrap());
    let current = change.current().map(|item| item.to_json());
    object
        .insert("etag", current.and_then(|item| item.get("_etag").cloned()).unwrap_or(Json::Null));
    Json::Object(object)
}

/// The same with one line per element, so that a difference shows in a diff.
pub(crate) fn printed(content: &Json) -> String {
    let mut text = String::from("{\n");
    let containers = content.as_object().unwrap();
    for (index, (name, container)) in containers.iter().enumerate() {
        text += &format!("{}{}: {{\n", if index > 0 { ",\n" } else { "" }, Json::from(name));
        for (index, (name, value)) in container.as_object().unwrap().iter().enumerate() {
            let separator = if index > 0 { ",\n" } else { "" };
            let lines = match value.as_array() {
                Some(elements) if !elements.is_empty() => {
                    let lines: Vec<String> =
                        elements.iter().map(|each| format!("  {each}")).collect();
                    format!("[\n{}\n ]", lines.join(",\n"))
                }
                _ => value.to_string(),
            };
            text += &format!("{separator} {}: {lines}", Json::from(name));
        }
        text += "\n}";
    }
    text + "\n}\n"
}
