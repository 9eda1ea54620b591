//! The stored forms: property names and casing of the seed.

use serde_json::{Value, json};
use worlds::WorldEntity;

use crate::stage::{Embedded, Stage, eldoria};

/// The example of the seed, with what this system adds, is read and written without a difference.
#[test]
fn the_example_of_the_seed_survives_a_round_trip() {
    let text = include_str!("golden/entity.json");
    let value: Value = serde_json::from_str(text).unwrap();
    let entity: WorldEntity = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_value(&entity).unwrap(), value);
    assert_eq!(entity.name, "Elara Silverwind");
}

#[tokio::test]
async fn stored_items_have_the_names_of_the_seed() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, ..]) = eldoria(&stage).await;
    stage.work().await;
    let access = stage.access(&world).await;
    let containers = stage.system.containers();
    let id = worlds::EntityId::parse(arcanis.as_str()).unwrap();
    let key = access.world().entity_key(&id);
    let entity = containers.entities.read::<Value>(&key, &arcanis).await.unwrap().value.value;
    let names = |value: &Value| -> Vec<String> {
        value.as_object().unwrap().keys().filter(|key| !key.starts_with('_')).cloned().collect()
    };
    let mut stored = names(&entity);
    stored.sort();
    let expected = [
        "AncestorIds",
        "CreatedBy",
        "CreatedDate",
        "Depth",
        "EntityType",
        "IsDeleted",
        "ModifiedBy",
        "ModifiedDate",
        "Name",
        "OwnerId",
        "ParentId",
        "Path",
        "WorldId",
        "id",
    ];
    assert_eq!(stored, expected);
    let key = access.world().entity_key(&access.world().root());
    let root = containers.entities.read::<Value>(&key, access.world().as_str()).await;
    let root = root.unwrap().value.value;
    assert_eq!((&root["ParentId"], &root["id"]), (&Value::Null, &root["WorldId"]));
    let key = access.world().partition_key();
    let tree = containers.metadata.read::<Value>(&key, access.world().as_str()).await.unwrap();
    let tree = tree.value.value;
    assert_eq!(tree["LastUpdatedBy"], "change-feed-processor");
    assert_eq!(tree["id"], tree["WorldId"]);
    let node = &tree["HierarchyRoot"]["Children"][0];
    assert_eq!(node["Id"], arcanis.as_str());
    assert_eq!((&node["Name"], &node["EntityType"]), (&json!("Arcanis"), &json!("Continent")));
    assert_eq!(node["Depth"], 1);
}
