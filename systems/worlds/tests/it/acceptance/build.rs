//! Building a world: WB-A1 to WB-A4.

use serde_json::json;

use crate::stage::{Stage, Way, eldoria};

pub(crate) async fn wb_a01_nested_entities_have_depths_paths_and_a_tree<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, ids) = eldoria(&stage).await;
    let version = |answer: &crate::site::Answer| answer.data()["version"].as_u64().unwrap();
    let before = version(&stage.get(&format!("{world}/hierarchy")).await);
    let names = ["Eldoria", "Arcanis", "Valoria", "Silverwood", "Elara"];
    for (number, id) in ids.iter().enumerate() {
        let entity = stage.get(&format!("{world}/entities/{id}")).await;
        assert_eq!(entity.data()["depth"], number + 1);
        assert_eq!(entity.data()["path"], json!(names[..number + 2]));
        assert_eq!(entity.data()["ancestorIds"].as_array().unwrap().len(), number + 1);
    }
    assert_eq!(stage.get(&world).await.data()["depth"], 0);
    stage.work().await;
    let nested =
        json!(["Eldoria", [["Arcanis", [["Valoria", [["Silverwood", [["Elara", []]]]]]]]]]);
    assert_eq!(stage.tree(&world).await, nested);
    let tree = stage.get(&format!("{world}/hierarchy")).await;
    assert!(version(&tree) > before);
    assert_eq!(tree.data()["totalEntities"], 4);
    assert_eq!(tree.data()["entitiesByType"]["Character"], 1);
    // The etag is the version: who has it gets no body.
    let etag = tree.header("etag");
    let path = format!("{world}/hierarchy");
    let headers = [("if-none-match", etag.as_str())];
    let again = stage.site.call(Some("ann"), "GET", &path, None, &headers).await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
}

pub(crate) async fn wb_a02_reads_are_right_and_within_their_budgets<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, valoria, ..]) = eldoria(&stage).await;
    stage.work().await;
    let check = async |path: &str, names: &[&str], budget: f64| {
        let answer = stage.get(&format!("{world}{path}")).await;
        assert_eq!(answer.names(), names, "{path}");
        // Twice the upper bound is allowed.
        assert!(
            answer.charge() > 0.0 && answer.charge() <= 2.0 * budget,
            "{path}: {}",
            answer.charge()
        );
        assert_eq!(answer.body["pagination"]["hasMore"], false);
    };
    check(&format!("/entities/{arcanis}/children"), &["Valoria"], 5.0).await;
    check("/entities?type=Region", &["Silverwood"], 8.0).await;
    check("/entities?sort=name&order=desc&type=Region", &["Silverwood"], 8.0).await;
    check("/search?q=silver", &["Silverwood"], 12.0).await;
    check(&format!("/search?q=silver&parentId={valoria}"), &["Silverwood"], 12.0).await;
    check(&format!("/search?q=valoria&parentId={valoria}"), &[], 12.0).await;
    let all = stage.get(&format!("{world}/entities?sort=name")).await;
    assert_eq!(all.names(), ["Arcanis", "Elara", "Eldoria", "Silverwood", "Valoria"]);
    let one = stage.get(&format!("{world}/entities/{arcanis}")).await;
    assert!(one.charge() <= 2.0, "{}", one.charge());
    let count = stage.get(&format!("{world}/entities/{arcanis}/children/count")).await;
    assert_eq!(count.data()["count"], 1);
    // Pages: each entity once, and a cursor only for its own list.
    let first = stage.get(&format!("{world}/entities?sort=name&limit=3")).await;
    assert_eq!(first.names(), ["Arcanis", "Elara", "Eldoria"]);
    let cursor = first.body["pagination"]["nextCursor"].as_str().unwrap();
    let second = stage.get(&format!("{world}/entities?sort=name&limit=3&cursor={cursor}")).await;
    assert_eq!(second.names(), ["Silverwood", "Valoria"]);
    let foreign = stage.get(&format!("{world}/entities?sort=createdDate&cursor={cursor}")).await;
    assert_eq!((foreign.status, foreign.code()), (400, "invalid_cursor"));
}

pub(crate) async fn wb_a03_parents_types_names_and_tags_have_rules<W: Way>() {
    let stage = Stage::new::<W>().await;
    let world = stage.create_world("Eldoria").await;
    let continent = stage.create(&world, "", "Continent", "Arcanis").await;
    let monster = stage.create(&world, &continent, "Monster", "Owlbear").await;
    let create =
        async |body: serde_json::Value| stage.post(&format!("{world}/entities"), body).await;
    let wrong =
        create(json!({ "entityType": "Continent", "name": "C", "parentId": monster })).await;
    assert_eq!((wrong.status, wrong.code()), (422, "INVALID_PARENT"));
    let rule = "Continent may not be nested in Monster; allowed are World, Continent";
    assert_eq!(wrong.body["detail"], rule);
    let unknown = create(json!({ "entityType": "Spaceship", "name": "S" })).await;
    assert_eq!((unknown.status, unknown.fields()), (400, vec!["entityType"]));
    let long = "x".repeat(201);
    let tags: Vec<String> = (0..21).map(|number| format!("t{number}")).collect();
    let both = create(json!({ "entityType": "Note", "name": long, "tags": tags })).await;
    assert_eq!((both.status, both.fields()), (400, vec!["name", "tags"]));
    let missing = create(json!({ "entityType": "Note", "name": "N", "parentId": "nobody" })).await;
    assert_eq!((missing.status, missing.code()), (422, "INVALID_PARENT"));
    let long = "x".repeat(101);
    let named = stage.post("/api/v1/worlds", json!({ "name": long })).await;
    assert_eq!((named.status, named.fields()), (400, vec!["name"]));
    // A type that its parent, or what is nested in it, does not allow.
    let path = format!("{world}/entities/{continent}");
    let retyped = stage.call("ann", "PATCH", &path, Some(json!({ "entityType": "Weapon" }))).await;
    assert_eq!((retyped.status, retyped.code()), (422, "INVALID_PARENT"));
}

pub(crate) async fn wb_a04_a_schema_finds_all_mistakes_at_once_and_fills_in_defaults<W: Way>() {
    let stage = Stage::new::<W>().await;
    let world = stage.create_world("Eldoria").await;
    let create = async |properties: serde_json::Value| {
        let body = json!({ "entityType": "Character", "name": "Elara", "schemaId": "own-character",
            "properties": properties });
        stage.post(&format!("{world}/entities"), body).await
    };
    let level = json!({ "Name": "Level", "DataType": "int", "Required": true,
        "ValidationRule": "min:1,max:20" });
    let alignment = json!({ "Name": "Alignment", "DataType": "string",
        "ValidationRule": "enum:Good,Neutral,Evil", "DefaultValue": "Neutral" });
    let class = json!({ "Name": "Class", "DataType": "string", "Required": true });
    let schema = json!({ "id": "own-character", "Name": "Own", "EntityType": "Character",
        "CommonProperties": [level, alignment, class] });
    let unknown = create(json!({})).await;
    assert_eq!((unknown.status, unknown.fields()), (400, vec!["schemaId"]));
    assert_eq!(stage.post("/api/v1/schemas", schema.clone()).await.status, 201);
    assert_eq!(stage.post("/api/v1/schemas", schema.clone()).await.status, 409);
    let wrong = create(json!({ "Level": 21, "Alignment": "Bad" })).await;
    let fields = vec!["properties.Alignment", "properties.Class", "properties.Level"];
    assert_eq!((wrong.status, wrong.fields()), (400, fields));
    let right = create(json!({ "Level": 7, "Class": "Ranger", "Own": [1] })).await;
    assert_eq!(right.status, 201, "{}", right.body);
    let stored = json!({ "Level": 7, "Class": "Ranger", "Own": [1], "Alignment": "Neutral" });
    assert_eq!(right.data()["properties"], stored);
    let path = format!("{world}/entities/{}", right.data()["id"].as_str().unwrap());
    let change = json!({ "properties": { "Level": 0, "Class": "Ranger" } });
    let changed = stage.call("ann", "PATCH", &path, Some(change)).await;
    assert_eq!((changed.status, changed.fields()), (400, vec!["properties.Level"]));
    let validate = "/api/v1/schemas/own-character/validate";
    let checked = stage.post(validate, json!({ "properties": { "Level": 3 } })).await;
    assert_eq!(checked.data()["mistakes"][0]["field"], "properties.Class");
    let schemas = stage.get("/api/v1/schemas").await;
    assert_eq!(schemas.data().as_array().unwrap().len(), 9);
    let exported = stage.get("/api/v1/schemas/own-character/json-schema").await;
    let required = &exported.body["properties"]["properties"]["required"];
    assert_eq!(*required, json!(["Level", "Class"]));
    assert_eq!(
        stage.call("ann", "DELETE", "/api/v1/schemas/own-character", None).await.status,
        204
    );
    let shipped = stage.call("ann", "DELETE", "/api/v1/schemas/dnd5e-character", None).await;
    assert_eq!(shipped.status, 409);
}
