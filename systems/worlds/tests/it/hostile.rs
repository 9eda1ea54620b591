//! Bad input: what must be refused by name, and leave nothing behind.

use serde_json::json;

use crate::stage::{Embedded, Stage, eldoria};

#[tokio::test]
async fn a_nesting_has_a_limit() {
    let stage = Stage::new::<Embedded>().await;
    let world = stage.create_world("Deep").await;
    let mut parent = String::new();
    for level in 1..=50 {
        parent = stage.create(&world, &parent, "Note", &format!("Level {level}")).await;
    }
    let body = json!({ "entityType": "Note", "name": "Too deep", "parentId": parent });
    let refused = stage.post(&format!("{world}/entities"), body).await;
    assert_eq!((refused.status, refused.code()), (422, "INVALID_PARENT"));
    stage.work().await;
    let tree = stage.get(&format!("{world}/hierarchy")).await;
    assert_eq!(tree.data()["totalEntities"], 50);
    // A branch of two levels does not fit below level 49.
    let top = stage.create(&world, "", "Note", "Top").await;
    stage.create(&world, &top, "Note", "Below").await;
    let deep = stage.get(&format!("{world}/search?q=level+49")).await;
    let id = deep.data()[0]["id"].as_str().unwrap();
    let body = json!({ "newParentId": id });
    let moved = stage.post(&format!("{world}/entities/{top}/move"), body).await;
    assert_eq!((moved.status, moved.code()), (422, "INVALID_PARENT"), "{}", moved.body);
}

#[tokio::test]
async fn wrong_bodies_queries_and_ids_are_refused() {
    let stage = Stage::new::<Embedded>().await;
    let (world, [arcanis, ..]) = eldoria(&stage).await;
    let entities = format!("{world}/entities");
    let big: String = "x".repeat(110 * 1024);
    for (body, fields) in [
        (json!({ "entityType": "Note", "name": "" }), vec!["name"]),
        (json!({ "entityType": "Note", "name": "a\u{0}b" }), vec!["name"]),
        (json!({ "entityType": "Note", "name": "N", "tags": [""] }), vec!["tags"]),
        (
            json!({ "entityType": "Note", "name": "N", "description": "x".repeat(5_001) }),
            vec!["description"],
        ),
        (
            json!({ "entityType": "Note", "name": "N", "properties": { "a": big } }),
            vec!["properties"],
        ),
        (json!({ "entityType": "World", "name": "N" }), vec!["entityType"]),
        (json!({ "entityType": "Note", "name": "N", "schemaVersion": 0 }), vec!["schemaVersion"]),
    ] {
        let refused = stage.post(&entities, body).await;
        assert_eq!((refused.status, refused.fields()), (400, fields), "{}", refused.body);
    }
    let unknown = json!({ "entityType": "Note", "name": "N", "ownerId": "bob" });
    assert!([400, 422].contains(&stage.post(&entities, unknown).await.status));
    for path in [
        format!("{entities}?limit=0"),
        format!("{entities}?limit=201"),
        format!("{entities}?sort=color"),
        format!("{entities}?cursor=abc"),
        format!("{entities}?unknown=1"),
        format!("{world}/search?q="),
        format!("{world}/search?q=a&mode=magic"),
    ] {
        assert_eq!(stage.get(&path).await.status, 400, "{path}");
    }
    assert_eq!(stage.get(&format!("{world}/search?q=a&mode=vector")).await.status, 501);
    for path in
        [format!("{entities}/a%2Fb"), format!("{entities}/..%2f"), "/api/v1/worlds/%00".to_owned()]
    {
        let status = stage.get(&path).await.status;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
    // An id of another world of the same user names nothing here.
    let other = stage.create_world("Other").await;
    assert_eq!(stage.get(&format!("{other}/entities/{arcanis}")).await.status, 404);
    let body = json!({ "entityType": "Note", "name": "N", "parentId": arcanis });
    let foreign = stage.post(&format!("{other}/entities"), body).await;
    assert_eq!((foreign.status, foreign.code()), (422, "INVALID_PARENT"));
}

#[tokio::test]
async fn text_of_people_is_stored_as_typed_and_served_as_data() {
    let stage = Stage::new::<Embedded>().await;
    let world = stage.create_world("<script>alert(1)</script>").await;
    let name = "<img src=x onerror=alert(1)> \u{202e}evil";
    let id = stage.create(&world, "", "Note", name).await;
    let path = format!("{world}/entities/{id}");
    let answer = stage.get(&path).await;
    assert_eq!(answer.data()["name"], name);
    assert!(answer.header("content-type").starts_with("application/json"));
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn archives_that_lie_are_refused() {
    let stage = Stage::new::<Embedded>().await;
    let path = "/api/v1/worlds/import";
    let not = stage.site.send(path, b"this is no zip".to_vec()).await;
    assert_eq!((not.status, &not.body["errors"][0]["code"]), (400, &json!("NOT_AN_ARCHIVE")));
    // Ten megabytes of zeros are a few kilobytes in a zip.
    let bomb = zip_of("entities/bomb.json", &vec![0; 10 * 1024 * 1024]);
    assert!(bomb.len() < 20_000);
    let refused = stage.site.send(path, bomb).await;
    let codes = refused.body["errors"].to_string();
    assert!(refused.status == 400 && codes.contains("FILE_TOO_LARGE"), "{codes}");
    let outside = zip_of("entities/../../etc/passwd", b"x");
    let refused = stage.site.send(path, outside).await;
    assert!(refused.body["errors"].to_string().contains("PATH_OUTSIDE"), "{}", refused.body);
    let large = stage.site.send(path, vec![0; 26 * 1024 * 1024]).await;
    assert_eq!(large.status, 413);
}

fn zip_of(path: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(path, zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn more_operations_than_allowed_have_to_wait() {
    let stage = Stage::new::<Embedded>().await;
    let world = stage.create_world("Busy").await;
    let mut last = 0;
    for number in 0..6 {
        let top = stage.create(&world, "", "Note", &format!("Top {number}")).await;
        let path = format!("{world}/entities/{top}?cascade=true");
        last = stage.call("ann", "DELETE", &path, None).await.status;
        assert_eq!(last, if number < 5 { 202 } else { 429 });
    }
    assert_eq!(last, 429);
    stage.work().await;
    let top = stage.create(&world, "", "Note", "Later").await;
    let path = format!("{world}/entities/{top}?cascade=true");
    assert_eq!(stage.call("ann", "DELETE", &path, None).await.status, 202);
}

#[tokio::test]
async fn two_moves_at_the_same_time_make_no_cycle() {
    let stage = Stage::new::<Embedded>().await;
    let world = stage.create_world("Cycle").await;
    let one = stage.create(&world, "", "Note", "One").await;
    let other = stage.create(&world, "", "Note", "Other").await;
    let moved = async |id: &str, to: &str| {
        stage
            .post(&format!("{world}/entities/{id}/move"), json!({ "newParentId": to }))
            .await
            .status
    };
    for _ in 0..10 {
        let both = tokio::join!(moved(&one, &other), moved(&other, &one));
        assert!(both.0 != 200 || both.1 != 200, "{both:?}");
        stage.work().await;
        let tree = stage.get(&format!("{world}/hierarchy")).await;
        assert_eq!(tree.data()["totalEntities"], 2);
        let mut reached = 0;
        let mut nodes = vec![&tree.data()["root"]];
        while let Some(node) = nodes.pop() {
            reached += 1;
            nodes.extend(node["children"].as_array().unwrap());
        }
        assert_eq!(reached, 3, "both are connected to the World");
        let root = world.rsplit('/').next().unwrap();
        for id in [&one, &other] {
            moved(id, root).await;
        }
    }
}
