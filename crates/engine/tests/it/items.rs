//! Items: the verbs one by one, and what is refused.

use engine::operation::{ReadOptions, WriteOptions};
use engine::response::{ReadResult, UpsertResult};
use engine::{ContainerLink, ErrorKind, ItemResource};
use model::{EtagPattern, Json, Precondition};

use crate::account::{Account, json, plain};
use crate::verbs::{if_match, key, own, patch_of, read_of, refused, text};

async fn with_item() -> (Account, ContainerLink, ItemResource) {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let item = account.create(&link, r#"{"id":"a","pk":"x","n":1}"#).await.unwrap();
    (account, link, item)
}

#[tokio::test]
async fn a_created_item_can_be_read_back_with_system_properties_at_the_end() {
    let (account, link, created) = with_item().await;
    let item = account.read(&link, "x", "a").await.unwrap();
    assert_eq!(item, created);
    let text = text(&item);
    assert!(text.starts_with(r#"{"id":"a","pk":"x","n":1,"_rid":""#), "{text}");
    assert!(text.ends_with(r#","_attachments":"attachments/","_ts":1800000000}"#), "{text}");
    account.verify().await;
}

#[tokio::test]
async fn an_id_is_taken_only_inside_its_logical_partition() {
    let (account, link, first) = with_item().await;
    account.create(&link, r#"{"id":"a","pk":"y"}"#).await.unwrap();
    account.create(&link, r#"{"id":"A","pk":"x"}"#).await.unwrap();
    let again = account.create(&link, r#"{"id":"a","pk":"x","n":2}"#).await;
    let message = refused(again, ErrorKind::Conflict);
    assert!(message.starts_with("Entity with the specified id already exists in the system."));
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), first);
    account.verify().await;
}

#[tokio::test]
async fn replace_needs_an_item_and_keeps_its_rid() {
    let (account, link, first) = with_item().await;
    let missing = account.replace(&link, "b", r#"{"id":"b","pk":"x"}"#).await;
    refused(missing, ErrorKind::NotFound);
    let elsewhere = account.replace(&link, "a", r#"{"id":"a","pk":"y"}"#).await;
    refused(elsewhere, ErrorKind::NotFound);
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), first);
    let second = account.replace(&link, "a", r#"{"id":"a","pk":"x","n":2}"#).await.unwrap();
    assert_eq!(own(&second), r#"{"id":"a","pk":"x","n":2}"#);
    assert_eq!(second.to_json().get("_rid"), first.to_json().get("_rid"));
    assert_ne!(second.etag(), first.etag());
    assert!(second.lsn() > first.lsn());
    let renamed = account.replace(&link, "a", r#"{"id":"b","pk":"x"}"#).await.unwrap();
    assert_eq!(renamed.to_json().get("_rid"), first.to_json().get("_rid"));
    refused(account.read(&link, "x", "a").await, ErrorKind::NotFound);
    assert_eq!(account.resource(&link).await.usage.items, 1);
    account.verify().await;
}

#[tokio::test]
async fn an_upsert_says_which_of_both_it_did() {
    let (account, link, _) = with_item().await;
    let created = account.upsert(&link, r#"{"id":"b","pk":"x"}"#).await.unwrap();
    assert!(matches!(created, UpsertResult::Created(_)));
    let replaced = account.upsert(&link, r#"{"id":"b","pk":"x","n":2}"#).await.unwrap();
    assert!(matches!(&replaced, UpsertResult::Replaced(item) if own(item).contains("\"n\":2")));
    assert_eq!(account.resource(&link).await.usage.items, 2);
    account.verify().await;
}

#[tokio::test]
async fn a_deleted_item_is_gone_and_its_id_free() {
    let (account, link, first) = with_item().await;
    account.delete(&link, "x", "a").await.unwrap();
    refused(account.read(&link, "x", "a").await, ErrorKind::NotFound);
    let text = refused(account.delete(&link, "x", "a").await, ErrorKind::NotFound);
    assert!(text.starts_with("Entity with the specified id does not exist in the system."));
    let again = account.create(&link, r#"{"id":"a","pk":"x"}"#).await.unwrap();
    assert_ne!(again.to_json().get("_rid"), first.to_json().get("_rid"));
    account.verify().await;
}

#[tokio::test]
async fn if_match_guards_every_write() {
    let (account, link, first) = with_item().await;
    let stale = || if_match("\"00000000-0000-0000-0000-000000000000\"");
    let kind = ErrorKind::PreconditionFailed;
    let body = r#"{"id":"a","pk":"x","n":2}"#;
    let set = || patch_of(r#"[{"op":"set","path":"/n","value":9}]"#, None);
    refused(account.replace_with(&link, "a", body, stale()).await, kind);
    refused(account.upsert_with(&link, body, stale()).await, kind);
    refused(account.delete_with(&link, "x", "a", stale()).await, kind);
    refused(account.patch_with(&link, ("x", "a"), set(), stale()).await, kind);
    let absent = r#"{"id":"absent","pk":"x"}"#;
    // Without an item there is nothing to compare: an upsert creates.
    account.upsert_with(&link, absent, if_match(first.etag())).await.unwrap();
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), first);

    let second = account.replace_with(&link, "a", body, if_match(first.etag())).await.unwrap();
    refused(account.replace_with(&link, "a", body, if_match(first.etag())).await, kind);
    let third = account.patch_with(&link, ("x", "a"), set(), if_match(second.etag())).await;
    let fourth = account.upsert_with(&link, body, if_match(third.unwrap().etag())).await.unwrap();
    account.delete_with(&link, "x", "a", if_match(fourth.item().etag())).await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn if_none_match_concerns_reads_only() {
    let (account, link, first) = with_item().await;
    let read = |etag: &str| {
        let mut read = read_of(&link, "x", "a");
        let pattern = EtagPattern::parse(etag);
        read.options =
            ReadOptions { precondition: Some(Precondition::IfNoneMatch(pattern)), ..read.options };
        account.engine.read_item(read)
    };
    let same = read(&first.etag().to_string()).await.unwrap().value;
    assert_eq!(same, ReadResult::NotModified(first.etag()));
    assert_eq!(read("*").await.unwrap().value, ReadResult::NotModified(first.etag()));
    assert_eq!(read("\"other\"").await.unwrap().value, ReadResult::Found(first.clone()));
    let pattern = EtagPattern::parse(&first.etag().to_string());
    let options = WriteOptions {
        precondition: Some(Precondition::IfNoneMatch(pattern)),
        ..WriteOptions::default()
    };
    account.replace_with(&link, "a", r#"{"id":"a","pk":"x"}"#, options).await.unwrap();
}

#[tokio::test]
async fn every_patch_operation_does_its_part() {
    let account = Account::new().await;
    let link = account.container(plain("c")).await;
    let item = r#"{"id":"a","pk":"x","n":1,"list":[1,3],"o":{"p":true},"old":"v"}"#;
    account.create(&link, item).await.unwrap();
    let patched = account
        .patch(
            &link,
            ("x", "a"),
            r#"[{"op":"add","path":"/list/1","value":2},{"op":"set","path":"/list/0","value":0},
                {"op":"replace","path":"/o/p","value":false},{"op":"incr","path":"/n","value":2},
                {"op":"move","from":"/old","path":"/o/new"},{"op":"add","path":"/list/-","value":4},
                {"op":"set","path":"/fresh","value":null},{"op":"remove","path":"/list/0"}]"#,
        )
        .await
        .unwrap();
    let expected =
        r#"{"id":"a","pk":"x","n":3,"list":[2,3,4],"o":{"p":false,"new":"v"},"fresh":null}"#;
    assert_eq!(own(&patched), expected);
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), patched);
    account.verify().await;
}

#[tokio::test]
async fn a_patched_member_stands_after_attachments_and_before_the_timestamp() {
    let (account, link, _) = with_item().await;
    account.travel(3);
    let operations = r#"[{"op":"add","path":"/new","value":1}]"#;
    let patched = account.patch(&link, ("x", "a"), operations).await.unwrap();
    let text = text(&patched);
    let end = r#""_attachments":"attachments/","new":1,"_ts":1800000003}"#;
    assert!(text.ends_with(end), "{text}");
}

#[tokio::test]
async fn a_patch_that_does_not_fit_changes_nothing() {
    let (account, link, first) = with_item().await;
    for operations in [
        r#"[{"op":"set","path":"/n","value":2},{"op":"remove","path":"/absent"}]"#,
        r#"[{"op":"replace","path":"/absent","value":1}]"#,
        r#"[{"op":"incr","path":"/pk","value":1}]"#,
        r#"[{"op":"set","path":"/id","value":"b"}]"#,
        r#"[{"op":"set","path":"/pk","value":"y"}]"#,
        r#"[{"op":"remove","path":"/_ts"}]"#,
        r#"[{"op":"set","path":"/ttl","value":0}]"#,
        r#"[{"op":"add","path":"/absent/deep","value":1}]"#,
    ] {
        let refusal = account.patch(&link, ("x", "a"), operations).await;
        refused(refusal, ErrorKind::Invalid);
    }
    let operations = r#"[{"op":"set","path":"/n","value":2}]"#;
    refused(account.patch(&link, ("x", "b"), operations).await, ErrorKind::NotFound);
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), first);
    account.verify().await;
}

#[tokio::test]
async fn a_patch_runs_only_under_its_condition() {
    let (account, link, first) = with_item().await;
    let when = |value: i64| {
        let condition = format!("from c where c.n = {value} and is_defined(c._ts)");
        patch_of(r#"[{"op":"incr","path":"/n","value":10}]"#, Some(&condition))
    };
    let options = WriteOptions::default;
    let refusal = account.patch_with(&link, ("x", "a"), when(2), options()).await;
    refused(refusal, ErrorKind::PreconditionFailed);
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), first);
    let patched = account.patch_with(&link, ("x", "a"), when(1), options()).await.unwrap();
    assert_eq!(patched.to_json().get("n"), Some(&json("11")));
    let set = |condition| patch_of(r#"[{"op":"set","path":"/n","value":0}]"#, Some(condition));
    for condition in ["c.n = 11", "from c where nope(c.n)", "from c join x in c.l where x = 1"] {
        let refusal = account.patch_with(&link, ("x", "a"), set(condition), options()).await;
        refused(refusal, ErrorKind::BadQuery);
    }
    let late = set("from c where GetCurrentTimestamp() < c._ts * 1000");
    let refusal = account.patch_with(&link, ("x", "a"), late, options()).await;
    refused(refusal, ErrorKind::PreconditionFailed);
    assert_eq!(account.read(&link, "x", "a").await.unwrap(), patched);
}

#[tokio::test]
async fn ids_follow_the_rules_of_the_service() {
    let (account, link, _) = with_item().await;
    let create = |id: Json| {
        let text = format!(r#"{{"id":{id},"pk":"x"}}"#);
        let (account, link) = (&account, &link);
        async move { account.create(link, &text).await }
    };
    let longest = "é".repeat(255);
    let odd = [" ", "%", "+", "a b", "\u{1F600}", "\"", "\n", "\u{0}", "a/b", "a?b", "a#b"];
    for good in odd.into_iter().chain([longest.as_str()]) {
        let created = create(Json::from(good)).await.unwrap();
        let read = account.read(&link, "x", good).await.unwrap();
        assert_eq!(read, created, "{good:?}");
    }
    let too_long = format!("{longest}e");
    for bad in ["", "a\\b", too_long.as_str()] {
        refused(create(Json::from(bad)).await, ErrorKind::Invalid);
    }
    for bad in ["1", "null", "{}", "true"] {
        refused(create(json(bad)).await, ErrorKind::Invalid);
    }
    let text = refused(account.create(&link, r#"{"pk":"x"}"#).await, ErrorKind::Invalid);
    assert!(text.contains("the required properties - 'id; ' - are missing"), "{text}");
    refused(account.create(&link, "[1]").await, ErrorKind::Invalid);
    assert_eq!(account.resource(&link).await.usage.items, 13);
    account.verify().await;
}

/// An item of exactly so many bytes.
fn sized(id: &str, bytes: usize) -> String {
    let frame = format!(r#"{{"id":"{id}","pk":"x","s":""}}"#).len();
    format!(r#"{{"id":"{id}","pk":"x","s":"{}"}}"#, "s".repeat(bytes - frame))
}

#[tokio::test]
async fn an_item_of_two_megabytes_is_taken_and_patched_and_one_byte_more_is_not() {
    const MAX: usize = 2 * 1024 * 1024;
    let (account, link, _) = with_item().await;
    account.create(&link, &sized("b", MAX)).await.unwrap();
    refused(account.create(&link, &sized("c", MAX + 1)).await, ErrorKind::TooLarge);
    refused(account.upsert(&link, &sized("b", MAX + 1)).await, ErrorKind::TooLarge);
    refused(account.replace(&link, "b", &sized("b", MAX + 1)).await, ErrorKind::TooLarge);
    let same = r#"[{"op":"set","path":"/pk2","value":1}]"#;
    refused(account.patch(&link, ("x", "b"), same).await, ErrorKind::TooLarge);
    account.create(&link, &sized("d", MAX - 10)).await.unwrap();
    account.patch(&link, ("x", "d"), r#"[{"op":"set","path":"/q","value":1}]"#).await.unwrap();
    assert_eq!(account.resource(&link).await.usage.items, 3);
}

#[tokio::test]
async fn an_item_may_have_128_levels() {
    let (account, link, _) = with_item().await;
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        let mut value = json("[]");
        for _ in 2..levels {
            value = Json::Array(vec![value]);
        }
        assert_eq!(value.to_string(), format!("{open}{close}"));
        let mut object = model::Object::new();
        object.insert("id", "deep");
        object.insert("pk", "x");
        object.insert("v", value);
        Json::Object(object)
    };
    let create = |item: Json| engine::operation::CreateItem {
        container: link.clone(),
        partition_key: None,
        item: item.into(),
        options: WriteOptions::default(),
    };
    refused(account.engine.create_item(create(nested(129))).await, ErrorKind::Invalid);
    refused(account.read(&link, "x", "deep").await, ErrorKind::NotFound);
    account.engine.create_item(create(nested(128))).await.unwrap();
    let deeper = r#"[{"op":"set","path":"/w","value":[[1]]}]"#;
    account.patch(&link, ("x", "deep"), deeper).await.unwrap();
    account.verify().await;
}

#[tokio::test]
async fn read_many_answers_in_the_order_asked_and_leaves_out_what_is_missing() {
    let (account, link, first) = with_item().await;
    let other = account.create(&link, r#"{"id":"b","pk":"y"}"#).await.unwrap();
    let found = account.read_many(&link, &[("y", "b"), ("x", "b"), ("x", "a"), ("y", "b")]).await;
    assert_eq!(found, [other.clone(), first, other]);
}

#[tokio::test]
async fn the_partition_key_of_the_request_must_be_the_items() {
    let (account, link, _) = with_item().await;
    let create = |partition_key| {
        account.create_with(
            &link,
            Some(key(partition_key)),
            r#"{"id":"b","pk":"x"}"#,
            WriteOptions::default(),
        )
    };
    let kind = ErrorKind::PartitionKeyMismatch;
    let text = refused(create("y").await, kind);
    assert!(text.starts_with("PartitionKey extracted from document doesn't match"), "{text}");
    refused(create("[]").await, kind);
    refused(create(r#"["x","y"]"#).await, kind);
    refused(account.read(&link, "[]", "a").await, kind);
    refused(account.delete(&link, r#"["x",1]"#, "a").await, kind);
    assert_eq!(account.resource(&link).await.usage.items, 1);
    create("x").await.unwrap();
}
