//! Items that expire 30 days after their creation, however often they are written.

use client::{ErrorKind, Query};
use service::work::{ExpiringContainer, UtcTimestamp, WorkResult};

use super::mail::{Mail, Sender, mail, queue};
use crate::world::World;

const DAY: u64 = 86_400;

#[tokio::test]
async fn an_item_written_on_day_29_is_gone_on_day_31() {
    let world = World::new(1).await;
    let mails = world.container("mails", "/userId").await;
    let expiring = ExpiringContainer::new(&mails);
    let bob = "bob".into();
    let created = mail("1", "bob", UtcTimestamp::now(mails.account().environment()));
    let created = expiring.create(&bob, created).await.unwrap().value.value;
    assert_eq!(created.ttl, Some(30 * 86_400));
    world.travel(29 * DAY);
    let read_it = |mail: &mut Mail| {
        mail.status = "READ".to_owned();
        Ok::<(), client::Error>(())
    };
    let read = expiring.modify(&bob, "1", read_it).await.unwrap();
    assert_eq!(read.value.value.ttl, Some(86_400));
    // Nothing changes, so nothing is written, although ttl would be another now.
    world.travel(10);
    let again = expiring.modify(&bob, "1", read_it).await.unwrap();
    assert_eq!(again.value.etag(), read.value.etag());
    world.travel(DAY - 11);
    assert!(mails.read::<Mail>(&bob, "1").await.is_ok());
    world.travel(2);
    let gone = mails.read::<Mail>(&bob, "1").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn every_write_through_the_container_counts_from_creation() {
    let world = World::new(1).await;
    let mails = world.container("mails", "/userId").await;
    let expiring = ExpiringContainer::new(&mails);
    let bob = "bob".into();
    let first = mail("1", "bob", UtcTimestamp::now(mails.account().environment()));
    world.travel(DAY);
    let mut item = expiring.upsert(&bob, first).await.unwrap().value;
    assert_eq!(item.value.ttl, Some(29 * 86_400));
    world.travel(DAY);
    item.value.status = "READ".to_owned();
    let saved = expiring.save(&bob, &mut item).await.unwrap().value;
    assert_eq!(saved.value.ttl, Some(28 * 86_400));
    // After its end, a write makes it go within a second instead of living on.
    world.travel(DAY);
    let late = mail("2", "bob", UtcTimestamp::default());
    assert_eq!(expiring.create(&bob, late).await.unwrap().value.value.ttl, Some(1));
    world.travel(2);
    assert_eq!(
        expiring.container().read::<Mail>(&bob, "2").await.unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

#[tokio::test]
async fn claims_and_retries_do_not_prolong_the_life_of_work() {
    let world = World::new(1).await;
    let mails = world.container("mails", "/userId").await;
    let sender = Sender::new(&world.container("letters", "/userId").await);
    let queue = queue(&mails, "one", &sender);
    let enqueued = queue
        .enqueue(mail("1", "bob", UtcTimestamp::now(mails.account().environment())))
        .await
        .unwrap();
    assert_eq!(enqueued.value.value.ttl, Some(30 * 86_400));
    world.travel(29 * DAY);
    assert_eq!(queue.run_due().await.unwrap().count(WorkResult::Done), 1);
    world.travel(DAY + 1);
    let all = Query::text("SELECT VALUE c.id FROM c").within("bob".into());
    assert!(mails.query::<String>(&all).await.unwrap().value.is_empty());
}
