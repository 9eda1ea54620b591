//! Changing a world: WB-A5 to WB-A8, WB-A13.

use serde_json::json;
use worlds::{WorldId, WorldsSettings};

use crate::stage::{Stage, Way, eldoria};

pub(crate) async fn wb_a05_paths_follow_a_rename_also_after_a_crash<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, _, _, elara]) = eldoria(&stage).await;
    stage.work().await;
    let path = format!("{world}/entities/{arcanis}");
    let renamed = stage.call("ann", "PATCH", &path, Some(json!({ "name": "Arcania" }))).await;
    assert_eq!(renamed.data()["path"], json!(["Eldoria", "Arcania"]));
    // The worker learns of it and dies before it has written a single path.
    let worker = stage.system.tree_worker("dies").await.unwrap();
    worker.run_once().await.unwrap();
    stage.travel(120);
    assert_eq!(worker.run_once().await.unwrap().trees, 1, "it has the lease now");
    drop(worker);
    let path = format!("{world}/entities/{elara}");
    assert_eq!(stage.get(&path).await.data()["path"][1], "Arcanis");
    stage.work().await;
    let right = json!(["Eldoria", "Arcania", "Valoria", "Silverwood", "Elara"]);
    assert_eq!(stage.get(&path).await.data()["path"], right);
    let operations = stage.get(&format!("{world}/delete-operations")).await;
    let operation = &operations.data()[0];
    assert_eq!(
        (&operation["kind"], &operation["status"]),
        (&json!("rewrite_paths"), &json!("completed"))
    );
    assert_eq!(operation["done"], 3);
}

pub(crate) async fn wb_a06_a_move_takes_everything_along_and_makes_no_cycle<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, valoria, silverwood, elara]) = eldoria(&stage).await;
    let other = stage.create(&world, "", "Continent", "Borea").await;
    stage.work().await;
    let moved = async |id: &str, to: &str| {
        stage.post(&format!("{world}/entities/{id}/move"), json!({ "newParentId": to })).await
    };
    let cycle = moved(&valoria, &silverwood).await;
    assert_eq!((cycle.status, cycle.code()), (409, "PARENT_CYCLE"));
    let own = moved(&valoria, &valoria).await;
    assert_eq!((own.status, own.code()), (409, "PARENT_CYCLE"));
    let below = moved(&valoria, &elara).await;
    assert!([409, 422].contains(&below.status), "{}", below.body);
    let ruled = moved(&arcanis, &elara).await;
    assert!([409, 422].contains(&ruled.status), "{}", ruled.body);
    let right = moved(&valoria, &other).await;
    assert_eq!((right.status, &right.data()["depth"]), (200, &json!(2)));
    stage.work().await;
    let entity = stage.get(&format!("{world}/entities/{elara}")).await;
    assert_eq!(
        entity.data()["path"],
        json!(["Eldoria", "Borea", "Valoria", "Silverwood", "Elara"])
    );
    assert_eq!(entity.data()["ancestorIds"][1], other.as_str());
    let tree = json!([
        "Eldoria",
        [["Arcanis", []], ["Borea", [["Valoria", [["Silverwood", [["Elara", []]]]]]]]]
    ]);
    assert_eq!(stage.tree(&world).await, tree);
    let up = moved(&silverwood, &arcanis).await;
    assert_eq!(up.status, 200);
    stage.work().await;
    let entity = stage.get(&format!("{world}/entities/{elara}")).await;
    assert_eq!(entity.data()["depth"], 3);
}

pub(crate) async fn wb_a07_the_second_of_two_editors_is_refused<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, valoria, ..]) = eldoria(&stage).await;
    let path = format!("{world}/entities/{arcanis}");
    let etag = stage.get(&path).await.header("etag");
    let put = async |name: &str, etag: &str| {
        let body = json!({ "entityType": "Continent", "name": name });
        stage.site.call(Some("ann"), "PUT", &path, Some(body), &[("if-match", etag)]).await
    };
    let first = put("First", &etag).await;
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(put("Second", &etag).await.status, 412);
    assert_eq!(stage.get(&path).await.data()["name"], "First");
    assert_eq!(put("Third", &first.header("etag")).await.status, 200);
    // The same for moves and deletes.
    let headers = [("if-match", etag.as_str())];
    let path = format!("{world}/entities/{valoria}");
    let body = json!({ "newParentId": world.rsplit('/').next().unwrap() });
    let to = format!("{path}/move");
    let moved = stage.site.call(Some("ann"), "POST", &to, Some(body), &headers).await;
    assert_eq!(moved.status, 412);
    for path in [path.clone(), format!("{path}?cascade=true"), world.clone()] {
        let deleted = stage.site.call(Some("ann"), "DELETE", &path, None, &headers).await;
        assert_eq!(deleted.status, 412, "{path}");
    }
}

pub(crate) async fn wb_a08_a_full_world_warns_and_then_refuses<W: Way>() {
    let mut settings = WorldsSettings::default();
    (settings.worlds.max_entities, settings.worlds.warn_at) = (10, 8);
    let stage = Stage::with::<W>(settings).await;
    let world = stage.create_world("Small").await;
    let path = format!("{world}/entities");
    let note = json!({ "entityType": "Note", "name": "Note" });
    for number in 1..=9 {
        let created = stage.post(&path, note.clone()).await;
        let warnings = created.body["meta"]["warnings"].as_array().map_or(0, Vec::len);
        assert_eq!(warnings, usize::from(number >= 8), "{number}");
    }
    // One place is left for ten.
    let create = || stage.post(&path, note.clone());
    let answers = futures::future::join_all((0..10).map(|_| create())).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 9, "{statuses:?}");
    let full = create().await;
    assert_eq!(full.code(), "WORLD_ENTITY_LIMIT");
    // A delete makes room, and a restore needs it.
    let created = answers.iter().find(|answer| answer.status == 201).unwrap();
    let id = created.data()["id"].as_str().unwrap();
    let deleted = stage.call("ann", "DELETE", &format!("{path}/{id}"), None).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(create().await.status, 201);
    let restored = stage.post(&format!("{world}/deleted/{id}/restore"), json!({})).await;
    assert_eq!((restored.status, restored.code()), (409, "WORLD_ENTITY_LIMIT"));
}

pub(crate) async fn wb_a13_a_worker_that_was_stopped_catches_up<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, valoria, ..]) = eldoria(&stage).await;
    stage.work().await;
    let id = WorldId::parse(world.rsplit('/').next().unwrap()).unwrap();
    for number in 0..60 {
        let parent = if number % 2 == 0 { &arcanis } else { &valoria };
        let note = stage.create(&world, parent, "Note", &format!("Note {number}")).await;
        if number % 3 == 0 {
            let path = format!("{world}/entities/{note}");
            stage.call("ann", "PATCH", &path, Some(json!({ "name": format!("N{number}") }))).await;
        }
        if number % 7 == 0 {
            stage.call("ann", "DELETE", &format!("{world}/entities/{note}"), None).await;
        }
    }
    stage.work().await;
    let stored = stage.get(&format!("{world}/hierarchy?includeDeleted=true")).await;
    assert_eq!(stage.system.rebuild(&id).await.unwrap(), None, "a rebuild finds nothing to do");
    // The leases are gone: everything is delivered again, and nothing changes.
    let leases = &stage.system.containers().leases;
    let query = client::Query::text("SELECT VALUE c.id FROM c").fan_out("a test deletes leases");
    for lease in leases.query::<String>(&query).await.unwrap().value {
        leases.delete(&lease.as_str().into(), &lease, None).await.unwrap();
    }
    let worker = stage.system.tree_worker("another").await.unwrap();
    let round = worker.run_once().await.unwrap();
    assert!(round.changes >= 60 && round.trees == 0, "{round:?}");
    let again = stage.get(&format!("{world}/hierarchy?includeDeleted=true")).await;
    assert_eq!(again.data(), stored.data());
    // Without the tree, everything comes from the entities.
    let metadata = &stage.system.containers().metadata;
    metadata.delete(&id.partition_key(), id.as_str(), None).await.unwrap();
    stage.system.rebuild(&id).await.unwrap().unwrap();
    let rebuilt = stage.get(&format!("{world}/hierarchy?includeDeleted=true")).await;
    assert_eq!(rebuilt.data()["root"], stored.data()["root"]);
}
