//! Wirings: whose call it is.

use event_store::{AppendRequest, DEFAULT_CLAIM, ErrorKind, RequestClaims, ServiceIdError};
use serde_json::json;

use crate::world::{World, draft};

fn claims(service: &str) -> RequestClaims {
    let claims = json!({ "sub": "ann", "service_id": service });
    RequestClaims::verified(claims.as_object().unwrap().clone())
}

pub(crate) async fn dc_a6_a_job_without_a_tenant_stores_nothing(world: &World) {
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

pub(crate) async fn requests_of_two_tenants_interleave_without_a_leak(world: &World) {
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
