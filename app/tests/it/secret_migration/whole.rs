//! Everything on one machine with the binary alone: two vaults, scan, run, verify, agent, drift, rollback, service.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::commands::manifests;
use crate::planisphere::{BINARY, Said, planisphere};

/// A running part; killed when dropped.
pub(super) struct Running {
    child: Child,
    ready: Value,
}

impl Running {
    pub(super) fn start(words: &[&str]) -> Self {
        let mut child = Command::new(BINARY)
            .arg("secret-migration")
            .args(words)
            .args(["--port", "0", "--ready-json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).expect("it becomes ready");
        Self { child, ready: ready["ready"].clone() }
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.ready[name].as_str().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a secret with plain HTTP.
pub(super) fn put(vault: &Running, path: &str, data: &Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("{}/v1/secret/data/{path}", vault.text("endpoint"));
        let request = reqwest::Client::builder().no_proxy().build().unwrap().post(url);
        let request = request.header("x-vault-token", vault.text("rootToken"));
        let answer = request.json(&json!({ "data": data })).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    });
}

pub(super) fn settings(folder: &Path, source: &Running, target: &Running) -> String {
    let file = folder.join("tracker.toml");
    let text = format!(
        "[Migration]\nFingerprintSecret = \"k\"\n[Vault]\nAddress = \"{}\"\nToken = \"{}\"\n[Smp]\nAddress = \"{}\"\n\
         Token = \"{}\"\n",
        source.text("endpoint"),
        source.text("rootToken"),
        target.text("endpoint"),
        target.text("rootToken")
    );
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_cluster_moves_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let source = Running::start(&["vault", "--memory"]);
    let target = Running::start(&["vault", "--memory"]);
    for name in ["cart", "mail"] {
        put(&source, &format!("{name}/db"), &json!({ "password": format!("hush-{name}") }));
    }
    let file = settings(folder.path(), &source, &target);
    let data = folder.path().join("data");
    let on = |words: &[&str]| -> Said {
        let place = ["--data", data.to_str().unwrap(), "--settings", &file];
        planisphere([&["secret-migration"][..], words, &place].concat())
    };
    manifests(&folder.path().join("manifests"));
    let manifests = folder.path().join("manifests");
    on(&["scan", "--folder", manifests.to_str().unwrap()]).succeeded();
    let run = on(&["run", "dev-1"]).succeeded();
    let run: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(run["migrated"], 2, "{run}");
    let verified = on(&["verify", "dev-1"]).succeeded();
    let verified: Value = serde_json::from_str(&verified.out).unwrap();
    assert_eq!((&verified["target"]["equal"], &verified["findings"]), (&json!(2), &json!([])));
    on(&["drift", "dev-1"]).succeeded();
    put(&source, "cart/db", &json!({ "password": "hush-2" }));
    let drift = on(&["drift", "dev-1"]);
    assert!(drift.code == 1 && drift.out.contains("secret/cart/db"), "{drift:?}");
    let synced = on(&["drift", "dev-1", "--resync"]).succeeded();
    assert!(synced.out.contains("dev-1:shop:cart"), "{synced:?}");
    on(&["drift", "dev-1"]).succeeded();
    let back = on(&["rollback", "dev-1", "--namespace", "shop", "--reason", "test", "--yes"]);
    let back: Value = serde_json::from_str(&back.succeeded().out).unwrap();
    assert_eq!(back["rolledBack"].as_array().unwrap().len(), 2, "{back}");
    let status = on(&["status", "dev-1"]).succeeded();
    assert!(status.out.contains("ROLLED-BACK 2"), "{status:?}");
    for said in [&status.out, &synced.out, &drift.out] {
        assert!(!said.contains("hush"), "{said}");
    }
}

#[test]
fn the_demonstration_is_served_with_its_page() {
    let service = Running::start(&["serve", "--demo"]);
    let endpoint = service.text("endpoint").to_owned();
    let sign_in = service.ready["signIn"]["carol"].as_str().unwrap().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let page = client.get(&endpoint).send().await.unwrap();
        assert!(page.text().await.unwrap().contains("Secrets migration"));
        let health = client.get(format!("{endpoint}readyz")).send().await.unwrap();
        assert_eq!(health.status(), 200);
        let anonymous = client.get(format!("{endpoint}v1/clusters")).send().await.unwrap();
        assert_eq!(anonymous.status(), 401);
        assert!(sign_in.starts_with("http"), "{sign_in}");
    });
}
