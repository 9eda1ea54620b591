//! DC-A16: queries that wait for a position.

use std::collections::BTreeMap;
use std::time::Duration;

use event_store::ErrorKind;
use serde_json::json;
use service::http::ShutdownSignal;

use crate::projections::{alpha, append, host};
use crate::world::{World, draft};

pub(crate) async fn dc_a16_a_query_waits_for_a_position_or_says_that_it_did_not_come(
    world: &World,
) {
    let host = host(world, "1");
    let position = append(world, draft("Waited", &["A:1"])).await;
    let parameters = BTreeMap::from([("type".to_owned(), "Waited".to_owned())]);
    let ask = async |timeout| {
        let wait = Some((&position, timeout));
        host.query(&alpha(), "Types", "count", &parameters, wait).await
    };
    let error = ask(Duration::from_millis(30)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "the runner is stopped");
    let shutdown = ShutdownSignal::new();
    let running = {
        let (host, shutdown) = (host.clone(), shutdown.clone());
        tokio::spawn(async move { host.run(&shutdown).await })
    };
    assert_eq!(ask(Duration::from_secs(60)).await.unwrap(), json!(1));
    shutdown.trigger();
    running.await.unwrap();
    let unknown = host.query(&alpha(), "Types", "nothing", &parameters, None).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
    let unknown = host.status(&alpha(), "Nobody").await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
}
