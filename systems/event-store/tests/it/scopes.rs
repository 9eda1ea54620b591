//! Wirings: whose call it is.

use event_store::{AppendRequest, DEFAULT_CLAIM, ErrorKind, RequestClaims, ServiceIdError};
use serde_json::json;

use crate::world::{World, draft};

fn claims(service: &str) -> RequestClaims {
    let claims = json!({ "sub": "ann", "service_id": service });
    RequestClaims::verified(claims.as_object().unwrap().clone())
}

#[tokio::test]
async fn dc_a6_a_job_without_a_tenant_stores_nothing() {
    let world = World::account().await;
    let full = world.storage.full(DEFAULT_CLAIM);
    let job = full.scope(None);
    let request = || AppendRequest::new(vec![draft("Job", &["A:1"])]);
    let error = job.events.append(request()).await.unwrap_err();
    assert_eq!(error.service_id_error(), Some(&ServiceIdError::Required));
    assert_eq!(job.states.list().await.unwrap_err().kind(), ErrorKind::ServiceId);
    assert!(world.storage.admin.services().await.unwrap().is_empty());
    // The same job, with a tenant.
    let named = full.factories.events.create_for_service("acme").unwrap();
    named.append(request()).await.unwrap();
    let of_request = full.scope(Some(claims("acme")));
    assert_eq!(of_request.events.event_count(None).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_two_tenants_interleave_without_a_leak() {
    let world = World::account().await;
    let wiring = world.storage.multi_tenant(DEFAULT_CLAIM);
    let requests: Vec<_> = (0..40)
        .map(|number| {
            let service = if number % 2 == 0 { "alpha" } else { "beta" };
            let wiring = wiring.clone();
            tokio::spawn(async move {
                let scope = wiring.scope(claims(service));
                let event = draft(&format!("Of-{service}"), &[&format!("Number:{number}")]);
                scope.events.append(AppendRequest::new(vec![event])).await.unwrap();
                tokio::task::yield_now().await;
                let all = scope.events.read_all(None, None).await.unwrap();
                let own = format!("Of-{service}");
                assert!(all.iter().all(|event| event.event_type == own), "{service}");
            })
        })
        .collect();
    for request in requests {
        request.await.unwrap();
    }
    for service in ["alpha", "beta"] {
        assert_eq!(world.events(service).event_count(None).await.unwrap(), 20);
    }
}

#[test]
fn queries_are_written_in_one_place() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![folder];
    let mut texts = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let has_query = text.contains("Query::text(");
            assert!(!has_query || path.ends_with("account/queries.rs"), "{}", path.display());
            texts += usize::from(has_query);
        }
    }
    assert_eq!(texts, 1);
    // In that place every text over all partitions begins with the tenant; only the list of tenants has none.
    let queries = include_str!("../../src/account/queries.rs");
    let fan_outs = queries.matches(".fan_out(").count();
    let scoped = queries.matches(".of(self)").count();
    assert_eq!((fan_outs, scoped), (8, 7));
    assert!(!queries.contains("format!"), "no value is written into a text");
}
