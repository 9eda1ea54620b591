//! `list` and `query` against a running server, also with TLS.

use std::process::Command;

use crate::planisphere::{BINARY, Said, filled, planisphere};
use crate::serve::{start, terminate, text};

#[test]
fn a_server_is_listed_and_queried_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("store");
    filled(&data);
    let (server, ready) = start(&["--data", data.to_str().unwrap(), "--tls"]);
    let endpoint = text(&ready, "endpoint");
    let run = |words: &[&str]| {
        let mut command = Command::new(BINARY);
        command.args(words).args(["--endpoint", &endpoint]);
        command.env("SSL_CERT_FILE", data.join("certificate.pem"));
        Said::of(&command.output().unwrap())
    };
    let said = run(&["list"]).succeeded();
    assert!(said.out.starts_with("bench/items  /partitionKey"), "{said:?}");
    let said = run(&["list", "--json"]).succeeded();
    assert!(said.out.contains(r#""container":"items""#), "{said:?}");
    let named = ["query", "--database", "bench", "--container", "items"];
    let query = |words: &[&str]| run(&[&named, words].concat());
    let least = ["--param", "least=297", "SELECT VALUE c.id FROM c WHERE c.number >= @least"];
    let mut ids: Vec<String> = query(&least).succeeded().out.lines().map(str::to_owned).collect();
    ids.sort();
    assert_eq!(ids, [r#""i297""#, r#""i298""#, r#""i299""#]);
    let within = ["--partition-key", r#""k3""#, "SELECT VALUE COUNT(1) FROM c"];
    assert_eq!(query(&within).succeeded().out.trim(), "43");
    // The client library refuses an aggregate over partitions; the server merges it.
    let count = "SELECT VALUE COUNT(1) FROM c WHERE c.number >= @least";
    assert_eq!(query(&["--param", "least=297", count]).succeeded().out.trim(), "3");
    let refused = query(&["SELECT nonsense"]);
    assert!(refused.code == 2 && refused.err.contains("running the query"), "{refused:?}");
    let refused = query(&["--explain", "SELECT * FROM c"]);
    assert!(refused.code == 2 && refused.err.contains("for a folder only"), "{refused:?}");
    assert_eq!(terminate(server), Some(0));
    let said = planisphere(["list", "--data", data.to_str().unwrap()]).succeeded();
    assert!(said.out.starts_with("bench/items  /partitionKey"), "{said:?}");
}
