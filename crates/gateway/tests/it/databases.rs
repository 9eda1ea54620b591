//! Databases.

use crate::client::Server;

#[tokio::test]
async fn a_database_is_created_read_and_deleted() {
    let server = Server::start().await;
    let created = server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let rid = created.string("_rid");
    assert_eq!(created.string("_self"), format!("dbs/{rid}/"));
    assert_eq!(created.has("etag"), created.string("_etag"));
    assert!(created.has("x-ms-request-charge").parse::<f64>().unwrap() > 0.0);
    for path in ["/dbs/d", "/dbs/d/", &format!("/dbs/{rid}/")] {
        assert_eq!(server.get(path).send().await.expect(200).string("id"), "d");
    }
    let conflict = server.post("/dbs", r#"{"id":"d"}"#).send().await;
    conflict.refused(
        409,
        None,
        "Resource with specified id, name, or unique index already exists.",
    );
    let deleted = server.delete("/dbs/d").send().await.expect(204);
    assert!(deleted.body.is_empty());
    server.get("/dbs/d").send().await.refused(404, None, "Resource Not Found.");
}

#[tokio::test]
async fn databases_are_listed_in_pages() {
    let server = Server::start().await;
    for id in ["b", "a", "c"] {
        server.post("/dbs", &format!(r#"{{"id":"{id}"}}"#)).send().await.expect(201);
    }
    let all = server.get("/dbs").send().await.expect(200);
    assert_eq!(all.ids("Databases"), ["a", "b", "c"]);
    assert_eq!(all.string("_rid"), "");
    assert_eq!(all.header("x-ms-item-count"), Some("3"));
    assert_eq!(all.header("x-ms-continuation"), None);
    let first = server.get("/dbs").with("x-ms-max-item-count", "2").send().await.expect(200);
    assert_eq!(first.ids("Databases"), ["a", "b"]);
    let token = first.has("x-ms-continuation");
    let rest = server.get("/dbs").with("x-ms-continuation", token).send().await.expect(200);
    assert_eq!(rest.ids("Databases"), ["c"]);
    let made_up = server.get("/dbs").with("x-ms-continuation", "x").send().await;
    made_up.refused(400, None, "Invalid Continuation Token");
}

#[tokio::test]
async fn invalid_names_are_refused() {
    let server = Server::start().await;
    for id in ["", "a/b", "a?", "a#", "a "] {
        let answer = server.post("/dbs", &format!(r#"{{"id":"{id}"}}"#)).send().await;
        assert_eq!(answer.status, 400, "{id}");
    }
    server.post("/dbs", "{").send().await.refused(400, None, "The request payload is invalid.");
    server.post("/dbs", "{}").send().await.expect(400);
}
