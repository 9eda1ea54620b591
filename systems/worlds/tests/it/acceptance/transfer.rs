//! Files: WB-A15.

use serde_json::{Value, json};

use crate::stage::{Stage, Way, eldoria};

type Files = Vec<(String, Vec<u8>)>;

fn zip_of(files: &Files) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(path.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn file(path: &str, value: &Value) -> (String, Vec<u8>) {
    (path.to_owned(), serde_json::to_vec(value).unwrap())
}

fn note(number: usize, parent: Option<&str>) -> (String, Vec<u8>) {
    let value = json!({ "localId": format!("n{number}"), "parentLocalId": parent,
        "entityType": "Note", "name": format!("Note {number}") });
    file(&format!("entities/n{number}.json"), &value)
}

pub(crate) async fn wb_a15_an_archive_with_mistakes_creates_nothing<W: Way>() {
    let stage = Stage::new::<W>().await;
    let mut files = vec![file("world.json", &json!({ "name": "Imported" }))];
    files.extend((0..14).map(|number| note(number, None)));
    let right = files.clone();
    files.push(note(14, Some("n15")));
    files.push(note(15, Some("n14")));
    files.push(note(16, Some("nobody")));
    files.push(file(
        "entities/twice.json",
        &json!({ "localId": "n1", "entityType": "Note", "name": "N" }),
    ));
    files.push(("../x".to_owned(), b"out".to_vec()));
    let path = "/api/v1/worlds/import";
    let wrong = stage.site.send(path, zip_of(&files)).await;
    assert_eq!((wrong.status, wrong.code()), (400, "INVALID_ARCHIVE"), "{}", wrong.body);
    let errors = wrong.body["errors"].as_array().unwrap();
    let mut codes: Vec<&str> = errors.iter().map(|one| one["code"].as_str().unwrap()).collect();
    codes.sort_unstable();
    codes.dedup();
    let named = ["DANGLING_PARENT", "DUPLICATE_LOCAL_ID", "PARENT_CYCLE", "PATH_OUTSIDE"];
    assert_eq!(codes, named, "{}", wrong.body);
    assert_eq!(stage.get("/api/v1/worlds").await.names(), Vec::<&str>::new());
    let checked = stage.site.send(&format!("{path}?validateOnly=true"), zip_of(&right)).await;
    assert_eq!(checked.status, 204);
    assert_eq!(stage.get("/api/v1/worlds").await.names(), Vec::<&str>::new());
    let created = stage.site.send(path, zip_of(&right)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let world = format!("/api/v1/worlds/{}", created.data()["id"].as_str().unwrap());
    let all = stage.get(&format!("{world}/entities?type=Note&limit=200")).await;
    assert_eq!(all.names().len(), 14);
}

pub(crate) async fn wb_a15_an_export_can_be_imported<W: Way>() {
    let stage = Stage::new::<W>().await;
    let (world, [arcanis, ..]) = eldoria(&stage).await;
    let change = json!({ "description": "# Old\n**land**", "tags": ["major"], "schemaId": "fantasy-location",
        "properties": { "Population": 45_000_000 } });
    let path = format!("{world}/entities/{arcanis}");
    assert_eq!(stage.call("ann", "PATCH", &path, Some(change)).await.status, 200);
    let exported = stage.get(&format!("{world}/export")).await;
    assert_eq!(
        (exported.status, exported.header("content-type").as_str()),
        (200, "application/zip")
    );
    let imported = stage.site.send("/api/v1/worlds/import", exported.bytes.clone()).await;
    assert_eq!(imported.status, 201, "{}", imported.body);
    let copy = format!("/api/v1/worlds/{}", imported.data()["id"].as_str().unwrap());
    assert_ne!(copy, world);
    stage.work().await;
    assert_eq!(stage.tree(&copy).await, stage.tree(&world).await);
    let content = async |world: &str| -> Vec<Value> {
        let list = stage.get(&format!("{world}/entities?sort=name")).await;
        let keep = [
            "name",
            "entityType",
            "path",
            "depth",
            "description",
            "tags",
            "schemaId",
            "properties",
            "systemProperties",
        ];
        let kept = |one: &Value| keep.iter().map(|key| one[key].clone()).collect::<Value>();
        list.data().as_array().unwrap().iter().map(kept).collect()
    };
    assert_eq!(content(&copy).await, content(&world).await);
}
