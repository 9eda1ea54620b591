//! The rules of a target, the same for every kind: absent, written once, check-and-set, no value in errors.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use client::Environment;
use secret_migration::{
    EnvelopeKeys, ExpectedVersion, PlatformFailure, SecretData, SecretTarget, SecretVersion,
    SmpAuth, SmpKind, SmpSettings, open_target,
};
use service::settings::Secret;
use tokio::net::TcpListener;

pub(super) fn data(text: &str) -> SecretData {
    SecretData::parse(text.as_bytes()).unwrap()
}

pub(super) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// What every target promises.
pub(super) async fn check_target(target: &dyn SecretTarget) {
    let path = "apps/shop/secret/Cart db_1.x";
    assert!(target.read(path).await.unwrap().is_none());
    let (one, two) = (data(r#"{"k":"hush \"é\"\n","n":{"a":[1]}}"#), data(r#"{"k":"other"}"#));
    let first = target.write(path, &one, &ExpectedVersion::Absent).await.unwrap();
    let read = target.read(path).await.unwrap().unwrap();
    assert_eq!(read.version, first);
    assert_eq!(*read.data.to_json_within("", ""), *one.to_json_within("", ""));
    // A second creation, and a write on a version that is no longer there.
    let again = target.write(path, &two, &ExpectedVersion::Absent).await.unwrap_err();
    assert_eq!(again.failure, PlatformFailure::VersionConflict);
    let second = target.write(path, &two, &ExpectedVersion::Version(first.clone())).await.unwrap();
    assert_ne!(second, first);
    let late = target.write(path, &one, &ExpectedVersion::Version(first)).await.unwrap_err();
    assert_eq!(late.failure, PlatformFailure::VersionConflict);
    assert!(!format!("{again} {late:?}").contains("hush"));
    let read = target.read(path).await.unwrap().unwrap();
    assert_eq!((read.version, read.data.keys()), (second, vec!["k".to_owned()]));
    // A path below, and one beside.
    target.write(&format!("{path}/x"), &one, &ExpectedVersion::Absent).await.unwrap();
    assert!(target.read("apps/shop/secret/Cart db_1").await.unwrap().is_none());
}

fn directory(folder: &std::path::Path, key: &Secret, former: Vec<Secret>) -> SmpSettings {
    SmpSettings {
        kind: SmpKind::Directory,
        folder: folder.display().to_string(),
        key: key.clone(),
        former_keys: former,
        ..SmpSettings::default()
    }
}

#[tokio::test]
async fn a_folder_keeps_the_rules_and_has_no_value_in_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let key = EnvelopeKeys::generate().unwrap();
    let settings = directory(folder.path(), &key, Vec::new());
    let target = open_target(&settings, Environment::system()).unwrap();
    check_target(&*target).await;
    let mut files = 0;
    let mut folders = vec![folder.path().to_owned()];
    while let Some(one) = folders.pop() {
        for entry in std::fs::read_dir(one).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(!text.contains("hush") && !text.contains("other"), "{}", path.display());
            assert_eq!(path.extension().unwrap(), "sealed");
        }
    }
    assert_eq!(files, 3);
    // A former key still opens; an unknown one is an error of its own.
    let new = EnvelopeKeys::generate().unwrap();
    let rotated = directory(folder.path(), &new, vec![key]);
    let rotated = open_target(&rotated, Environment::system()).unwrap();
    assert!(rotated.read("apps/shop/secret/Cart db_1.x").await.unwrap().is_some());
    let stranger = directory(folder.path(), &new, Vec::new());
    let stranger = open_target(&stranger, Environment::system()).unwrap();
    let error = stranger.read("apps/shop/secret/Cart db_1.x").await.unwrap_err();
    assert!(matches!(error.failure, PlatformFailure::Garbage { .. }), "{error}");
}

#[tokio::test]
async fn of_many_writers_to_a_folder_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let key = EnvelopeKeys::generate().unwrap();
    let settings = directory(folder.path(), &key, Vec::new());
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..8 {
        let target = open_target(&settings, Environment::system()).unwrap();
        let secret = data(&format!(r#"{{"k":{number}}}"#));
        writers.spawn(async move { target.write("a", &secret, &ExpectedVersion::Absent).await });
    }
    let results = writers.join_all().await;
    let won = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(won, 1);
    let lost = results.into_iter().filter_map(Result::err);
    assert!(lost.into_iter().all(|error| error.failure == PlatformFailure::VersionConflict));
}

type Store = Arc<Mutex<BTreeMap<String, (u64, Vec<u8>)>>>;

async fn rest_get(State(store): State<Store>, Path(path): Path<String>) -> Response {
    match store.lock().unwrap().get(&path) {
        Some((version, body)) => {
            ([("etag", format!("\"{version}\""))], body.clone()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn rest_put(
    State(store): State<Store>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    assert_eq!(headers["authorization"], "Bearer t");
    assert!(body.starts_with(b"{\"secret\":{"));
    let mut store = store.lock().unwrap();
    let known = store.get(&path).map(|(version, _)| *version);
    let fits = match (headers.get("if-none-match"), headers.get("if-match"), known) {
        (Some(any), None, None) => any == "*",
        (None, Some(etag), Some(version)) => etag == format!("\"{version}\"").as_str(),
        _ => false,
    };
    if !fits {
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let version = known.unwrap_or(0) + 1;
    store.insert(path, (version, body.to_vec()));
    ([("etag", format!("\"{version}\""))], StatusCode::NO_CONTENT).into_response()
}

#[tokio::test]
async fn a_plain_http_interface_keeps_the_rules() {
    let router = Router::new()
        .route("/api/{*path}", get(rest_get).put(rest_put))
        .with_state(Store::default());
    let settings = SmpSettings {
        kind: SmpKind::Rest,
        address: format!("{}/api/{{path}}", serve(router).await),
        token: Secret::new("t"),
        data_member: "secret".to_owned(),
        ..SmpSettings::default()
    };
    let target = open_target(&settings, Environment::system()).unwrap();
    check_target(&*target).await;
}

#[tokio::test]
async fn an_interface_without_entity_tags_or_with_another_shape_is_refused() {
    for (body, tags) in [(r#"{"secret":{"k":"hush"}}"#, false), (r#"{"k":"hush"}"#, true)] {
        let handler = move || async move {
            let mut response = body.into_response();
            if tags {
                response.headers_mut().insert("etag", "\"1\"".parse().unwrap());
            }
            response
        };
        let settings = SmpSettings {
            kind: SmpKind::Rest,
            address: serve(Router::new().fallback(handler)).await,
            data_member: "secret".to_owned(),
            ..SmpSettings::default()
        };
        let target = open_target(&settings, Environment::system()).unwrap();
        let error = target.read("a").await.unwrap_err();
        assert!(matches!(error.failure, PlatformFailure::Garbage { .. }), "{error}");
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let wrong = [
        SmpSettings { auth: SmpAuth::ClientCredentials, ..SmpSettings::default() },
        SmpSettings { address: "vault:8200".to_owned(), ..SmpSettings::default() },
        directory("x".as_ref(), &Secret::new("short"), Vec::new()),
    ];
    for settings in wrong {
        assert!(open_target(&settings, Environment::system()).is_err(), "{settings:?}");
    }
    assert_eq!(SecretVersion::from(3), SecretVersion::Number(3));
}
