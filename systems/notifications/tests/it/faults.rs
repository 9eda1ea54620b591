//! A network that loses requests and responses does not change the result.

use client::{Fault, Faults, RetryPolicy};

use crate::crashes::{check, recover, world_with_work};

async fn dispatch_with(fault: Fault, after: usize, policy: RetryPolicy) -> bool {
    let (world, events) = world_with_work().await;
    let faults = Faults::new();
    let system = world.reopened().await;
    drop(system);
    let account = world.account.with_faults(faults.clone()).with_retry_policy(policy);
    let faulty = world.reopened_on(account).await;
    let worker = faulty.dispatcher("faulty").await.unwrap();
    for _ in 0..after {
        faults.next(Fault::None);
    }
    faults.next(fault);
    // A round may fail; only the final state matters.
    let _ = worker.run_once().await;
    let _ = worker.run_once().await;
    let suffered = faults.injected() > 0;
    drop(worker);
    recover(&world).await;
    check(&world, &events, &format!("{fault:?} after {after} requests")).await;
    suffered
}

#[tokio::test]
async fn every_request_of_the_dispatcher_may_fail_or_lose_its_response() {
    for fault in [Fault::Unavailable, Fault::LostResponse] {
        let mut requests = 0;
        while dispatch_with(fault, requests, RetryPolicy::NEVER).await {
            requests += 1;
        }
        assert!(requests > 20, "only {requests} requests were made to fail");
    }
}

#[tokio::test]
async fn with_retries_a_fault_has_no_effect() {
    for after in [0, 5, 10, 15, 20] {
        assert!(dispatch_with(Fault::LostResponse, after, RetryPolicy::default()).await);
    }
}
