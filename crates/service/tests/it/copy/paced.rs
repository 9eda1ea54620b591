//! The budget of request units.

use std::num::NonZeroU32;
use std::time::Duration;

use super::fixture::Fixture;

#[tokio::test]
async fn a_copy_takes_as_long_as_its_budget_says() {
    let fixture = Fixture::with(40).await;
    let mut plan = fixture.plan();
    plan.per_second = NonZeroU32::new(20);
    let copied = fixture.copy_by(plan).await.unwrap();
    let waited: Duration = fixture.waits.lock().unwrap().iter().sum();
    let earned = copied.request_units / 20.0;
    // The last charge needs no wait, and at most a second is saved up or lent for the items under way.
    let waited = waited.as_secs_f64();
    assert!(earned > 10.0, "{copied:?}");
    assert!(waited <= earned + 0.1 && waited >= earned * 0.5, "waited {waited} of {earned}");
}

#[tokio::test]
async fn without_a_budget_nothing_waits() {
    let fixture = Fixture::with(40).await;
    fixture.copy().await.unwrap();
    assert_eq!(fixture.waits.lock().unwrap().len(), 0);
}
