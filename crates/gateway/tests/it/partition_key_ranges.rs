//! Partition key ranges.

use crate::client::Server;
use engine::ContainerLink;
use engine::operation::SplitPartition;

#[tokio::test]
async fn ranges_are_returned_until_nothing_is_new() {
    let server = Server::with_container().await;
    let path = "/dbs/d/colls/c/pkranges/";
    let first = server.get(path).with("a-im", "Incremental Feed").send().await.expect(200);
    let ranges = first.entries("PartitionKeyRanges");
    assert_eq!(ranges.len(), 1);
    assert_eq!(ranges[0].get("minInclusive").unwrap().as_str(), Some(""));
    assert_eq!(ranges[0].get("maxExclusive").unwrap().as_str(), Some("FF"));
    let again = server.get(path).with("if-none-match", first.has("etag")).send().await.expect(304);
    assert_eq!(again.has("etag"), first.has("etag"));
    assert!(again.body.is_empty());
    let (database, rid) = (server.get("/dbs/d").send().await.string("_rid"), first.string("_rid"));
    let by_rid = format!("/dbs/{database}/colls/{rid}/pkranges");
    assert_eq!(server.get(&by_rid).send().await.expect(200).body, first.body);
}

#[tokio::test]
async fn a_split_is_new_and_the_old_range_is_gone() {
    let server = Server::with_container().await;
    let path = "/dbs/d/colls/c/pkranges";
    let etag = server.get(path).send().await.has("etag").to_owned();
    let container = ContainerLink::new("d", "c").unwrap();
    let split = SplitPartition { container, partition: 0, at: None };
    server.engine.split_partition(split).await.unwrap();
    let after = server.get(path).with("if-none-match", &etag).send().await.expect(200);
    assert_eq!(after.ids("PartitionKeyRanges"), ["1", "2"]);
    for range in after.entries("PartitionKeyRanges") {
        assert_eq!(range.get("parents").unwrap().to_string(), r#"["0"]"#);
    }
    let items = || server.get("/dbs/d/colls/c/docs");
    let name = "x-ms-documentdb-partitionkeyrangeid";
    items().with(name, "0").send().await.refused(410, Some("1002"), "partition key range '0'");
    items().with(name, "1").send().await.expect(200);
    // Clients of bulk requests look at the status of the answer, not at those of its parts.
    let body = r#"[{"operationType":"Read","id":"x","partitionKey":"[\"x\"]"}]"#;
    let bulk =
        server.post("/dbs/d/colls/c/docs", body).with("x-ms-cosmos-is-batch-request", "True");
    let bulk = bulk.with("x-ms-cosmos-batch-atomic", "False").with(name, "0");
    bulk.send().await.refused(410, Some("1002"), "partition key range '0'");
}

#[tokio::test]
async fn throughput_decides_how_many_ranges_there_are() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    for (throughput, ranges) in [("400", 1), ("12000", 2), ("30000", 5)] {
        let body = format!(
            r#"{{"id":"c{throughput}","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}}}}"#
        );
        let call = server.post("/dbs/d/colls", &body).with("x-ms-offer-throughput", throughput);
        call.send().await.expect(201);
        let list = server.get(&format!("/dbs/d/colls/c{throughput}/pkranges")).send().await;
        assert_eq!(list.entries("PartitionKeyRanges").len(), ranges);
    }
}

#[tokio::test]
async fn an_incremental_read_returns_only_new_ranges() {
    let server = Server::with_container().await;
    let path = "/dbs/d/colls/c/pkranges";
    let news = |etag: &str| {
        server.get(path).with("a-im", "Incremental Feed").with("if-none-match", etag).send()
    };
    let split = |partition| {
        let container = ContainerLink::new("d", "c").unwrap();
        server.engine.split_partition(SplitPartition { container, partition, at: None })
    };
    let parents = |answer: &crate::client::Answer| -> Vec<String> {
        let ranges = answer.entries("PartitionKeyRanges");
        ranges.iter().map(|range| range.get("parents").unwrap().to_string()).collect()
    };
    let first = server.get(path).send().await.has("etag").to_owned();
    split(0).await.unwrap();
    let second = news(&first).await.expect(200);
    assert_eq!(second.ids("PartitionKeyRanges"), ["1", "2"]);
    split(2).await.unwrap();
    let third = news(second.has("etag")).await.expect(200);
    assert_eq!(third.ids("PartitionKeyRanges"), ["3", "4"]);
    assert_eq!(parents(&third), [r#"["0","2"]"#, r#"["0","2"]"#]);
    assert_eq!(third.has("x-ms-item-count"), "2");
    news(third.has("etag")).await.expect(304);
    // From the first set on, both splits are new, and the parents name all that is gone.
    let both = news(&first).await.expect(200);
    assert_eq!(both.ids("PartitionKeyRanges"), ["1", "3", "4"]);
    assert_eq!(both.has("etag"), third.has("etag"));
    // An etag that we did not issue matches nothing.
    for foreign in ["\"x\"", "\"1.0.AAAA\"", "12", "*"] {
        assert_eq!(news(foreign).await.expect(200).ids("PartitionKeyRanges"), ["1", "3", "4"]);
    }
}
