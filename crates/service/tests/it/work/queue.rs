//! One item from waiting to done, retried or dead, and who may complete it.

use std::time::Duration;

use client::processor::{Processor, ProcessorStart};
use client::{Container, QueryPageOptions};
use service::work::{ReplayResult, UtcTimestamp, WorkCompletion, WorkError, WorkQueue, WorkResult};

use super::mail::{Mail, Sender, letters, mail, queue, read};
use crate::world::World;

struct Post {
    world: World,
    mails: Container,
    letters: Container,
    sender: Sender,
    queue: WorkQueue<Mail>,
}

async fn post() -> Post {
    let world = World::new(7).await;
    let mails = world.container("mails", "/userId").await;
    let letters = world.container("letters", "/userId").await;
    let sender = Sender::new(&letters);
    let queue = queue(&mails, "one", &sender);
    Post { world, mails, letters, sender, queue }
}

impl Post {
    async fn enqueue(&self, id: &str, user: &str) {
        self.queue
            .enqueue(mail(id, user, UtcTimestamp::now(self.mails.account().environment())))
            .await
            .unwrap();
    }

    async fn item(&self, id: &str) -> client::Item<Mail> {
        self.mails.read::<Mail>(&"bob".into(), id).await.unwrap().value
    }

    fn minutes_until(&self, moment: Option<UtcTimestamp>) -> f64 {
        moment.unwrap().since(UtcTimestamp::now(self.mails.account().environment())).as_secs_f64()
            / 60.0
    }
}

#[tokio::test]
async fn waiting_work_is_done_once() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let run = post.queue.run_due().await.unwrap();
    assert_eq!(run.count(WorkResult::Done), 1);
    let done = read(&post.mails, "bob", "1").await;
    assert_eq!((done.status.as_str(), done.lease_owner), ("COMPLETED", None));
    let run = post.queue.run_due().await.unwrap();
    assert_eq!(run, service::work::QueueRun::default());
    assert_eq!(letters(&post.letters).await, ["1"]);
}

#[tokio::test]
async fn fresh_work_comes_by_the_change_feed_in_the_order_of_its_partition() {
    let post = post().await;
    let leases = post.world.container("leases", "/id").await;
    let feed = Processor::<Mail>::builder(&post.mails, &leases, "mails")
        .start_at(ProcessorStart::Beginning)
        .build(post.queue.reaction());
    let feed = feed.await.unwrap();
    for id in ["3", "1", "2"] {
        post.enqueue(id, "bob").await;
    }
    feed.run_once().await.unwrap();
    // Its own writes come back by the feed and are not worked on.
    feed.run_once().await.unwrap();
    assert_eq!(post.sender.calls(), ["3", "1", "2"]);
    assert_eq!(read(&post.mails, "bob", "2").await.status, "COMPLETED");
}

#[tokio::test]
async fn failures_wait_two_to_the_power_of_their_number_in_minutes() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    for _ in 0..2 {
        post.sender.fail("1", WorkError::retry("the provider answered 503"));
    }
    for (failures, minutes) in [(1, 2.0), (2, 4.0)] {
        let run = post.queue.run_due().await.unwrap();
        assert_eq!(run.count(WorkResult::Retry), 1);
        let failed = read(&post.mails, "bob", "1").await;
        assert_eq!((failed.status.as_str(), failed.retry_count), ("FAILED", failures));
        assert_eq!(failed.last_error.as_deref(), Some("the provider answered 503"));
        let wait = post.minutes_until(failed.next_retry_at);
        assert!((minutes..=minutes * 1.1).contains(&wait), "{wait}");
        // Not before its time.
        assert_eq!(post.queue.run_due().await.unwrap().count(WorkResult::Retry), 0);
        post.world.travel(5 * 60);
    }
    assert_eq!(post.queue.run_due().await.unwrap().count(WorkResult::Done), 1);
    assert_eq!(read(&post.mails, "bob", "1").await.retry_count, 2);
    assert_eq!(letters(&post.letters).await, ["1"]);
}

#[tokio::test]
async fn a_longer_delay_asked_for_by_the_worker_is_kept() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let delay = Some(Duration::from_secs(3600));
    post.sender.fail("1", WorkError::Retry { reason: "quota".to_owned(), delay });
    post.queue.run_due().await.unwrap();
    let failed = read(&post.mails, "bob", "1").await;
    assert!((post.minutes_until(failed.next_retry_at) - 60.0).abs() < 0.01);
}

#[tokio::test]
async fn after_the_fifth_failure_it_is_dead_listed_and_can_be_replayed() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    post.enqueue("2", "bob").await;
    for _ in 0..5 {
        post.sender.fail("1", WorkError::retry("500"));
    }
    post.sender.fail("2", WorkError::permanent("the token is no token"));
    for _ in 0..8 {
        post.queue.run_due().await.unwrap();
        post.world.travel(2 * 3600);
    }
    let dead = post.queue.dead(QueryPageOptions::default()).await.unwrap().value.rows;
    let mut report: Vec<_> =
        dead.iter().map(|item| (item.value.id.as_str(), item.value.retry_count)).collect();
    report.sort_unstable();
    assert_eq!(report, [("1", 5), ("2", 1)]);
    assert!(letters(&post.letters).await.is_empty());

    let bob = "bob".into();
    let replay = async |id| post.queue.replay(&bob, id).await.unwrap();
    let replayed = replay("1").await;
    assert!(
        matches!(&replayed, ReplayResult::Replayed(now) if now.value.value.status == "PENDING")
    );
    assert!(matches!(replay("1").await, ReplayResult::NotFailed(_)));
    assert!(matches!(replay("3").await, ReplayResult::Missing));
    assert_eq!(read(&post.mails, "bob", "1").await.retry_count, 0);
    post.queue.run_due().await.unwrap();
    assert_eq!(letters(&post.letters).await, ["1"]);
}

#[tokio::test]
async fn a_claim_that_was_taken_over_cannot_be_ended() {
    let post = post().await;
    let other = queue(&post.mails, "two", &post.sender);
    post.enqueue("1", "bob").await;
    let slow = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    // Nobody else gets it while the lease lasts.
    assert!(other.claim(post.item("1").await).await.unwrap().is_none());
    post.world.travel(121);
    let mut quick = other.claim(post.item("1").await).await.unwrap().unwrap();
    assert_eq!(quick.document().retry_count, 1);
    let late = WorkCompletion::done().with(|mail: &mut Mail| mail.status = "WRONG".to_owned());
    assert_eq!(post.queue.end(slow, Ok(late)).await.unwrap(), WorkResult::Lost);
    quick.renew().await.unwrap();
    let done = other.end(quick, Ok(WorkCompletion::done())).await.unwrap();
    assert_eq!(done, WorkResult::Done);
    assert_eq!(read(&post.mails, "bob", "1").await.status, "COMPLETED");
}

#[tokio::test]
async fn the_same_instance_cannot_end_its_own_earlier_claim_either() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let mut earlier = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    post.world.travel(121);
    let _later = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    assert_eq!(earlier.renew().await.unwrap_err(), WorkError::Lost);
    let ended = post.queue.end(earlier, Err(WorkError::retry("late"))).await.unwrap();
    assert_eq!(ended, WorkResult::Lost);
    assert_eq!(read(&post.mails, "bob", "1").await.status, "PROCESSING");
}

#[tokio::test]
async fn a_claim_survives_writes_of_others_to_other_properties() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let claim = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    let label = |value: &mut serde_json::Value| {
        value["label"] = "urgent".into();
        Ok::<(), client::Error>(())
    };
    post.mails.modify(&"bob".into(), "1", label).await.unwrap();
    let ended = post.queue.end(claim, Ok(WorkCompletion::done())).await.unwrap();
    assert_eq!(ended, WorkResult::Done);
    let stored = post.mails.read::<serde_json::Value>(&"bob".into(), "1").await.unwrap();
    assert_eq!(stored.value.value["label"], "urgent");
    assert_eq!(stored.value.value["status"], "COMPLETED");
}

#[tokio::test]
async fn a_renewed_claim_is_kept_and_records_its_steps() {
    let post = post().await;
    let other = queue(&post.mails, "two", &post.sender);
    post.enqueue("1", "bob").await;
    let mut claim = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    for step in ["copied", "compared"] {
        post.world.travel(100);
        claim.record(|mail| mail.last_error = Some(step.to_owned())).await.unwrap();
    }
    post.world.travel(100);
    assert!(other.claim(post.item("1").await).await.unwrap().is_none());
    assert_eq!(read(&post.mails, "bob", "1").await.last_error.as_deref(), Some("compared"));
    let ended = post.queue.end(claim, Ok(WorkCompletion::done())).await.unwrap();
    assert_eq!(ended, WorkResult::Done);
}

#[tokio::test]
async fn work_whose_worker_dies_every_time_is_dead_after_the_fifth() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    for lost in 0..5 {
        let claim = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
        assert_eq!(claim.document().retry_count, lost);
        drop(claim);
        post.world.travel(121);
    }
    assert_eq!(post.queue.run_due().await.unwrap().count(WorkResult::Dead), 1);
    let dead = read(&post.mails, "bob", "1").await;
    assert_eq!((dead.status.as_str(), dead.retry_count), ("FAILED", 5));
    assert!(dead.last_error.unwrap().contains("the lease of 'one."), "names who had it");
    assert!(post.sender.calls().is_empty());
}

#[tokio::test]
async fn postponed_work_waits_without_a_failure() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let morning =
        UtcTimestamp::now(post.mails.account().environment()).after(Duration::from_secs(8 * 3600));
    let claim = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    let ended = post.queue.end(claim, Ok(WorkCompletion::postponed(morning))).await.unwrap();
    assert_eq!(ended, WorkResult::Postponed);
    let waiting = read(&post.mails, "bob", "1").await;
    assert_eq!((waiting.retry_count, waiting.next_retry_at), (0, Some(morning)));
    assert_eq!(post.queue.run_due().await.unwrap().count(WorkResult::Done), 0);
    post.world.travel(8 * 3600);
    assert_eq!(post.queue.run_due().await.unwrap().count(WorkResult::Done), 1);
}

#[tokio::test]
async fn erased_work_is_gone_and_nothing_is_written_again() {
    let post = post().await;
    post.enqueue("1", "bob").await;
    let claim = post.queue.claim(post.item("1").await).await.unwrap().unwrap();
    post.mails.delete_partition(&"bob".into()).await.unwrap();
    let ended = post.queue.end(claim, Ok(WorkCompletion::done())).await.unwrap();
    assert_eq!(ended, WorkResult::Gone);
    assert!(letters(&post.mails).await.is_empty());
}

#[tokio::test]
async fn an_item_that_is_no_work_does_not_stop_the_others() {
    let post = post().await;
    let damaged = serde_json::json!({"id": "0", "userId": "bob", "status": "PENDING"});
    post.mails.create(&"bob".into(), &damaged).await.unwrap();
    post.enqueue("1", "bob").await;
    let settings =
        service::work::QueueSettings { batch_items_max: 1, ..super::mail::settings("x") };
    let queue = WorkQueue::new(&post.mails, settings, post.sender.clone());
    let run = queue.run_due().await.unwrap();
    assert_eq!(run.count(WorkResult::Done), 1);
    assert_eq!(letters(&post.letters).await, ["1"]);
}

#[tokio::test]
async fn two_instances_share_a_thousand_works_and_none_is_done_twice() {
    let post = post().await;
    let other = queue(&post.mails, "two", &post.sender);
    for number in 0..1000 {
        post.enqueue(&format!("{number:04}"), &format!("user{}", number % 17)).await;
    }
    let (mut ours, mut theirs) = (0, 0);
    while ours + theirs < 1000 {
        let (one, two) = tokio::join!(post.queue.run_due(), other.run_due());
        ours += one.unwrap().count(WorkResult::Done);
        theirs += two.unwrap().count(WorkResult::Done);
    }
    let mut calls = post.sender.calls();
    assert_eq!(calls.len(), 1000);
    calls.sort_unstable();
    calls.dedup();
    assert_eq!(calls.len(), 1000);
    assert_eq!(letters(&post.letters).await.len(), 1000);
}

#[tokio::test]
async fn partitions_are_worked_on_side_by_side_and_each_in_order() {
    let post = post().await;
    let settings = service::work::QueueSettings { concurrency: 4, ..super::mail::settings("four") };
    let queue = WorkQueue::new(&post.mails, settings, post.sender.clone());
    for number in 0..40 {
        post.enqueue(&format!("{number:02}"), &format!("user{}", number % 5)).await;
        post.world.travel(1);
    }
    assert_eq!(queue.run_due().await.unwrap().count(WorkResult::Done), 40);
    let calls: Vec<u32> = post.sender.calls().iter().map(|id| id.parse().unwrap()).collect();
    assert_ne!(calls, (0..40).collect::<Vec<_>>(), "side by side");
    for user in 0..5 {
        let of_user: Vec<u32> = calls.iter().copied().filter(|id| id % 5 == user).collect();
        assert!(of_user.is_sorted(), "{of_user:?}");
    }
}
