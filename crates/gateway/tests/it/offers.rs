//! Offers.

use crate::client::{Answer, NOW_SECONDS, Server};
use model::Json;

const CONTAINER: &str = r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#;

async fn find(server: &Server, query: &str, parameters: &str) -> Vec<Json> {
    let body = format!(r#"{{"query":"{query}","parameters":[{parameters}]}}"#);
    let call = server.post("/offers", &body).with("x-ms-documentdb-isquery", "True");
    call.send().await.expect(200).entries("Offers")
}

async fn offer_of(server: &Server, path: &str) -> Json {
    let link = server.get(path).send().await.string("_self");
    let parameter = format!(r#"{{"name":"@link","value":"{link}"}}"#);
    let query = "SELECT * FROM root r WHERE r.resource=@link";
    let mut offers = find(server, query, &parameter).await;
    assert_eq!(offers.len(), 1);
    offers.remove(0)
}

fn id(offer: &Json) -> &str {
    offer.get("id").unwrap().as_str().unwrap()
}

fn throughput(answer: &Answer) -> Option<i64> {
    answer.property("content").get("offerThroughput").unwrap().as_i64()
}

#[tokio::test]
async fn throughput_is_found_read_and_replaced() {
    let server = Server::with_container().await;
    let offer = offer_of(&server, "/dbs/d/colls/c").await;
    let rid = server.get("/dbs/d/colls/c").send().await.string("_rid");
    let query = format!("SELECT * FROM c WHERE c.offerResourceId = '{rid}'");
    assert_eq!(find(&server, &query, "").await, vec![offer.clone()]);
    let path = format!("/offers/{}/", id(&offer));
    let read = server.get(&path).send().await.expect(200);
    assert_eq!(throughput(&read), Some(400));
    assert_eq!(read.header("x-ms-offer-replace-pending"), Some("false"));
    let replaced_at = |offer: &Answer| {
        offer.property("content").get("offerLastReplaceTimestamp").and_then(Json::as_i64)
    };
    assert_eq!(replaced_at(&read), None, "it is still that of the creation");
    server.travel(60);
    let body = offer.to_string().replace("\"offerThroughput\":400", "\"offerThroughput\":1000");
    let replaced = server.put(&path, &body).send().await.expect(200);
    assert_eq!(throughput(&replaced), Some(1000));
    let now = i64::try_from(NOW_SECONDS + 60).unwrap();
    assert_eq!((replaced_at(&replaced), replaced.property("_ts").as_i64()), (Some(now), Some(now)));
    assert_ne!(replaced.has("etag"), read.has("etag"));
    let low = offer.to_string().replace("\"offerThroughput\":400", "\"offerThroughput\":300");
    let message = "The offer should have valid throughput values between 400 and 1000000";
    server.put(&path, &low).send().await.refused(400, None, message);
    server.get("/offers/AAAA").send().await.refused(404, None, "Resource Not Found.");
    assert_eq!(server.get("/offers").send().await.expect(200).entries("Offers").len(), 1);
}

#[tokio::test]
async fn throughput_migrates_both_ways() {
    let server = Server::start().await;
    server.post("/dbs", r#"{"id":"d"}"#).send().await.expect(201);
    let call = server.post("/dbs/d/colls", CONTAINER);
    let call = call.with("x-ms-cosmos-offer-autopilot-settings", r#"{"maxThroughput":4000}"#);
    call.send().await.expect(201);
    let offer = offer_of(&server, "/dbs/d/colls/c").await;
    let settings = offer.get("content").unwrap().get("offerAutopilotSettings").unwrap();
    assert_eq!(settings.get("maxThroughput").unwrap().as_i64(), Some(4000));
    let path = format!("/offers/{}", id(&offer));
    let call = server.put(&path, &offer.to_string());
    let manual = call.with("x-ms-cosmos-migrate-offer-to-manual-throughput", "true").send().await;
    assert_eq!(throughput(&manual.expect(200)), Some(4000));
    let call = server.put(&path, &offer.to_string());
    let back = call.with("x-ms-cosmos-migrate-offer-to-autopilot", "true").send().await.expect(200);
    assert!(back.text().contains("\"maxThroughput\":4000"), "{}", back.text());
}

#[tokio::test]
async fn a_database_shares_its_throughput() {
    let server = Server::start().await;
    let call = server.post("/dbs", r#"{"id":"d"}"#).with("x-ms-offer-throughput", "600");
    call.send().await.expect(201);
    server.post("/dbs/d/colls", CONTAINER).send().await.expect(201);
    let offer = offer_of(&server, "/dbs/d").await;
    assert_eq!(offer.get("content").unwrap().get("offerThroughput").unwrap().as_i64(), Some(600));
    let read = server.get("/dbs/d/colls/c").send().await;
    assert_eq!(read.header("x-ms-share-throughput"), Some("true"));
    assert_eq!(server.get("/offers").send().await.entries("Offers").len(), 1);
}

#[tokio::test]
async fn an_offer_tells_its_partitions_on_request() {
    let server = Server::with_container().await;
    let offer = format!("/offers/{}", server.get("/offers").send().await.ids("Offers")[0]);
    let plain = server.get(&offer).send().await.expect(200);
    assert!(!plain.text().contains("collectionThroughputInfo"));
    let call = server.get(&offer).with("x-ms-documentdb-populatecollectionthroughputinfo", "True");
    let content = call.send().await.expect(200).property("content");
    let info = content.get("collectionThroughputInfo").unwrap().to_string();
    assert_eq!(info, r#"{"minimumRUForCollection":400,"numPhysicalPartitions":1}"#);
}

#[tokio::test]
async fn more_throughput_is_pending_until_there_are_enough_ranges() {
    let server = Server::with_container().await;
    let offer = offer_of(&server, "/dbs/d/colls/c").await;
    let path = format!("/offers/{}/", id(&offer));
    let body = offer.to_string().replace("\"offerThroughput\":400", "\"offerThroughput\":25000");
    let replaced = server.put(&path, &body).send().await.expect(200);
    assert_eq!(throughput(&replaced), Some(25_000));
    assert_eq!(replaced.has("x-ms-offer-replace-pending"), "true");
    // Only against a hang: the background splits at once.
    for _ in 0..3000 {
        let read = server.get(&path).send().await.expect(200);
        if read.has("x-ms-offer-replace-pending") == "false" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let ranges = server.get("/dbs/d/colls/c/pkranges").send().await.expect(200);
    let ranges = ranges.entries("PartitionKeyRanges");
    let bounds: Vec<_> = ranges.iter().map(|range| range.get("maxExclusive").unwrap()).collect();
    let third = "15555555555555555555555555555555";
    let two_thirds = "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert_eq!(bounds, [&Json::from(third), &Json::from(two_thirds), &Json::from("FF")]);
    for range in ranges {
        assert_eq!(range.get("parents").unwrap().to_string(), r#"["0"]"#);
    }
    let lower = offer.to_string();
    let lowered = server.put(&path, &lower).send().await.expect(200);
    assert_eq!(lowered.has("x-ms-offer-replace-pending"), "false");
}
