//! The trash: WB-A9 and WB-A10.

use serde_json::{Value, json};

use crate::stage::{Stage, Way, eldoria};

pub(crate) async fn wb_a09_a_cascade_is_deleted_and_restored_as_a_whole<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, valoria, silverwood, elara]) = eldoria(&stage).await;
    stage.work().await;
    let path = format!("{world}/entities/{valoria}");
    let refused = stage.call("ann", "DELETE", &path, None).await;
    assert_eq!((refused.status, refused.code()), (409, "ENTITY_HAS_CHILDREN"));
    let started = stage.call("ann", "DELETE", &format!("{path}?cascade=true"), None).await;
    assert_eq!((started.status, &started.data()["status"]), (202, &json!("pending")));
    let operation = started.data()["id"].as_str().unwrap();
    stage.work().await;
    let done = stage.get(&format!("{world}/delete-operations/{operation}")).await;
    assert_eq!(done.data()["status"], "completed", "{}", done.body);
    for id in [&valoria, &silverwood, &elara] {
        assert_eq!(stage.get(&format!("{world}/entities/{id}")).await.status, 404);
    }
    assert_eq!(
        stage.get(&format!("{world}/entities?sort=name")).await.names(),
        ["Arcanis", "Eldoria"]
    );
    assert_eq!(stage.get(&format!("{world}/search?q=elara")).await.names(), Vec::<&str>::new());
    assert_eq!(stage.tree(&world).await, json!(["Eldoria", [["Arcanis", []]]]));
    let all = stage.get(&format!("{world}/hierarchy?includeDeleted=true")).await;
    assert_eq!(all.data()["root"]["children"][0]["children"][0]["isDeleted"], true);
    let trash = stage.get(&format!("{world}/deleted")).await;
    let mut reasons: Vec<(&str, &str)> =
        trash.data().as_array().unwrap().iter().map(reason).collect();
    reasons.sort_unstable();
    let expected = [
        ("Elara", "cascade_delete"),
        ("Silverwood", "cascade_delete"),
        ("Valoria", "user_deleted"),
    ];
    assert_eq!(reasons, expected);
    // Alone it has no parent.
    let alone = stage.post(&format!("{world}/deleted/{elara}/restore"), json!({})).await;
    assert_eq!((alone.status, alone.code()), (409, "PARENT_DELETED"));
    assert_eq!(alone.body["choices"], json!(["restore", "world"]));
    // Everything together.
    let body = json!({ "withDescendants": true });
    let restored = stage.post(&format!("{world}/deleted/{valoria}/restore"), body).await;
    assert_eq!(restored.status, 202, "{}", restored.body);
    stage.work().await;
    let entity = stage.get(&format!("{world}/entities/{elara}")).await;
    assert_eq!((entity.status, &entity.data()["depth"]), (200, &json!(4)));
    assert_eq!(stage.get(&format!("{world}/deleted")).await.names(), Vec::<&str>::new());
    assert_eq!(stage.get(&format!("{world}/hierarchy")).await.data()["totalEntities"], 4);
    // One choice: the parents too.
    stage.call("ann", "DELETE", &format!("{world}/entities/{arcanis}?cascade=true"), None).await;
    stage.work().await;
    let parents = json!({ "parents": "restore" });
    let restored = stage.post(&format!("{world}/deleted/{silverwood}/restore"), parents).await;
    assert_eq!(restored.status, 200, "{}", restored.body);
    stage.work().await;
    let chain = json!(["Eldoria", [["Arcanis", [["Valoria", [["Silverwood", []]]]]]]]);
    assert_eq!(stage.tree(&world).await, chain);
    // The other one: the World.
    stage.call("ann", "DELETE", &format!("{world}/entities/{silverwood}"), None).await;
    let at_root = json!({ "parents": "world" });
    let restored = stage.post(&format!("{world}/deleted/{elara}/restore"), at_root).await;
    assert_eq!(restored.data()["path"], json!(["Eldoria", "Elara"]), "{}", restored.body);
}

fn reason(entity: &Value) -> (&str, &str) {
    (entity["name"].as_str().unwrap(), entity["deletionReason"].as_str().unwrap())
}

pub(crate) async fn wb_a10_the_trash_ends_by_itself<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [_, valoria, silverwood, elara]) = eldoria(&stage).await;
    stage.call("ann", "DELETE", &format!("{world}/entities/{valoria}?cascade=true"), None).await;
    stage.work().await;
    stage.travel_days(29);
    assert_eq!(stage.system.sweep_trash().await.unwrap().moved, 0);
    stage.travel_days(2);
    assert_eq!(stage.system.sweep_trash().await.unwrap().moved, 3);
    let containers = stage.system.containers();
    let id = worlds::WorldId::parse(world.rsplit('/').next().unwrap()).unwrap();
    let key = |entity: &str| id.entity_key(&worlds::EntityId::parse(entity).unwrap());
    let moved = containers.deleted.read::<Value>(&key(&elara), &elara).await.unwrap().value.value;
    assert_eq!(moved["ttl"], 7_776_000);
    assert_eq!(moved["DeletionReason"], "retention_expired");
    assert_eq!(moved["DeletedReasonOriginal"], "cascade_delete");
    assert_eq!(moved["OriginalWorldId"], id.as_str());
    assert!(containers.entities.read::<Value>(&key(&elara), &elara).await.is_err());
    let all = stage.get(&format!("{world}/hierarchy?includeDeleted=true")).await;
    assert_eq!(all.data()["root"]["children"][0]["children"], json!([]));
    let trash = stage.get(&format!("{world}/deleted")).await;
    assert_eq!(trash.data().as_array().unwrap().len(), 3);
    assert!(trash.data()[0]["hardDeleteDate"].is_string());
    // The trash is paged over both of its parts.
    let first = stage.get(&format!("{world}/deleted?limit=2")).await;
    let cursor = first.body["pagination"]["nextCursor"].as_str().unwrap();
    let second = stage.get(&format!("{world}/deleted?limit=2&cursor={cursor}")).await;
    assert_eq!((first.names().len(), second.names().len()), (2, 1));
    // Restored from there, as a whole.
    let body = json!({ "withDescendants": true });
    let restored = stage.post(&format!("{world}/deleted/{valoria}/restore"), body).await;
    assert_eq!(restored.status, 202, "{}", restored.body);
    stage.work().await;
    let entity = stage.get(&format!("{world}/entities/{elara}")).await;
    assert_eq!((entity.status, &entity.data()["depth"]), (200, &json!(4)));
    // Purged by hand, and by time.
    stage.call("ann", "DELETE", &format!("{world}/entities/{elara}"), None).await;
    let purge = format!("{world}/deleted/{elara}");
    assert_eq!(stage.call("ann", "DELETE", &purge, None).await.status, 204);
    assert_eq!(stage.call("ann", "DELETE", &purge, None).await.status, 404);
    stage.call("ann", "DELETE", &format!("{world}/entities/{silverwood}"), None).await;
    stage.travel_days(31);
    assert_eq!(stage.system.sweep_trash().await.unwrap().moved, 1);
    stage.travel_days(91);
    assert_eq!(stage.get(&format!("{world}/deleted")).await.names(), Vec::<&str>::new());
    let gone = stage.post(&format!("{world}/deleted/{silverwood}/restore"), json!({})).await;
    assert_eq!(gone.status, 404);
    // A whole world goes the same way.
    assert_eq!(stage.call("ann", "DELETE", &world, None).await.status, 202);
    stage.work().await;
    assert_eq!(stage.get(&world).await.status, 404);
    assert_eq!(stage.get("/api/v1/worlds").await.names(), Vec::<&str>::new());
    let back = stage.post(&format!("{world}/restore"), json!({})).await;
    assert_eq!(back.status, 202, "{}", back.body);
    stage.work().await;
    assert_eq!(stage.tree(&world).await, json!(["Eldoria", [["Arcanis", [["Valoria", []]]]]]));
    stage.call("ann", "DELETE", &world, None).await;
    stage.work().await;
    stage.travel_days(31);
    let sweep = stage.system.sweep_trash().await.unwrap();
    assert_eq!((sweep.moved, sweep.worlds), (3, 1));
    let back = stage.post(&format!("{world}/restore"), json!({})).await;
    assert_eq!(back.status, 202, "{}", back.body);
    stage.work().await;
    assert_eq!(stage.tree(&world).await, json!(["Eldoria", [["Arcanis", [["Valoria", []]]]]]));
}
