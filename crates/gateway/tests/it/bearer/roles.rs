//! What the roles of a caller allow: by action and by scope.

use gateway::KeySource;

use super::signer::{Signer, claims, file, header, key_set, server};
use crate::client::{Answer, Server};

const ROLES: &str = r#"{
    "roleDefinitions": [
        {"id": "asker", "permissions": [{"dataActions": [
            "Microsoft.DocumentDB/databaseAccounts/readMetadata",
            "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/executeQuery"]}]},
        {"id": "writer", "permissions": [{"dataActions": [
            "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/create",
            "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/upsert"]}]}
    ],
    "roleAssignments": [
        {"principalId": "reader", "scope": "/",
         "roleDefinitionId": "00000000-0000-0000-0000-000000000001"},
        {"principalId": "contributor", "scope": "/dbs/d",
         "roleDefinitionId": "00000000-0000-0000-0000-000000000002"},
        {"principalId": "narrow", "scope": "/dbs/d/colls/c",
         "roleDefinitionId": "00000000-0000-0000-0000-000000000002"},
        {"principalId": "askers", "scope": "/dbs/d/colls/c", "roleDefinitionId": "asker"},
        {"principalId": "writer", "scope": "/dbs/d/colls/c", "roleDefinitionId": "writer"}
    ]
}"#;

struct Account {
    server: Server,
    signer: Signer,
    _keys: tempfile::NamedTempFile,
}

impl Account {
    async fn new() -> Self {
        let signer = Signer::new("one");
        let keys = file(&key_set(&[signer.public()]));
        let server = server(KeySource::File(keys.path().to_owned()), ROLES).await;
        Self { server, signer, _keys: keys }
    }

    async fn ask(&self, who: &str, verb: &str, path: &str, body: &str, flags: &[&str]) -> Answer {
        self.ask_as(&claims(who), verb, path, body, flags).await
    }

    async fn ask_as(
        &self,
        claims: &str,
        verb: &str,
        path: &str,
        body: &str,
        flags: &[&str],
    ) -> Answer {
        let call = self.server.call(verb, path, body).unsigned().key(r#"["x"]"#);
        let call = call.with("authorization", &header(&self.signer.token(claims)));
        flags.iter().fold(call, |call, flag| call.with(flag, "True")).send().await
    }
}

const QUERY: &str = "x-ms-documentdb-isquery";
const PLAN: &str = "x-ms-cosmos-is-query-plan-request";
const UPSERT: &str = "x-ms-documentdb-is-upsert";
const BATCH: &str = "x-ms-cosmos-is-batch-request";
const ATOMIC: &str = "x-ms-cosmos-batch-atomic";
const ITEM: &str = r#"{"id":"a","pk":"x"}"#;
const TEXT: &str = r#"{"query":"SELECT * FROM c"}"#;

#[tokio::test]
async fn a_reader_reads_everything_and_writes_nothing() {
    let account = Account::new().await;
    let docs = "/dbs/d/colls/c/docs";
    let call = account.server.post(docs, ITEM).key(r#"["x"]"#);
    call.send().await.expect(201);
    for (verb, path, body, flags) in [
        ("GET", "/", "", &[][..]),
        ("GET", "/dbs", "", &[]),
        ("POST", "/dbs", TEXT, &[QUERY]),
        ("GET", "/dbs/d", "", &[]),
        ("GET", "/dbs/d/colls", "", &[]),
        ("GET", "/dbs/d/colls/c", "", &[]),
        ("GET", "/dbs/d/colls/c/pkranges", "", &[]),
        ("GET", "/dbs/d/colls/c/docs/a", "", &[]),
        ("GET", docs, "", &[]),
        ("POST", docs, TEXT, &[QUERY]),
        ("POST", docs, TEXT, &[PLAN]),
        ("POST", docs, r#"[{"operationType":"Read","id":"a"}]"#, &[BATCH, ATOMIC]),
    ] {
        account.ask("reader", verb, path, body, flags).await.expect(200);
    }
    for (verb, path, body, flags, action) in [
        ("POST", docs, ITEM, &[][..], "items/create]"),
        ("POST", docs, ITEM, &[UPSERT], "items/upsert]"),
        ("PUT", "/dbs/d/colls/c/docs/a", ITEM, &[], "items/replace]"),
        ("PATCH", "/dbs/d/colls/c/docs/a", "{}", &[], "items/replace]"),
        ("DELETE", "/dbs/d/colls/c/docs/a", "", &[], "items/delete]"),
        ("POST", "/dbs/d/colls/c/operations/partitionkeydelete", "", &[], "items/delete]"),
        (
            "POST",
            docs,
            r#"[{"operationType":"Create","resourceBody":{}}]"#,
            &[BATCH, ATOMIC],
            "items/create]",
        ),
        (
            "POST",
            docs,
            r#"[{"operationType":"Read","id":"a"},{"operationType":"Delete","id":"a"}]"#,
            &[BATCH],
            "items/delete]",
        ),
        ("POST", "/dbs/d/colls/c/sprocs/s", "[]", &[], "executeStoredProcedure]"),
        ("GET", "/dbs/d/colls/c/conflicts", "", &[], "manageConflicts]"),
    ] {
        let answer = account.ask("reader", verb, path, body, flags).await;
        answer.refused(403, Some("5302"), action);
        answer.refused(403, Some("5302"), "principal [reader]");
    }
}

#[tokio::test]
async fn requests_that_are_not_about_data_need_the_account_key() {
    let account = Account::new().await;
    for (verb, path, body, flags) in [
        ("POST", "/dbs", r#"{"id":"n"}"#, &[][..]),
        ("DELETE", "/dbs/d", "", &[]),
        ("POST", "/dbs/d/colls", "{}", &[]),
        ("PUT", "/dbs/d/colls/c", "{}", &[]),
        ("DELETE", "/dbs/d/colls/c", "", &[]),
        ("GET", "/offers", "", &[]),
        ("POST", "/offers", TEXT, &[QUERY]),
        ("GET", "/dbs/d/users", "", &[]),
        ("POST", "/dbs/d/colls/c/sprocs", "{}", &[]),
        ("POST", "/dbs/d/colls/c/udfs", TEXT, &[QUERY]),
        ("GET", "/nowhere/at/all", "", &[]),
    ] {
        let answer = account.ask("contributor", verb, path, body, flags).await;
        answer.refused(403, Some("5300"), "cannot be authorized by AAD token");
    }
}

#[tokio::test]
async fn a_role_applies_only_in_its_scope() {
    let account = Account::new().await;
    let ask = |who, verb, path, body| account.ask(who, verb, path, body, &[]);
    ask("contributor", "POST", "/dbs/d/colls/o/docs", ITEM).await.expect(201);
    ask("contributor", "GET", "/dbs/d/colls", "").await.expect(200);
    let other = ask("contributor", "POST", "/dbs/e/colls/c/docs", ITEM).await;
    other.refused(403, Some("5302"), "on resource [dbs/e/colls/c]");
    ask("contributor", "GET", "/dbs", "").await.refused(403, Some("5301"), "on resource [/]");
    ask("contributor", "GET", "/dbs/e", "").await.refused(403, Some("5301"), "readMetadata]");
    ask("narrow", "POST", "/dbs/d/colls/c/docs", ITEM).await.expect(201);
    ask("narrow", "GET", "/dbs/d/colls/c", "").await.expect(200);
    ask("narrow", "GET", "/", "").await.expect(200);
    ask("narrow", "GET", "/dbs/d", "").await.refused(403, Some("5301"), "[dbs/d]");
    ask("narrow", "POST", "/dbs/d/colls/o/docs", ITEM).await.expect(403);
    // Whoever may not look is not expected what there is.
    let missing = ask("narrow", "GET", "/dbs/d/colls/z", "").await;
    missing.refused(403, Some("5301"), "[dbs/d/colls/z]");
    ask("contributor", "GET", "/dbs/d/colls/z", "").await.expect(404);
    for path in ["/", "/dbs", "/dbs/d/colls/c", "/dbs/d/colls/c/docs/a"] {
        ask("stranger", "GET", path, "").await.expect(403);
    }
}

#[tokio::test]
async fn resource_ids_lead_to_the_same_scope() {
    let account = Account::new().await;
    let database = account.server.get("/dbs/d").send().await.string("_rid");
    let rid = |answer: Answer| answer.string("_rid");
    let allowed = rid(account.server.get("/dbs/d/colls/c").send().await);
    let other = rid(account.server.get("/dbs/d/colls/o").send().await);
    let docs = |container: &str| format!("/dbs/{database}/colls/{container}/docs");
    account.ask("narrow", "POST", &docs(&allowed), ITEM, &[]).await.expect(201);
    let refused = account.ask("narrow", "POST", &docs(&other), ITEM, &[]).await;
    refused.refused(403, Some("5303"), "[dbs/d/colls/o]");
}

#[tokio::test]
async fn custom_roles_and_groups_allow_their_actions() {
    let account = Account::new().await;
    let docs = "/dbs/d/colls/c/docs";
    account.ask("writer", "POST", docs, ITEM, &[]).await.expect(201);
    account.ask("writer", "POST", docs, ITEM, &[UPSERT]).await.expect(200);
    let read = account.ask("writer", "GET", "/dbs/d/colls/c/docs/a", "", &[]).await;
    read.refused(403, Some("5302"), "items/read]");
    account.ask("writer", "GET", "/", "", &[]).await.refused(403, Some("5301"), "readMetadata]");
    let member = claims("member").replace("}", r#","groups":["others","askers"]}"#);
    account.ask_as(&member, "POST", docs, TEXT, &[QUERY]).await.expect(200);
    let feed = account.server.get(docs).unsigned().with("a-im", "Incremental Feed");
    let feed = feed.with("authorization", &header(&account.signer.token(&member)));
    feed.send().await.refused(403, Some("5302"), "readChangeFeed]");
}
