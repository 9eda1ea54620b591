//! The side of workloads and operators: the agent, the resolver's stream, events for pages, web hooks, certificates.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::post;
use secret_migration::{
    Agent, AgentSettings, CertificateSettings, HookSettings, MigrationSettings, RollbackOptions,
    SecretBackend, serve_certified,
};
use serde_json::{Value, json};
use service::http::{HttpServer, HttpSettings};
use service::identity::{Identity, IdentitySettings};
use service::settings::Secret;
use tokio::net::TcpListener;

use crate::world::{CLUSTER, Embedded, World, settings};

fn server(world: &World) -> HttpServer {
    let environment = world.environment.clone();
    let identity = Identity::new(environment.clone(), &IdentitySettings::demo()).unwrap();
    let settings = HttpSettings { requests_per_minute: 0, ..HttpSettings::default() };
    HttpServer::new(environment, settings, identity)
}

/// Serves the tracker; returns its address and a viewer's token.
async fn serve(world: &World) -> (HttpServer, String, String) {
    let server = server(world);
    let router = world.system.router(&server, &[]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = server.clone();
    tokio::spawn(async move { serving.serve_at(listener, router).await.unwrap() });
    let token = server.identity().demo_issuer().unwrap().token("cart", &["viewer"]);
    (server, address, token)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agent_renders_the_switch_and_the_way_back_and_signals_the_workload() {
    let (world, key) = World::in_real_time::<Embedded>().await.and_workload().await;
    let (_server, tracker, token) = serve(&world).await;
    let folder = tempfile::tempdir().unwrap();
    let (template, output) = (folder.path().join("template"), folder.path().join("env"));
    let notified = folder.path().join("notified");
    std::fs::write(&template, "backend={{ @backend }}\nuser={{ 0.user }}\npassword={{password}}\n")
        .unwrap();
    let agent = AgentSettings {
        tracker,
        token: Secret::new(token),
        workload: key.clone(),
        template: template.clone(),
        output: output.clone(),
        pid_file: None,
        signal: "HUP".to_owned(),
        command: ["sh", "-c", &format!("echo notified >> {}", notified.display())]
            .map(str::to_owned)
            .to_vec(),
    };
    let source = Arc::new(world.vault.clone());
    let target = Arc::new(world.target.clone());
    let agent_parts = (agent.clone(), Arc::clone(&source), Arc::clone(&target));
    let mut agent = Agent::new(agent, source, target, world.environment.clone()).unwrap();
    let first = agent.render_change(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(first.backend, SecretBackend::Hashi);
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(text, "backend=hashi\nuser=cart/db\npassword=hush\n");
    assert!(!notified.exists(), "the workload starts after the first file");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&output).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    assert!(agent.render_change(Duration::ZERO).await.unwrap().is_none());
    // A wait that is under way ends with the switch.
    let waiting = tokio::spawn(async move {
        let changed = agent.render_change(Duration::from_secs(30)).await.unwrap().unwrap();
        (agent, changed.backend)
    });
    world.run(CLUSTER).await;
    let (agent, backend) = waiting.await.unwrap();
    assert_eq!(backend, SecretBackend::Smp);
    assert!(std::fs::read_to_string(&output).unwrap().starts_with("backend=smp\nuser=cart/db"));
    assert_eq!(std::fs::read_to_string(&notified).unwrap(), "notified\n");
    // The agent is killed, the workload is rolled back meanwhile, and the next agent signals the running workload.
    let (settings, source, target) = agent_parts;
    drop(agent);
    world.system.roll_back(&key, &RollbackOptions::default(), "ann").await.unwrap();
    let mut agent = Agent::new(settings, source, target, world.environment.clone()).unwrap();
    let back = agent.render_change(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(back.backend, SecretBackend::Hashi);
    assert_eq!(std::fs::read_to_string(&notified).unwrap(), "notified\nnotified\n");
    // A template that asks for what is not there leaves the file as it was.
    std::fs::write(&template, "{{ nothing }}").unwrap();
    world.system.retry_migration(&key, None, "ann").await.unwrap();
    world.run(CLUSTER).await;
    let refused = agent.render_change(Duration::ZERO).await.unwrap_err().to_string();
    assert!(refused.contains("nothing") && !refused.contains("hush"), "{refused}");
    assert!(std::fs::read_to_string(&output).unwrap().starts_with("backend=hashi"));
}

/// The next event of a stream: its name and data.
async fn next_event(response: &mut reqwest::Response) -> (String, Value) {
    let mut text = String::new();
    loop {
        let chunk = tokio::time::timeout(Duration::from_secs(30), response.chunk());
        let chunk = chunk.await.expect("an event comes").unwrap().expect("the stream is open");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
        let member = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line[name.len()..].trim().to_owned())
        };
        if let (Some(event), Some(data)) = (member("event:"), member("data:"))
            && text.ends_with("\n\n")
        {
            return (event, serde_json::from_str(&data).unwrap());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_report_the_switch() {
    let (world, key) = World::in_real_time::<Embedded>().await.and_workload().await;
    let (server, address, token) = serve(&world).await;
    let system = world.system.clone();
    let shutdown = server.shutdown().clone();
    tokio::spawn(async move { system.follow_changes(&shutdown).await });
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let get = |path: String| client.get(format!("{address}{path}")).bearer_auth(&token).send();
    let mut resolved = get("/v1/resolve/dev-1/shop/cart/stream".to_owned()).await.unwrap();
    let (name, data) = next_event(&mut resolved).await;
    assert_eq!((name.as_str(), &data["backend"]), ("resolved", &json!("hashi")));
    let mut events = get("/v1/events?cluster=dev-1".to_owned()).await.unwrap();
    let id = tokio::time::timeout(Duration::from_secs(30), events.chunk()).await.unwrap();
    assert!(id.unwrap().is_some(), "the first id");
    tokio::time::sleep(Duration::from_millis(500)).await;
    world.run(CLUSTER).await;
    let (_, data) = next_event(&mut resolved).await;
    assert_eq!(data["backend"], "smp");
    let (name, data) = next_event(&mut events).await;
    assert_eq!((name.as_str(), &data["id"]), ("workload", &json!(key.id())));
    let missing = get("/v1/resolve/dev-1/shop/nobody/stream".to_owned()).await.unwrap();
    assert_eq!(missing.status(), 404);
    let anonymous = client.get(format!("{address}/v1/events")).send().await.unwrap();
    assert_eq!(anonymous.status(), 401);
    server.shutdown().trigger();
}

type Calls = Arc<Mutex<Vec<(Option<String>, Value)>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hooks_report_failures_and_the_ends_of_waves() {
    let calls = Calls::default();
    let kept = Arc::clone(&calls);
    let hook = move |headers: HeaderMap, body: String| async move {
        let signature = headers.get("x-planisphere-signature");
        let signature = signature.map(|text| text.to_str().unwrap().to_owned());
        kept.lock().unwrap().push((signature, serde_json::from_str(&body).unwrap()));
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let router = Router::new().route("/hook", post(hook));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let world = World::with::<Embedded>(MigrationSettings { max_attempts: 1, ..settings() }).await;
    let secret = Secret::new("s");
    world.system.send_hooks(HookSettings { url, secret, slack: false }).unwrap();
    world.sync(CLUSTER).await;
    world.target.fail_path("broken");
    world.add(CLUSTER, "broken", &["broken"]).await;
    world.add(CLUSTER, "fine", &["fine"]).await;
    let new = serde_json::from_value(json!({ "name": "w", "selector": { "cluster": CLUSTER } }));
    world.system.create_wave(new.unwrap(), "ann").await.unwrap();
    world.system.start_wave("w", "ann").await.unwrap();
    world.run(CLUSTER).await;
    world.run(CLUSTER).await;
    let notified = || -> Vec<String> {
        let calls = calls.lock().unwrap();
        let mut notified: Vec<String> =
            calls.iter().map(|(_, body)| body["event"].as_str().unwrap().to_owned()).collect();
        notified.sort();
        notified
    };
    for _ in 0..200 {
        if notified().len() >= 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(notified(), ["wave.finished", "workload.held"]);
    let calls = calls.lock().unwrap();
    assert!(calls.iter().all(|(signature, _)| signature.as_ref().is_some_and(|s| s.len() == 44)));
    assert!(!format!("{calls:?}").contains("hush"));
}

struct Authority {
    certificate: rcgen::Certificate,
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).unwrap();
        Self { certificate, issuer: rcgen::Issuer::new(parameters, key) }
    }

    /// A certificate and its key, PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let parameters = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_have_roles_by_their_names() {
    let (world, _) = World::with_workload::<Embedded>().await;
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (own, key) = authority.issue("localhost");
    let mtls = CertificateSettings {
        listen: "127.0.0.1:0".to_owned(),
        certificate_file: file("own.pem", &own),
        key_file: file("key.pem", &key),
        client_ca_file: file("ca.pem", &authority.certificate.pem()),
        viewers: vec!["viewer.example".to_owned()],
        operators: vec!["operator.example".to_owned()],
        admins: Vec::new(),
    };
    let server = server(&world);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (acceptor, router) = (mtls.acceptor().unwrap(), world.system.router(&server, &[]));
    tokio::spawn(serve_certified(
        listener,
        acceptor,
        mtls.clone(),
        router,
        server.shutdown().clone(),
    ));
    let ca = reqwest::Certificate::from_pem(authority.certificate.pem().as_bytes()).unwrap();
    let client = |identity: Option<(String, String)>| {
        let mut client = reqwest::Client::builder().no_proxy().tls_certs_only([ca.clone()]);
        if let Some((certificate, key)) = identity {
            let pem = format!("{certificate}{key}");
            client = client.identity(reqwest::Identity::from_pem(pem.as_bytes()).unwrap());
        }
        client.build().unwrap()
    };
    let rollback =
        format!("https://localhost:{port}/v1/clusters/dev-1/workloads/shop/cart/migrate");
    let list = format!("https://localhost:{port}/v1/clusters");
    for (name, may_list, may_migrate) in [
        ("viewer.example", 200, 403),
        ("operator.example", 200, 202),
        ("stranger.example", 401, 401),
    ] {
        let client = client(Some(authority.issue(name)));
        assert_eq!(client.get(&list).send().await.unwrap().status(), may_list, "{name}");
        assert_eq!(client.post(&rollback).send().await.unwrap().status(), may_migrate, "{name}");
    }
    assert!(client(None).get(&list).send().await.is_err(), "no certificate, no connection");
    let foreign = Authority::new().issue("operator.example");
    assert!(client(Some(foreign)).get(&list).send().await.is_err(), "of another authority");
    let wrong = CertificateSettings { key_file: file("none.pem", "nothing"), ..mtls };
    let Err(refused) = wrong.acceptor() else { panic!("a file without a key was taken") };
    assert!(refused.to_string().contains("Mtls:KeyFile"), "{refused}");
    server.shutdown().trigger();
}
