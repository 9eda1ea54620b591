//! The agent beside a running workload: it renders the switch and the way back, also when it was killed in between.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use engine::Environment;
use serde_json::{Value, json};
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;

use super::commands::manifests;
use super::whole::{Running, put, settings};
use crate::planisphere::{BINARY, planisphere};

const DEMO_SECRET: &str = "the secret of a demonstration, long enough";
const CART: &str = "v1/clusters/dev-1/workloads/shop/cart";

/// Killed when dropped.
struct KilledProcess(Child);

impl Drop for KilledProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn token(name: &str, role: &str) -> String {
    let settings =
        IdentitySettings { demo_secret: Secret::new(DEMO_SECRET), ..IdentitySettings::demo() };
    let identity = Identity::new(Environment::system(), &settings).unwrap();
    identity.demo_issuer().unwrap().token(name, &[role])
}

fn start_agent(folder: &Path, tracker: &str, settings: &str) -> KilledProcess {
    let file = |name: &str| folder.join(name).display().to_string();
    let child = Command::new(BINARY)
        .args(["secret-migration", "agent", "dev-1:shop:cart", "--tracker", tracker])
        .args(["--template", &file("template"), "--output", &file("rendered")])
        .args(["--pid-file", &file("pid"), "--settings", settings])
        .env("TRACKER_TOKEN", token("cart", "viewer"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    KilledProcess(child.unwrap())
}

/// A workload that writes a line for each signal.
fn start_workload(folder: &Path) -> KilledProcess {
    let script = "trap 'echo hup >> signals' HUP; while :; do sleep 0.05; done";
    let child = Command::new("sh").args(["-c", script]).current_dir(folder).spawn().unwrap();
    std::fs::write(folder.join("pid"), child.id().to_string()).unwrap();
    KilledProcess(child)
}

/// Waits until the rendered file and the number of signals are these.
fn wait_for(folder: &Path, rendered: &str, signals: usize) {
    let mut seen = (String::new(), 0);
    // The limit only ends a test that hangs.
    for _ in 0..600 {
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        seen = (text("rendered"), text("signals").lines().count());
        if seen.0 == rendered && seen.1 == signals {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("rendered {:?} after {} signals", seen.0, seen.1);
}

fn post(tracker: &str, path: &str, body: &Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.post(format!("{tracker}{path}")).bearer_auth(token("ann", "operator"));
        let answer = request.json(body).send().await.unwrap();
        let status = answer.status();
        assert_eq!(status, 202, "{path}: {}", answer.text().await.unwrap());
    });
}

#[test]
fn the_agent_follows_a_workload_through_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = Running::start(&["vault", "--memory"]);
    let target = Running::start(&["vault", "--memory"]);
    put(&source, "cart/db", &json!({ "password": "hush" }));
    let file = settings(folder, &source, &target);
    let mut text = std::fs::read_to_string(&file).unwrap();
    text += &format!("[Identity]\nMode = \"demo\"\nDemoSecret = \"{DEMO_SECRET}\"\n");
    std::fs::write(&file, text).unwrap();
    manifests(&folder.join("manifests"));
    let (data, source_folder) = (folder.join("data"), folder.join("manifests"));
    let place = ["--data", data.to_str().unwrap(), "--settings", &file];
    let scan = ["secret-migration", "scan", "--folder", source_folder.to_str().unwrap()];
    planisphere([&scan[..], &place].concat()).succeeded();
    let service = Running::start(&[&["serve"][..], &place].concat());
    let tracker = service.text("endpoint");
    std::fs::write(folder.join("template"), "{{ @backend }} {{ password }}\n").unwrap();

    let agent = start_agent(folder, tracker, &file);
    wait_for(folder, "hashi hush\n", 0);
    let _workload = start_workload(folder);
    post(tracker, &format!("{CART}/migrate"), &json!({}));
    wait_for(folder, "smp hush\n", 1);
    // Killed; the workload goes back meanwhile; the next agent finds the change and signals.
    drop(agent);
    post(tracker, &format!("{CART}/rollback"), &json!({ "reason": "test" }));
    let _agent = start_agent(folder, tracker, &file);
    wait_for(folder, "hashi hush\n", 2);
}
