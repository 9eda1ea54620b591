//! Attached resources: users, permissions, scripts; and addresses by id and resource id.

use engine::query::QueryItems;
use engine::{AttachedKind, ErrorKind};
use model::{Json, Object};

use crate::account::{Account, container};

const BODY: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;

fn content(text: &str) -> Object {
    Json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
}

#[tokio::test]
async fn attached_resources_survive_reopening_and_go_with_their_owner() {
    let account = Account::new().await;
    let link = account.container(container(BODY)).await;
    let owner = account.resource(&link).await.rid;
    let kind = AttachedKind::StoredProcedure;
    let create = |text: &str| account.engine.create_attached(owner, kind, content(text));
    let created = create(r#"{"id":"s","body":"x"}"#).await.unwrap().value;
    assert_eq!(create(r#"{"id":"s"}"#).await.unwrap_err().kind(), ErrorKind::Conflict);
    let account = account.reopened().await;
    let engine = &account.engine;
    assert_eq!(engine.read_attached(owner, kind, "s").await.unwrap().value, created);
    let by_rid = engine.read_attached(owner, kind, &created.rid.to_string()).await.unwrap();
    assert_eq!(by_rid.value, created);
    assert!(engine.list_attached(owner, AttachedKind::Trigger).await.unwrap().value.is_empty());
    engine.delete_container(&link).await.unwrap();
    assert!(engine.list_attached(owner, kind).await.unwrap().value.is_empty());
    let late = engine.create_attached(owner, kind, content(r#"{"id":"t"}"#)).await;
    assert_eq!(late.unwrap_err().kind(), ErrorKind::OwnerNotFound);
}

#[tokio::test]
async fn a_stored_user_defined_function_is_not_run_and_an_unknown_one_is_a_mistake() {
    let account = Account::new().await;
    let link = account.container(container(BODY)).await;
    let owner = account.resource(&link).await.rid;
    let engine = &account.engine;
    let refusal = async |text: &str| {
        engine.query_items(QueryItems::new(link.clone(), text)).await.unwrap_err()
    };
    let texts = [
        "SELECT VALUE udf.twice(c.n) FROM c",
        "SELECT * FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.l WHERE udf.twice(x) = 2)",
        "SELECT VALUE false AND udf.twice(1)",
    ];
    for text in texts {
        let error = refusal(text).await;
        assert_eq!(error.kind(), ErrorKind::BadQuery, "{text}");
        let words = "'twice' is not a recognized user-defined function name.";
        assert!(error.to_string().contains(words), "{error}");
    }
    let kind = AttachedKind::UserDefinedFunction;
    let function = content(r#"{"id":"twice","body":"function(n) { return 2 * n }"}"#);
    engine.create_attached(owner, kind, function).await.unwrap();
    for text in texts {
        let error = refusal(text).await;
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{text}");
        assert!(error.to_string().contains("'twice'"), "{error}");
    }
    let mixed = refusal("SELECT VALUE udf.twice(udf.Twice(1))").await;
    assert_eq!(mixed.kind(), ErrorKind::BadQuery);
}

#[tokio::test]
async fn permissions_go_with_their_user() {
    let account = Account::new().await;
    account.database("d").await;
    let engine = &account.engine;
    let owner = engine.resolve_database("d").unwrap().rid;
    let user = engine.create_attached(owner, AttachedKind::User, content(r#"{"id":"u"}"#)).await;
    let user = user.unwrap().value;
    let kind = AttachedKind::Permission;
    engine.create_attached(user.rid, kind, content(r#"{"id":"p"}"#)).await.unwrap();
    assert_eq!(engine.list_attached(user.rid, kind).await.unwrap().value.len(), 1);
    engine.delete_attached(AttachedKind::User, &user, None).await.unwrap();
    assert!(engine.list_attached(user.rid, kind).await.unwrap().value.is_empty());
}

#[tokio::test]
async fn a_container_is_addressed_by_id_and_by_resource_id() {
    let account = Account::new().await;
    let link = account.container(container(BODY)).await;
    let engine = &account.engine;
    let by_id = engine.resolve_container("d", "c").unwrap();
    assert_eq!((&by_id.link, by_id.by_resource_id), (&link, false));
    let (database, rid) = (by_id.database_rid.to_string(), by_id.rid.to_string());
    let by_rid = engine.resolve_container(&database, &rid).unwrap();
    assert_eq!((by_rid.link, by_rid.rid, by_rid.by_resource_id), (link, by_id.rid, true));
    for (database, container) in [("d", "x"), ("x", "c"), ("d", "AAAA")] {
        let missing = engine.resolve_container(database, container).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::OwnerNotFound);
    }
}
