//! Users, permissions, scripts and client encryption keys.

use crate::client::Server;

#[tokio::test]
async fn scripts_are_stored_and_listed() {
    let server = Server::with_container().await;
    for (segment, name, extra) in [
        ("sprocs", "StoredProcedures", ""),
        ("udfs", "UserDefinedFunctions", ""),
        ("triggers", "Triggers", r#","triggerType":"Pre","triggerOperation":"All""#),
    ] {
        let feed = format!("/dbs/d/colls/c/{segment}");
        let body = format!(r#"{{"id":"s","body":"function() {{}}"{extra}}}"#);
        let created = server.post(&feed, &body).send().await.expect(201);
        assert_eq!(created.string("body"), "function() {}");
        let self_link = format!("/{}", created.string("_self"));
        assert!(self_link.contains(&format!("/{segment}/")), "{self_link}");
        server.post(&feed, &body).send().await.refused(409, None, "already exists");
        assert_eq!(server.get(&feed).send().await.expect(200).ids(name), ["s"]);
        let one = format!("{feed}/s");
        assert_eq!(server.get(&one).send().await.expect(200).body, created.body);
        let changed = body.replace("{}\"", "{ return 1 }\"");
        let replaced = server.put(&one, &changed).send().await.expect(200);
        assert_eq!(replaced.string("_rid"), created.string("_rid"));
        let stale = server.put(&one, &body).with("if-match", created.has("etag")).send().await;
        stale.refused(412, None, "precondition");
        assert_eq!(server.get(&self_link).send().await.expect(200).body, replaced.body);
        let query = r#"{"query":"SELECT VALUE r.id FROM r"}"#;
        let call = server.post(&feed, query).with("x-ms-documentdb-isquery", "true");
        assert_eq!(call.send().await.expect(200).property(name).to_string(), r#"["s"]"#);
        server.post(&feed, r#"{"id":"t"}"#).send().await.refused(400, None, "body; ");
        server.delete(&one).send().await.expect(204);
        server.get(&one).send().await.refused(404, None, "Resource Not Found.");
    }
}

#[tokio::test]
async fn attached_resources_are_deleted_with_their_container() {
    let server = Server::with_container().await;
    let body = r#"{"id":"s","body":"function() {}"}"#;
    server.post("/dbs/d/colls/c/udfs", body).send().await.expect(201);
    server.delete("/dbs/d/colls/c").send().await.expect(204);
    let container = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;
    server.post("/dbs/d/colls", container).send().await.expect(201);
    let list = server.get("/dbs/d/colls/c/udfs").send().await.expect(200);
    assert!(list.entries("UserDefinedFunctions").is_empty());
}

#[tokio::test]
async fn users_and_encryption_keys_belong_to_a_database() {
    let server = Server::with_container().await;
    let user = server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    assert_eq!(user.string("_permissions"), "permissions/");
    assert_eq!(server.get("/dbs/d/users").send().await.ids("Users"), ["u"]);
    let key = r#"{"id":"k","wrappedDataEncryptionKey":"AAAA"}"#;
    server.post("/dbs/d/clientencryptionkeys", key).send().await.expect(201);
    let list = server.get("/dbs/d/clientencryptionkeys").send().await.expect(200);
    assert_eq!(list.ids("ClientEncryptionKeys"), ["k"]);
    server.delete("/dbs/d/users/u").send().await.expect(204);
    server.get("/dbs/d/users/u/permissions").send().await.expect(404);
}
