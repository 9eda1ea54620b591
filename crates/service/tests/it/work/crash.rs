//! A crash before and after every request: no item is lost, none has its effect twice.

use client::processor::{Processor, ProcessorStart};
use client::{Fault, Faults};
use service::work::{UtcTimestamp, WorkError};

use super::mail::{Mail, Sender, letters, mail, queue, read};
use crate::world::{World, on};

/// Runs the program with a stop at request number `request`; whether it came to that.
async fn stopped_at(request: usize, stop: Fault, by_feed: bool) -> bool {
    let world = World::new(request as u64).await;
    let mails = world.container("mails", "/userId").await;
    let all_letters = world.container("letters", "/userId").await;
    world.container("leases", "/id").await;
    let plain = queue(&mails, "second", &Sender::new(&all_letters));
    for id in ["1", "2"] {
        plain
            .enqueue(mail(id, "bob", UtcTimestamp::now(mails.account().environment())))
            .await
            .unwrap();
    }

    let faults = Faults::new();
    (0..request).for_each(|_| faults.next(Fault::None));
    faults.next(stop);
    let account = world.suffering(&faults);
    let sender = Sender::new(&on(&account, "letters"));
    sender.fail("2", WorkError::retry("503"));
    let first = queue(&on(&account, "mails"), "first", &sender);
    let leases = on(&account, "leases");
    let program = async {
        if by_feed {
            let feed = Processor::<Mail>::builder(first.container(), &leases, "mails")
                .start_at(ProcessorStart::Beginning)
                .build(first.reaction());
            feed.await.unwrap().run_once().await.unwrap();
        } else {
            first.run_due().await.unwrap();
        }
    };
    let ended = faults.until_stopped(program).await;

    // Whoever comes next finishes it, once leases and retries are due.
    for _ in 0..3 {
        world.travel(1800);
        plain.run_due().await.unwrap();
    }
    for id in ["1", "2"] {
        let done = read(&mails, "bob", id).await;
        assert_eq!(done.status, "COMPLETED", "{id}, stopped at {request} {stop:?}");
    }
    assert_eq!(letters(&all_letters).await, ["1", "2"], "stopped at {request} {stop:?}");
    ended.is_none()
}

async fn check_every_request(by_feed: bool, least: usize) {
    for stop in [Fault::StopBefore, Fault::StopAfter] {
        let mut request = 0;
        while stopped_at(request, stop, by_feed).await {
            request += 1;
        }
        assert!(request >= least, "{request} requests only");
    }
}

#[tokio::test]
async fn a_run_of_due_work_may_end_anywhere() {
    // The query; claim, letter and end of one; claim and end of the other.
    check_every_request(false, 6).await;
}

#[tokio::test]
async fn a_round_of_the_change_feed_may_end_anywhere() {
    // Leases and pages besides.
    check_every_request(true, 10).await;
}
