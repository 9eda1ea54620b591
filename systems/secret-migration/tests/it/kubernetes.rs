//! The scanner on the interface of Kubernetes, against a server of the test that answers as a real one does: pages,
//! places that expire, watches with bookmarks, watches whose version is gone, missing resources, refusals.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures::StreamExt as _;
use secret_migration::{ErrorKind, KubernetesApi, KubernetesSettings, WorkloadKey};
use serde_json::{Value, json};
use service::http::ShutdownSignal;
use service::settings::Secret;
use tokio::net::TcpListener;
use tokio::sync::broadcast;

use crate::world::{CLUSTER, Embedded, World};

const DEPLOYMENTS: &str = "apis/apps/v1/deployments";

/// A cluster: objects by resource and name, and what goes wrong.
#[derive(Clone)]
struct Cluster(Arc<Mutex<ClusterState>>, broadcast::Sender<(String, Value)>);

#[derive(Default)]
struct ClusterState {
    objects: BTreeMap<String, BTreeMap<String, Value>>,
    version: u64,
    /// The next pages after the first are refused as expired.
    expired_pages: usize,
    /// The next watches are refused or ended as expired.
    expired_watches: usize,
    /// The next requests are refused as too many.
    busy: usize,
    /// Status of every request for a resource.
    refused: BTreeMap<String, u16>,
    asked: Vec<String>,
}

impl Cluster {
    async fn start() -> (Self, KubernetesApi) {
        let (cluster, settings) = Self::serve().await;
        (cluster, KubernetesApi::open(settings).unwrap())
    }

    async fn serve() -> (Self, KubernetesSettings) {
        let cluster = Self(Arc::default(), broadcast::channel(64).0);
        let router = Router::new().route("/{*path}", get(answer)).with_state(cluster.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let settings = KubernetesSettings {
            cluster: CLUSTER.to_owned(),
            address,
            token: Secret::new("t"),
            page_size: 2,
            ..KubernetesSettings::default()
        };
        (cluster, settings)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, ClusterState> {
        self.0.lock().unwrap()
    }

    /// Adds a deployment, and sends it to the watches.
    fn add(&self, name: &str) {
        let mut state = self.state();
        state.version += 1;
        let object = json!({
            "metadata": {
                "name": name, "namespace": "shop", "resourceVersion": state.version.to_string(),
            },
            "spec": { "template": { "metadata": { "annotations": {
                "vault.hashicorp.com/agent-inject": "true",
                "vault.hashicorp.com/agent-inject-secret-db": format!("secret/data/{name}"),
            } } } },
        });
        let deployments = state.objects.entry(DEPLOYMENTS.to_owned()).or_default();
        deployments.insert(name.to_owned(), object.clone());
        drop(state);
        let _ = self.1.send((DEPLOYMENTS.to_owned(), json!({ "type": "ADDED", "object": object })));
    }

    fn remove(&self, name: &str) {
        let mut state = self.state();
        state.version += 1;
        let version = state.version.to_string();
        let mut object = state.objects.get_mut(DEPLOYMENTS).unwrap().remove(name).unwrap();
        object["metadata"]["resourceVersion"] = version.into();
        drop(state);
        let _ =
            self.1.send((DEPLOYMENTS.to_owned(), json!({ "type": "DELETED", "object": object })));
    }

    fn bookmark(&self) {
        let mut state = self.state();
        state.version += 1;
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "resourceVersion": state.version.to_string() },
        });
        drop(state);
        let event = json!({ "type": "BOOKMARK", "object": object });
        let _ = self.1.send((DEPLOYMENTS.to_owned(), event));
    }

    /// Ends the watches of deployments as a server does that has forgotten their version.
    fn expire(&self) {
        let object = json!({ "kind": "Status", "code": 410, "reason": "Expired" });
        let _ = self.1.send((DEPLOYMENTS.to_owned(), json!({ "type": "ERROR", "object": object })));
    }
}

async fn answer(
    State(cluster): State<Cluster>,
    Path(path): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    if headers.get("authorization").is_none_or(|token| token != "Bearer t") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let mut state = cluster.state();
    state.asked.push(format!("{path}?{query:?}"));
    if let Some(status) = state.refused.get(&path) {
        return StatusCode::from_u16(*status).unwrap().into_response();
    }
    if state.busy > 0 {
        state.busy -= 1;
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "0")]).into_response();
    }
    let is_known = path.starts_with("api/") || path.contains("/apps/") || path.contains("/batch/");
    if !is_known && !state.objects.contains_key(&path) {
        return StatusCode::NOT_FOUND.into_response();
    }
    if query.contains_key("watch") {
        assert_eq!(query["allowWatchBookmarks"], "true");
        if state.expired_watches > 0 && path == DEPLOYMENTS {
            state.expired_watches -= 1;
            return StatusCode::GONE.into_response();
        }
        let events = tokio_stream(cluster.1.subscribe(), path);
        return Body::from_stream(events).into_response();
    }
    let limit: usize = query["limit"].parse().unwrap();
    let start: usize = query.get("continue").map_or(0, |next| next.parse().unwrap());
    if start > 0 && state.expired_pages > 0 {
        state.expired_pages -= 1;
        return StatusCode::GONE.into_response();
    }
    let objects: Vec<Value> =
        state.objects.get(&path).map(|all| all.values().cloned().collect()).unwrap_or_default();
    let items: Vec<&Value> = objects.iter().skip(start).take(limit).collect();
    let mut metadata = json!({ "resourceVersion": state.version.to_string() });
    if start + limit < objects.len() {
        metadata["continue"] = (start + limit).to_string().into();
    }
    axum::Json(json!({ "metadata": metadata, "items": items })).into_response()
}

/// The events of a resource as lines, cut into pieces as a network does.
fn tokio_stream(
    receiver: broadcast::Receiver<(String, Value)>,
    path: String,
) -> impl futures::Stream<Item = Result<Bytes, std::io::Error>> {
    futures::stream::unfold((receiver, path), |(mut receiver, path)| async move {
        loop {
            let Ok((resource, event)) = receiver.recv().await else { return None };
            if resource != path {
                continue;
            }
            let line = format!("{event}\n");
            let (first, second) = line.split_at(line.len() / 2);
            let pieces = [first, second].map(|piece| Ok(Bytes::from(piece.to_owned())));
            return Some((futures::stream::iter(pieces), (receiver, path)));
        }
    })
    .flatten()
}

#[tokio::test]
async fn a_list_is_read_in_pages_and_begun_anew_when_its_place_expires() {
    let (cluster, api) = Cluster::start().await;
    (0..5).for_each(|number| cluster.add(&format!("cart-{number}")));
    cluster.state().expired_pages = 1;
    cluster.state().busy = 2;
    let world = World::new::<Embedded>().await;
    world.sync(CLUSTER).await;
    let report = world.system.scan_kubernetes(&api, "scanner").await.unwrap();
    assert_eq!((report.found, report.created), (5, 5));
    let asked = cluster.state().asked.clone();
    let lists = asked.iter().filter(|one| one.starts_with(DEPLOYMENTS)).count();
    // One page and a refused one, then three.
    assert_eq!(lists, 5, "{asked:?}");
    let again = world.system.scan_kubernetes(&api, "scanner").await.unwrap();
    assert_eq!((again.found, again.created, again.changed, again.missing), (5, 0, 0, 0));
    cluster.remove("cart-3");
    let gone = world.system.scan_kubernetes(&api, "scanner").await.unwrap();
    assert_eq!((gone.found, gone.missing), (4, 1));
}

#[tokio::test]
async fn a_resource_that_may_not_be_read_stops_the_scan_before_anything_is_written() {
    let (cluster, api) = Cluster::start().await;
    cluster.add("cart");
    let world = World::new::<Embedded>().await;
    world.sync(CLUSTER).await;
    world.system.scan_kubernetes(&api, "scanner").await.unwrap();
    for (path, status) in [
        ("apis/batch/v1/jobs", 403),
        ("apis/batch/v1/jobs", 404),
        ("apis/secrets.hashicorp.com/v1beta1/vaultstaticsecrets", 403),
        (DEPLOYMENTS, 410),
    ] {
        cluster.state().refused = [(path.to_owned(), status)].into();
        let error = world.system.scan_kubernetes(&api, "scanner").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{path} {status}: {error}");
        assert!(error.to_string().contains(path), "{error}");
    }
    let key = WorkloadKey::parse(CLUSTER, "shop", "cart").unwrap();
    assert!(!world.workload(&key).await.missing);
}

#[tokio::test]
async fn a_token_is_sent_from_its_file_and_wrong_settings_are_named() {
    let (cluster, settings) = Cluster::serve().await;
    cluster.add("cart");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(file("token"), "t").unwrap();
    std::fs::write(file("line"), "t\n").unwrap();
    std::fs::write(file("other"), "x").unwrap();
    for (name, is_right) in [("token", true), ("other", false)] {
        let settings = KubernetesSettings { token_file: file(name), ..settings.clone() };
        let listed = KubernetesApi::open(settings).unwrap().list_all().await;
        assert_eq!(listed.is_ok(), is_right, "{name}: {:?}", listed.err());
    }
    let with = |change: fn(&mut KubernetesSettings, String), text: String| {
        let mut settings = settings.clone();
        change(&mut settings, text);
        KubernetesApi::open(settings).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let refused = [
        ("Kubernetes:Cluster", with(|settings, text| settings.cluster = text, "a:b".to_owned())),
        (
            "Kubernetes:Address",
            with(|settings, text| settings.address = text, "ftp://x".to_owned()),
        ),
        ("Kubernetes:TokenFile", with(|settings, text| settings.token_file = text, file("line"))),
        ("Kubernetes:TokenFile", with(|settings, text| settings.token_file = text, file("none"))),
        ("Kubernetes:CaFile", with(|settings, text| settings.ca_file = text, file("missing"))),
        ("Kubernetes:CaFile", with(|settings, text| settings.ca_file = text, file("other"))),
    ];
    for (setting, error) in refused {
        assert!(error.contains(setting), "{setting}: {error}");
    }
}

/// Waits until something holds; the limit only ends a test that hangs.
async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("never: {what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_followed_through_bookmarks_and_expired_versions() {
    let (cluster, api) = Cluster::start().await;
    cluster.add("cart");
    cluster.state().expired_watches = 1;
    let world = World::in_real_time::<Embedded>().await;
    world.sync(CLUSTER).await;
    let (system, shutdown) = (world.system.clone(), ShutdownSignal::default());
    let stop = shutdown.clone();
    let following = tokio::spawn(async move { system.follow_kubernetes(&api, &shutdown).await });
    let is_there = async |name: &str| {
        let key = WorkloadKey::parse(CLUSTER, "shop", name).unwrap();
        world.system.workload(&key).await.is_ok_and(|found| !found.0.missing)
    };
    until("the first list is scanned", async || is_there("cart").await).await;
    // The first watch was refused as expired; the list was read again and a second watch is open.
    let watches = || {
        let state = cluster.state();
        let of_deployments = |one: &&String| one.starts_with(DEPLOYMENTS) && one.contains("watch");
        state.asked.iter().filter(of_deployments).count()
    };
    until("a second watch", async || watches() >= 2).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    cluster.bookmark();
    cluster.add("mail");
    until("an added workload is found", async || is_there("mail").await).await;
    // The server forgets the version in the middle of a watch: the list is read again.
    cluster.expire();
    until("a third watch", async || watches() >= 3).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    cluster.remove("cart");
    until("a removed workload is missing", async || !is_there("cart").await).await;
    assert!(is_there("mail").await);
    stop.trigger();
    following.await.unwrap();
}
