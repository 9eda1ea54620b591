//! Releasing due items into the change feed, and the callbacks of a worker.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{Processor, ProcessorStart};
use client::{Container, Result};
use service::work::{
    Claim, ClaimSummary, QueueSettings, ReleaseCounts, UtcTimestamp, WorkCompletion, WorkError,
    WorkQueue, WorkResult, Worker,
};

use super::mail::{Mail, mail, read, settings};
use crate::world::World;

/// How an attempt is to end.
type Plan = fn() -> WorkCompletion<Mail>;

/// Answers as planned, records its callbacks, and lets mails live for a day.
#[derive(Clone, Default)]
struct RecordingWorker {
    plans: Arc<Mutex<Vec<Plan>>>,
    words: Arc<Mutex<Vec<String>>>,
}

impl RecordingWorker {
    fn plan(&self, finish: Plan) {
        self.plans.lock().unwrap().push(finish);
    }

    fn say(&self, words: String) {
        self.words.lock().unwrap().push(words);
    }

    fn words(&self) -> Vec<String> {
        std::mem::take(&mut self.words.lock().unwrap())
    }
}

const DAY: Duration = Duration::from_secs(86_400);

#[async_trait]
impl Worker<Mail> for RecordingWorker {
    async fn work(
        &self,
        claim: &mut Claim<Mail>,
    ) -> std::result::Result<WorkCompletion<Mail>, WorkError> {
        claim.add_charge(100.0);
        self.say(format!("work {}", claim.document().id));
        let plan = self.plans.lock().unwrap().pop();
        Ok(plan.map_or_else(WorkCompletion::done, |finish| finish()))
    }

    fn on_due(&self, work: &Mail) {
        self.say(format!("met {} {}", work.id, work.status));
    }

    async fn on_claim_end(&self, work: &Mail, ended: ClaimSummary) -> Result<()> {
        assert!(ended.charge > 100.0 + 10.0, "the claim and the worker's own: {}", ended.charge);
        self.say(format!("ended {} {} {:?}", work.id, work.status, ended.result));
        Ok(())
    }

    fn expires_at(&self, work: &Mail, _: UtcTimestamp) -> Option<UtcTimestamp> {
        Some(work.created_at.after(DAY))
    }
}

struct Fixture {
    world: World,
    mails: Container,
    report: RecordingWorker,
    queue: WorkQueue<Mail>,
}

async fn fixture() -> Fixture {
    let world = World::new(3).await;
    let mails = world.container("mails", "/userId").await;
    let report = RecordingWorker::default();
    let settings = QueueSettings { batch_items_max: 2, concurrency: 4, ..settings("one") };
    let queue = WorkQueue::new(&mails, settings, report.clone());
    Fixture { world, mails, report, queue }
}

impl Fixture {
    async fn enqueue(&self, id: &str, user: &str) {
        let now = UtcTimestamp::now(self.mails.account().environment());
        self.queue.enqueue(mail(id, user, now)).await.unwrap();
    }

    async fn feed(&self) -> Processor<Mail> {
        let leases = self.world.container("leases", "/id").await;
        let feed = Processor::<Mail>::builder(&self.mails, &leases, "mails");
        let feed = feed.start_at(ProcessorStart::Beginning).build(self.queue.reaction());
        feed.await.unwrap()
    }
}

#[tokio::test]
async fn a_worker_is_notified_of_due_items_and_of_the_end_of_claims() {
    let fixture = fixture().await;
    fixture.enqueue("1", "bob").await;
    let feed = fixture.feed().await;
    feed.run_once().await.unwrap();
    // Its own writes come back by the feed, without a callback.
    feed.run_once().await.unwrap();
    assert_eq!(fixture.report.words(), ["met 1 PENDING", "work 1", "ended 1 COMPLETED Done"]);
}

#[tokio::test]
async fn an_attempt_that_failed_can_write_what_it_did() {
    let fixture = fixture().await;
    fixture.enqueue("1", "bob").await;
    fixture.report.plan(|| {
        let noted = |mail: &mut Mail| mail.lease_owner = Some("half of it is sent".to_owned());
        WorkCompletion::retry("503", Some(Duration::from_secs(3_600))).with(noted)
    });
    assert_eq!(fixture.queue.run_due().await.unwrap().count(WorkResult::Retry), 1);
    let failed = read(&fixture.mails, "bob", "1").await;
    assert_eq!((failed.status.as_str(), failed.retry_count), ("FAILED", 1));
    assert_eq!(failed.lease_owner.as_deref(), Some("half of it is sent"));
    assert_eq!(failed.last_error.as_deref(), Some("503"));
    let wait = failed.next_retry_at.unwrap().since(failed.created_at);
    assert_eq!(wait, Duration::from_secs(3_600));
}

#[tokio::test]
async fn the_end_that_the_worker_says_goes_before_that_of_the_document() {
    let fixture = fixture().await;
    fixture.enqueue("1", "bob").await;
    assert_eq!(read(&fixture.mails, "bob", "1").await.ttl, Some(86_400));
    fixture.world.travel(600);
    fixture.queue.run_due().await.unwrap();
    assert_eq!(read(&fixture.mails, "bob", "1").await.ttl, Some(86_400 - 600));
}

#[tokio::test]
async fn work_that_lives_as_long_as_its_container_says_does_not_say_so() {
    let fixture = fixture().await;
    let settings = QueueSettings { default_ttl_seconds: Some(86_400), ..settings("two") };
    let queue = WorkQueue::new(&fixture.mails, settings, fixture.report.clone());
    let now = UtcTimestamp::now(fixture.mails.account().environment());
    queue.enqueue(mail("1", "bob", now)).await.unwrap();
    assert_eq!(read(&fixture.mails, "bob", "1").await.ttl, None);
    fixture.world.travel(600);
    queue.run_due().await.unwrap();
    assert_eq!(read(&fixture.mails, "bob", "1").await.ttl, Some(86_400 - 600));
}

#[tokio::test]
async fn due_items_are_released_into_the_feed_in_their_order() {
    let fixture = fixture().await;
    let feed = fixture.feed().await;
    // Three retries, a mail whose worker is lost, one that was postponed, and one that is not due.
    for id in ["1", "2", "3"] {
        fixture.enqueue(id, "bob").await;
        fixture.report.plan(|| WorkCompletion::retry("503", None));
        fixture.world.travel(1);
    }
    feed.run_once().await.unwrap();
    fixture.enqueue("4", "bob").await;
    let item = fixture.mails.read::<Mail>(&"bob".into(), "4").await.unwrap().value;
    drop(fixture.queue.claim(item).await.unwrap().unwrap());
    fixture.world.travel(1);
    fixture.enqueue("5", "bob").await;
    fixture.report.plan(|| WorkCompletion::postponed(UtcTimestamp::from_ms(1_800_000_100_000)));
    feed.run_once().await.unwrap();
    fixture.world.travel(1);
    fixture.enqueue("6", "bob").await;
    fixture.report.plan(|| WorkCompletion::retry("503", Some(DAY / 2)));
    feed.run_once().await.unwrap();
    fixture.report.words();
    fixture.world.travel(300);
    let released = fixture.queue.release_due().await.unwrap();
    assert!(released.charge > 40.0, "{released:?}");
    let expected = ReleaseCounts { waiting: 1, failed: 3, lost: 1, charge: released.charge };
    assert_eq!(released, expected);
    assert_eq!(fixture.report.words(), [""; 0], "nobody works on them yet");
    let lost = read(&fixture.mails, "bob", "4").await;
    assert_eq!((lost.status.as_str(), lost.retry_count), ("PENDING", 1));
    assert!(lost.last_error.unwrap().contains("the lease of 'one."), "names who had it");
    feed.run_once().await.unwrap();
    let words = fixture.report.words();
    let worked: Vec<_> = words.iter().filter(|words| words.starts_with("work")).collect();
    assert_eq!(worked, ["work 1", "work 2", "work 3", "work 4", "work 5"]);
}

#[tokio::test]
async fn work_that_kills_its_workers_is_dead_when_it_would_go_back_for_the_fifth_time() {
    let fixture = fixture().await;
    fixture.enqueue("1", "bob").await;
    for lost in 1..=5 {
        let item = fixture.mails.read::<Mail>(&"bob".into(), "1").await.unwrap().value;
        drop(fixture.queue.claim(item).await.unwrap().unwrap());
        fixture.world.travel(121);
        assert_eq!(fixture.queue.release_due().await.unwrap().lost, 1);
        let mail = read(&fixture.mails, "bob", "1").await;
        let status = if lost == 5 { "FAILED" } else { "PENDING" };
        assert_eq!((mail.status.as_str(), mail.retry_count), (status, lost));
    }
    assert_eq!(fixture.queue.release_due().await.unwrap().lost, 0);
}

#[tokio::test]
async fn the_feed_works_on_partitions_side_by_side_and_each_in_order() {
    let fixture = fixture().await;
    for number in 0..20 {
        fixture.enqueue(&format!("{number:02}"), &format!("user{}", number / 5)).await;
    }
    fixture.feed().await.run_once().await.unwrap();
    let words = fixture.report.words();
    let ids = |what: &str| -> Vec<u32> {
        let report = words.iter().filter_map(|words| words.strip_prefix(what));
        report.map(|id| id.split(' ').next().unwrap().parse().unwrap()).collect()
    };
    assert_ne!(ids("ended "), (0..20).collect::<Vec<_>>(), "side by side");
    for user in 0..4 {
        let of_user: Vec<u32> = ids("ended ").into_iter().filter(|id| id / 5 == user).collect();
        assert_eq!(of_user, (5 * user..5 * user + 5).collect::<Vec<_>>());
    }
}
