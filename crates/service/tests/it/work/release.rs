//! What is due goes back into the change feed, where one worker at a time has a partition; what a worker is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use client::processor::{Processor, ProcessorStart};
use client::{Container, Result};
use service::work::{
    Claim, Ended, Finish, Moment, Queue, QueueSettings, Released, WorkError, Worked, Worker,
};

use super::mail::{Mail, mail, read, settings};
use crate::world::World;

/// Answers as planned, keeps what it was told, and lets mails live for a day.
#[derive(Clone, Default)]
struct Told {
    plans: Arc<Mutex<Vec<fn() -> Finish<Mail>>>>,
    words: Arc<Mutex<Vec<String>>>,
}

impl Told {
    fn plan(&self, finish: fn() -> Finish<Mail>) {
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
impl Worker<Mail> for Told {
    async fn work(&self, claim: &mut Claim<Mail>) -> std::result::Result<Finish<Mail>, WorkError> {
        claim.add_charge(100.0);
        self.say(format!("work {}", claim.document().id));
        let plan = self.plans.lock().unwrap().pop();
        Ok(plan.map_or_else(Finish::done, |finish| finish()))
    }

    fn met(&self, work: &Mail) {
        self.say(format!("met {} {}", work.id, work.status));
    }

    async fn ended(&self, work: &Mail, ended: Ended) -> Result<()> {
        assert!(ended.charge > 100.0 + 10.0, "the claim and the worker's own: {}", ended.charge);
        self.say(format!("ended {} {} {:?}", work.id, work.status, ended.worked));
        Ok(())
    }

    fn ends_at(&self, work: &Mail, _: Moment) -> Option<Moment> {
        Some(work.created_at.after(DAY))
    }
}

struct Ground {
    world: World,
    mails: Container,
    told: Told,
    queue: Queue<Mail>,
}

async fn ground() -> Ground {
    let world = World::new(3).await;
    let mails = world.container("mails", "/userId").await;
    let told = Told::default();
    let settings = QueueSettings { batch_items_max: 2, concurrency: 4, ..settings("one") };
    let queue = Queue::new(&mails, settings, told.clone());
    Ground { world, mails, told, queue }
}

impl Ground {
    async fn enqueue(&self, id: &str, user: &str) {
        let now = Moment::now(self.mails.account().environment());
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
async fn a_worker_is_told_of_what_it_meets_and_how_it_ends() {
    let ground = ground().await;
    ground.enqueue("1", "bob").await;
    let feed = ground.feed().await;
    feed.run_once().await.unwrap();
    // Its own writes come back by the feed, and nobody is told of them.
    feed.run_once().await.unwrap();
    assert_eq!(ground.told.words(), ["met 1 PENDING", "work 1", "ended 1 COMPLETED Done"]);
}

#[tokio::test]
async fn an_attempt_that_failed_can_write_what_it_did() {
    let ground = ground().await;
    ground.enqueue("1", "bob").await;
    ground.told.plan(|| {
        let noted = |mail: &mut Mail| mail.lease_owner = Some("half of it is sent".to_owned());
        Finish::again("503", Some(Duration::from_secs(3_600))).with(noted)
    });
    assert_eq!(ground.queue.run_due().await.unwrap().count(Worked::Again), 1);
    let failed = read(&ground.mails, "bob", "1").await;
    assert_eq!((failed.status.as_str(), failed.retry_count), ("FAILED", 1));
    assert_eq!(failed.lease_owner.as_deref(), Some("half of it is sent"));
    assert_eq!(failed.last_error.as_deref(), Some("503"));
    let wait = failed.next_retry_at.unwrap().since(failed.created_at);
    assert_eq!(wait, Duration::from_secs(3_600));
}

#[tokio::test]
async fn the_end_that_the_worker_says_goes_before_that_of_the_document() {
    let ground = ground().await;
    ground.enqueue("1", "bob").await;
    assert_eq!(read(&ground.mails, "bob", "1").await.ttl, Some(86_400));
    ground.world.travel(600);
    ground.queue.run_due().await.unwrap();
    assert_eq!(read(&ground.mails, "bob", "1").await.ttl, Some(86_400 - 600));
}

#[tokio::test]
async fn work_that_lives_as_long_as_its_container_says_does_not_say_so() {
    let ground = ground().await;
    let settings = QueueSettings { default_ttl_seconds: Some(86_400), ..settings("two") };
    let queue = Queue::new(&ground.mails, settings, ground.told.clone());
    let now = Moment::now(ground.mails.account().environment());
    queue.enqueue(mail("1", "bob", now)).await.unwrap();
    assert_eq!(read(&ground.mails, "bob", "1").await.ttl, None);
    ground.world.travel(600);
    queue.run_due().await.unwrap();
    assert_eq!(read(&ground.mails, "bob", "1").await.ttl, Some(86_400 - 600));
}

#[tokio::test]
async fn what_is_due_waits_again_and_comes_by_the_feed_in_its_order() {
    let ground = ground().await;
    let feed = ground.feed().await;
    // Three retries, a mail whose worker is lost, one that was postponed, and one that is not due.
    for id in ["1", "2", "3"] {
        ground.enqueue(id, "bob").await;
        ground.told.plan(|| Finish::again("503", None));
        ground.world.travel(1);
    }
    feed.run_once().await.unwrap();
    ground.enqueue("4", "bob").await;
    let item = ground.mails.read::<Mail>(&"bob".into(), "4").await.unwrap().value;
    drop(ground.queue.claim(item).await.unwrap().unwrap());
    ground.world.travel(1);
    ground.enqueue("5", "bob").await;
    ground.told.plan(|| Finish::postponed(Moment::from_ms(1_800_000_100_000)));
    feed.run_once().await.unwrap();
    ground.world.travel(1);
    ground.enqueue("6", "bob").await;
    ground.told.plan(|| Finish::again("503", Some(DAY / 2)));
    feed.run_once().await.unwrap();
    ground.told.words();
    ground.world.travel(300);
    let released = ground.queue.release_due().await.unwrap();
    assert!(released.charge > 40.0, "{released:?}");
    let expected = Released { waiting: 1, failed: 3, lost: 1, charge: released.charge };
    assert_eq!(released, expected);
    assert_eq!(ground.told.words(), [""; 0], "nobody works on them yet");
    let lost = read(&ground.mails, "bob", "4").await;
    assert_eq!((lost.status.as_str(), lost.retry_count), ("PENDING", 1));
    assert!(lost.last_error.unwrap().contains("the lease of 'one."), "names who had it");
    feed.run_once().await.unwrap();
    let words = ground.told.words();
    let worked: Vec<_> = words.iter().filter(|words| words.starts_with("work")).collect();
    assert_eq!(worked, ["work 1", "work 2", "work 3", "work 4", "work 5"]);
}

#[tokio::test]
async fn work_that_kills_its_workers_is_dead_when_it_would_go_back_for_the_fifth_time() {
    let ground = ground().await;
    ground.enqueue("1", "bob").await;
    for lost in 1..=5 {
        let item = ground.mails.read::<Mail>(&"bob".into(), "1").await.unwrap().value;
        drop(ground.queue.claim(item).await.unwrap().unwrap());
        ground.world.travel(121);
        assert_eq!(ground.queue.release_due().await.unwrap().lost, 1);
        let mail = read(&ground.mails, "bob", "1").await;
        let status = if lost == 5 { "FAILED" } else { "PENDING" };
        assert_eq!((mail.status.as_str(), mail.retry_count), (status, lost));
    }
    assert_eq!(ground.queue.release_due().await.unwrap().lost, 0);
}

#[tokio::test]
async fn the_feed_works_on_partitions_side_by_side_and_each_in_order() {
    let ground = ground().await;
    for number in 0..20 {
        ground.enqueue(&format!("{number:02}"), &format!("user{}", number / 5)).await;
    }
    ground.feed().await.run_once().await.unwrap();
    let words = ground.told.words();
    let ids = |what: &str| -> Vec<u32> {
        let told = words.iter().filter_map(|words| words.strip_prefix(what));
        told.map(|id| id.split(' ').next().unwrap().parse().unwrap()).collect()
    };
    assert_ne!(ids("ended "), (0..20).collect::<Vec<_>>(), "side by side");
    for user in 0..4 {
        let of_user: Vec<u32> = ids("ended ").into_iter().filter(|id| id / 5 == user).collect();
        assert_eq!(of_user, (5 * user..5 * user + 5).collect::<Vec<_>>());
    }
}
