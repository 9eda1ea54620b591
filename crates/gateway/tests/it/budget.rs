//! Hostile queries over HTTP: others are answered, a disconnect ends them, and the server stops.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use engine::Engine;

use crate::client::Server;

const HOSTILE: &str = "{\"query\":\"SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr \
                       JOIN d IN c.arr JOIN e IN c.arr\"}";

/// Runs a test on a thread of its own, so that a server that hangs fails the test instead of blocking it.
#[expect(clippy::disallowed_methods, reason = "a hanging runtime cannot watch itself")]
fn watched<F: Future<Output = ()> + 'static>(test: impl FnOnce() -> F + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        runtime.block_on(test());
        drop(runtime);
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(Duration::from_secs(300)).expect("the test ends and does not panic");
}

/// A server with an item of a thousand elements, and a resource token that only allows to read.
async fn attacked() -> (Server, String) {
    let server = Server::with_container().await;
    let items = "/dbs/d/colls/c/docs";
    let body = format!(r#"{{"id":"1","pk":"x","n":1,"arr":[{}0]}}"#, "0,".repeat(999));
    server.post(items, &body).key(r#"["x"]"#).send().await.expect(201);
    server.post("/dbs/d/users", r#"{"id":"u"}"#).send().await.expect(201);
    let permission = r#"{"id":"p","permissionMode":"Read","resource":"dbs/d/colls/c"}"#;
    let created = server.post("/dbs/d/users/u/permissions", permission).send().await;
    let token = created.expect(201).string("_token");
    (server, token.replace('=', "%3D").replace('&', "%26"))
}

async fn ask(server: &Server, token: &str) {
    let call = server.call("POST", "/dbs/d/colls/c/docs", HOSTILE).unsigned();
    let call = call.with("authorization", token).with("x-ms-documentdb-isquery", "True");
    call.key(r#"["x"]"#).send().await;
}

async fn wait_until(engine: &Engine, is_busy: bool) {
    let (mut known, mut seen) = (engine.evaluated_slices(), 0);
    while seen < 5 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let slices = engine.evaluated_slices();
        seen = if (slices > known) == is_busy { seen + 1 } else { 0 };
        known = slices;
    }
}

#[test]
fn a_reader_cannot_hang_the_server() {
    watched(|| async {
        let (mut server, token) = attacked().await;
        let engine = server.engine.clone();
        {
            let hostile = async {
                tokio::join!(ask(&server, &token), ask(&server, &token), ask(&server, &token));
            };
            let normal = async {
                wait_until(&engine, true).await;
                let path = "/dbs/d/colls/c/docs/1";
                server.get(path).key(r#"["x"]"#).send().await.expect(200);
                let body = r#"{"id":"2","pk":"x"}"#;
                let create = server.post("/dbs/d/colls/c/docs", body).key(r#"["x"]"#);
                create.send().await.expect(201);
                let query = r#"{"query":"SELECT VALUE c.n FROM c"}"#;
                let query = server.post("/dbs/d/colls/c/docs", query).key(r#"["x"]"#);
                let query = query.with("x-ms-documentdb-isquery", "True").send().await;
                assert!(query.expect(200).text().contains("[1]"));
            };
            tokio::select! {
                () = hostile => panic!("the hostile queries take hours"),
                () = normal => {}
            }
            // The connections of the hostile queries are closed here.
        }
        wait_until(&engine, false).await;
        server.stop();
    });
}

#[test]
fn the_process_can_end_while_hostile_queries_run() {
    watched(|| async {
        let (server, token) = attacked().await;
        let (server, token) = (Arc::new(server), Arc::new(token));
        for _ in 0..3 {
            let (server, token) = (Arc::clone(&server), Arc::clone(&token));
            tokio::spawn(async move { ask(&server, &token).await });
        }
        wait_until(&server.engine, true).await;
        // Now the runtime is dropped, as it is after SIGTERM, and waits for every thread.
    });
}
