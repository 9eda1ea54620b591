//! What a process leaves behind when it dies between two writes, and how it is corrected.

use serde_json::{Value, json};
use worlds::{EntityCounter, EntityId};

use crate::stage::{Embedded, Stage, eldoria};

#[tokio::test]
async fn a_reserved_place_without_an_entity_is_given_back() {
    let stage = Stage::new::<Embedded>().await;
    let (world, _) = eldoria(&stage).await;
    let access = stage.access(&world).await;
    let metadata = &stage.system.containers().metadata;
    let (key, id) = (access.world().partition_key(), format!("{}:counter", access.world()));
    let leak = |counter: &mut EntityCounter| {
        counter.count += 7;
        Ok::<_, client::Error>(())
    };
    metadata.modify(&key, &id, leak).await.unwrap();
    stage.work().await;
    // A create may be between its two writes.
    assert_eq!(stage.system.reconcile().await.unwrap().counters, 0);
    stage.travel(300);
    assert_eq!(stage.system.reconcile().await.unwrap().counters, 1);
    let counter = metadata.read::<EntityCounter>(&key, &id).await.unwrap().value.value;
    assert_eq!(counter.count, 4);
    assert_eq!(stage.system.reconcile().await.unwrap().counters, 0);
}

#[tokio::test]
async fn paths_and_trees_that_were_damaged_are_made_again() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [_, valoria, _, elara]) = eldoria(&stage).await;
    stage.work().await;
    let access = stage.access(&world).await;
    let containers = stage.system.containers();
    let id = EntityId::parse(valoria.as_str()).unwrap();
    let damage = |entity: &mut Value| {
        entity["Path"] = json!(["Nowhere"]);
        Ok::<_, client::Error>(())
    };
    containers.entities.modify(&access.world().entity_key(&id), &valoria, damage).await.unwrap();
    let damage = |tree: &mut Value| {
        tree["HierarchyRoot"]["Children"] = json!([]);
        Ok::<_, client::Error>(())
    };
    let key = access.world().partition_key();
    containers.metadata.modify(&key, access.world().as_str(), damage).await.unwrap();
    let report = stage.system.reconcile().await.unwrap();
    assert_eq!((report.worlds, report.trees, report.paths), (1, 1, 1), "{report:?}");
    stage.work().await;
    let entity = stage.get(&format!("{world}/entities/{valoria}")).await;
    assert_eq!(entity.data()["path"], json!(["Eldoria", "Arcanis", "Valoria"]));
    let again = stage.system.reconcile().await.unwrap();
    assert_eq!((again.trees, again.paths, again.orphans), (0, 0, 0), "{again:?}");
    assert_eq!(stage.get(&format!("{world}/entities/{elara}")).await.data()["depth"], 4);
}

#[tokio::test]
async fn what_was_created_in_a_deleted_entity_goes_with_it() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, valoria, silverwood, elara]) = eldoria(&stage).await;
    stage.work().await;
    // The state after a create that read its parent before the cascade and wrote after it.
    let access = stage.access(&world).await;
    let id = EntityId::parse(valoria.as_str()).unwrap();
    let flag = |entity: &mut Value| {
        entity["IsDeleted"] = json!(true);
        entity["DeletedDate"] = json!("2026-03-01T10:00:00.000Z");
        Ok::<_, client::Error>(())
    };
    let entities = &stage.system.containers().entities;
    entities.modify(&access.world().entity_key(&id), &valoria, flag).await.unwrap();
    assert_eq!(stage.system.reconcile().await.unwrap().orphans, 1);
    assert_eq!(stage.get(&format!("{world}/entities/{silverwood}")).await.status, 404);
    assert_eq!(stage.system.reconcile().await.unwrap().orphans, 1);
    assert_eq!(stage.get(&format!("{world}/entities/{elara}")).await.status, 404);
    assert_eq!(stage.get(&format!("{world}/entities/{arcanis}")).await.status, 200);
}

#[tokio::test]
async fn a_sweep_that_stopped_halfway_goes_on() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [.., elara]) = eldoria(&stage).await;
    stage.call("ann", "DELETE", &format!("{world}/entities/{elara}"), None).await;
    stage.work().await;
    stage.travel_days(31);
    // The copy is written, and the process died before the entity was deleted.
    let access = stage.access(&world).await;
    let containers = stage.system.containers();
    let key = access.world().entity_key(&EntityId::parse(elara.as_str()).unwrap());
    let mut copy = containers.entities.read::<Value>(&key, &elara).await.unwrap().value.value;
    copy["HardDeleteDate"] = json!("2026-12-01T00:00:00.000Z");
    copy["ttl"] = json!(100_000);
    containers.deleted.create(&key, &copy).await.unwrap();
    assert_eq!(stage.get(&format!("{world}/deleted")).await.names(), ["Elara"]);
    assert_eq!(stage.system.sweep_trash().await.unwrap().moved, 1);
    assert!(containers.entities.read::<Value>(&key, &elara).await.is_err());
    assert_eq!(stage.get(&format!("{world}/deleted")).await.names(), ["Elara"]);
    let restored = stage.post(&format!("{world}/deleted/{elara}/restore"), json!({})).await;
    assert_eq!(restored.status, 200, "{}", restored.body);
}

#[tokio::test]
async fn an_operation_of_a_dead_worker_is_taken_over() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, ..]) = eldoria(&stage).await;
    let path = format!("{world}/entities/{arcanis}?cascade=true");
    let started = stage.call("ann", "DELETE", &path, None).await;
    let id = started.data()["id"].as_str().unwrap();
    let access = stage.access(&world).await;
    let claim = |operation: &mut Value| {
        operation["Status"] = json!("in_progress");
        operation["Worker"] = json!("dead");
        operation["LeasedUntil"] = json!("2026-03-01T10:01:00.000Z");
        Ok::<_, client::Error>(())
    };
    let operations = &stage.system.containers().operations;
    operations.modify(&access.world().partition_key(), id, claim).await.unwrap();
    assert_eq!(stage.system.run_operations("other").await.unwrap(), 0);
    stage.travel(120);
    assert_eq!(stage.system.run_operations("other").await.unwrap(), 1);
    let done = stage.get(&format!("{world}/delete-operations/{id}")).await;
    assert_eq!(done.data()["status"], "completed");
    // It has done what its user asked for; a retry is refused.
    let retry = stage.post(&format!("{world}/delete-operations/{id}/retry"), json!({})).await;
    assert_eq!(retry.status, 409);
}

#[tokio::test]
async fn a_user_is_erased_and_nobody_else_is() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [.., elara]) = eldoria(&stage).await;
    let others = stage.call("bob", "POST", "/api/v1/worlds", Some(json!({ "name": "Bobs" }))).await;
    stage.call("ann", "DELETE", &format!("{world}/entities/{elara}"), None).await;
    stage.work().await;
    let ann = worlds::WorldUser::parse("ann").unwrap();
    let certificate = stage.system.erase_user(&ann).await.unwrap();
    let found: u64 = certificate.containers.iter().map(|one| one.found).sum();
    assert_eq!(found, 5);
    assert_eq!(stage.get(&world).await.status, 404);
    assert_eq!(stage.get("/api/v1/worlds").await.names(), Vec::<&str>::new());
    let query = client::Query::text("SELECT VALUE c.WorldId FROM c").fan_out("a test looks");
    let left: Vec<String> = stage.system.containers().metadata.query(&query).await.unwrap().value;
    assert!(left.iter().all(|id| *id == others.data()["id"]), "{left:?}");
    assert_eq!(stage.call("bob", "GET", "/api/v1/worlds", None).await.names(), ["Bobs"]);
}
