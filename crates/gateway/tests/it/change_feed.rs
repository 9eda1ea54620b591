//! The change feed.

use crate::client::{Answer, Call, Server};

const ITEMS: &str = "/dbs/d/colls/c/docs";

async fn upsert(server: &Server, id: &str) {
    let body = format!(r#"{{"id":"{id}","pk":"x"}}"#);
    let call = server.post(ITEMS, &body).key(r#"["x"]"#).with("x-ms-documentdb-is-upsert", "true");
    assert!(call.send().await.status < 300);
}

fn latest(server: &Server) -> Call<'_> {
    server.get(ITEMS).with("a-im", "Incremental feed")
}

fn all_versions(server: &Server) -> Call<'_> {
    let call = server.get(ITEMS).with("a-im", "Full-Fidelity Feed");
    call.with("x-ms-cosmos-changefeed-wire-format-version", "2021-09-15")
}

fn lsn(answer: &Answer, index: usize) -> Option<i64> {
    answer.entries("Documents")[index].get("_lsn").unwrap().as_i64()
}

#[tokio::test]
async fn changes_are_returned_once() {
    let server = Server::with_container().await;
    let empty = latest(&server).send().await.expect(304);
    assert!(!empty.has("etag").is_empty());
    for id in ["a", "b", "a"] {
        upsert(&server, id).await;
    }
    let first = latest(&server).send().await.expect(200);
    assert_eq!(first.ids("Documents"), ["b", "a"]);
    assert_eq!((lsn(&first, 0), lsn(&first, 1)), (Some(2), Some(3)));
    let again = latest(&server).with("if-none-match", first.has("etag")).send().await.expect(304);
    assert!(again.body.is_empty());
    upsert(&server, "c").await;
    let next = latest(&server).with("if-none-match", again.has("etag")).send().await.expect(200);
    assert_eq!(next.ids("Documents"), ["c"]);
}

#[tokio::test]
async fn a_reader_starts_where_requested() {
    let server = Server::with_container().await;
    upsert(&server, "a").await;
    let now = latest(&server).with("if-none-match", "*").send().await.expect(304);
    server.travel(60);
    upsert(&server, "b").await;
    let since = latest(&server).with("if-modified-since", "Sat, 10 Oct 2026 09:02:30 GMT");
    assert_eq!(since.send().await.expect(200).ids("Documents"), ["b"]);
    let after = latest(&server).with("if-none-match", now.has("etag")).send().await.expect(200);
    assert_eq!(after.ids("Documents"), ["b"]);
    let one = latest(&server).with("x-ms-max-item-count", "1").send().await.expect(200);
    assert_eq!(one.ids("Documents"), ["a"]);
    let bad = latest(&server).with("if-modified-since", "yesterday").send().await;
    bad.refused(400, None, "If-Modified-Since");
    let bad = latest(&server).with("if-none-match", "\"foreign\"").send().await;
    bad.refused(400, None, "Invalid Continuation Token");
    server.get(ITEMS).with("a-im", "Other").send().await.refused(400, None, "A-IM");
}

#[tokio::test]
async fn all_versions_contain_deletes_and_previous_images() {
    let server = Server::with_container().await;
    all_versions(&server).send().await.refused(400, None, "starts now or at a continuation token");
    let start = all_versions(&server).with("if-none-match", "*").send().await.expect(304);
    upsert(&server, "a").await;
    upsert(&server, "a").await;
    server.delete("/dbs/d/colls/c/docs/a").key(r#"["x"]"#).send().await.expect(204);
    let call = all_versions(&server).with("if-none-match", start.has("etag"));
    let changes = call.send().await.expect(200).entries("Documents");
    let operations: Vec<_> = changes
        .iter()
        .map(|change| change.get("metadata").unwrap().get("operationType").unwrap().to_string())
        .collect();
    assert_eq!(operations, ["\"create\"", "\"replace\"", "\"delete\""]);
    assert!(changes.iter().all(|change| change.get("previous").is_none()));
    let created = changes[0].get("metadata").unwrap();
    assert!(created.get("id").is_none() && created.get("partitionKey").is_none());
    let call = all_versions(&server).with("if-none-match", start.has("etag"));
    let call = call.with("x-planisphere-previous-images", "true");
    let changes = call.send().await.expect(200).entries("Documents");
    let deleted = &changes[2];
    assert_eq!(deleted.get("current").unwrap().to_string(), "{}");
    assert_eq!(deleted.get("previous").unwrap().get("id").unwrap().as_str(), Some("a"));
    let metadata = deleted.get("metadata").unwrap();
    assert_eq!(metadata.get("id").unwrap().as_str(), Some("a"));
    assert_eq!(metadata.get("partitionKey").unwrap().to_string(), r#"{"pk":"x"}"#);
    assert!(metadata.get("crts").unwrap().as_i64().unwrap() > 0);
    assert_eq!(metadata.get("previousImageLSN").unwrap().as_i64(), Some(2));
}

#[tokio::test]
async fn the_etag_of_a_range_is_its_lsn_and_survives_a_split() {
    let server = Server::with_container().await;
    let of_range =
        |id: &'static str| latest(&server).with("x-ms-documentdb-partitionkeyrangeid", id);
    for id in ["a", "b", "c"] {
        upsert(&server, id).await;
    }
    let first = of_range("0").send().await.expect(200);
    assert_eq!(first.has("etag"), "\"3\"");
    let last = of_range("0").with("if-none-match", first.has("etag")).send().await.expect(304);
    assert_eq!(last.has("etag"), "\"3\"");
    // With and without quotes, and before the end.
    let rest = of_range("0").with("if-none-match", "1").send().await.expect(200);
    assert_eq!(rest.ids("Documents"), ["b", "c"]);
    // A number beyond the end waits for the writes after it.
    let ahead = of_range("0").with("if-none-match", "\"9\"").send().await.expect(304);
    assert_eq!(ahead.has("etag"), "\"9\"");
    let link = engine::ContainerLink::new("d", "c").unwrap();
    let split = engine::operation::SplitPartition { container: link, partition: 0, at: None };
    server.engine.split_partition(split).await.unwrap();
    of_range("0").with("if-none-match", "\"3\"").send().await.refused(
        410,
        Some("1002"),
        "no longer",
    );
    upsert(&server, "d").await;
    let mut found = Vec::new();
    for id in ["1", "2"] {
        let answer = of_range(id).with("if-none-match", "\"1\"").send().await;
        assert!(answer.has("etag").trim_matches('"').parse::<u64>().unwrap() >= 1);
        if answer.status == 200 {
            found.extend(answer.ids("Documents"));
        }
    }
    assert_eq!(found, ["b", "c", "d"]);
    // Over both ranges each has a position of its own, so that the etag is a token.
    let both = latest(&server).with("if-none-match", "\"2\"").send().await.expect(200);
    assert!(both.has("etag").trim_matches('"').parse::<u64>().is_err());
}

#[tokio::test]
async fn the_newer_wire_format_puts_items_and_metadata_side_by_side() {
    let server = Server::with_container().await;
    upsert(&server, "a").await;
    let call = latest(&server).with("x-ms-cosmos-changefeed-wire-format-version", "2021-09-15");
    let changes = call.send().await.expect(200).entries("Documents");
    let current = changes[0].get("current").unwrap();
    assert_eq!(current.get("id").unwrap().as_str(), Some("a"));
    assert!(current.get("_lsn").is_none());
    let metadata = changes[0].get("metadata").unwrap().to_string();
    assert_eq!(metadata, format!(r#"{{"lsn":1,"crts":{}}}"#, crate::client::NOW_SECONDS));
}
