//! The budget of request units.

use std::num::NonZeroU32;
use std::time::Duration;

use super::ground::Ground;

#[tokio::test]
async fn a_copy_takes_as_long_as_its_budget_says() {
    let ground = Ground::with(40).await;
    let mut plan = ground.plan();
    plan.per_second = NonZeroU32::new(20);
    let copied = ground.copy_by(plan).await.unwrap();
    let waited: Duration = ground.waits.lock().unwrap().iter().sum();
    let earned = copied.request_units / 20.0;
    // The last charge needs no wait, and at most a second is saved up or lent for the items under way.
    let waited = waited.as_secs_f64();
    assert!(earned > 10.0, "{copied:?}");
    assert!(waited <= earned + 0.1 && waited >= earned * 0.5, "waited {waited} of {earned}");
}

#[tokio::test]
async fn without_a_budget_nothing_waits() {
    let ground = Ground::with(40).await;
    ground.copy().await.unwrap();
    assert_eq!(ground.waits.lock().unwrap().len(), 0);
}
