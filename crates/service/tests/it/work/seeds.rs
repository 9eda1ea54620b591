//! Two instances under faults drawn from a seed: every work ends, each has one effect, and the seed replays the run.

use client::Faults;
use service::work::{Moment, Queue, Work, WorkError};

use super::mail::{Mail, Sender, letters, mail, queue, read};
use crate::world::{Dice, World, on};

const WORKS: usize = 12;

/// What a run came to: the time at its end, and every work as it ended.
#[derive(Debug, PartialEq)]
struct Outcome {
    ended_at: Moment,
    works: Vec<(String, u32, Option<String>)>,
    suffered: u64,
}

async fn outcome_of(seed: u64) -> Outcome {
    let world = World::new(seed).await;
    let mails = world.container("mails", "/userId").await;
    let all_letters = world.container("letters", "/userId").await;
    let mut dice = Dice::new(seed);
    let faults = Faults::new();
    let account = world.suffering(&faults);
    let sender = Sender::new(&on(&account, "letters"));
    let plain = queue(&mails, "plain", &Sender::new(&all_letters));
    let user = |number: usize| format!("user{}", number % 3);
    for number in 0..WORKS {
        let id = format!("{number:02}");
        plain
            .enqueue(mail(&id, &user(number), Moment::now(mails.account().environment())))
            .await
            .unwrap();
        // The last one is refused for ever, others up to twice.
        let failures = if number == WORKS - 1 { 9 } else { dice.below(3) };
        (0..failures).for_each(|_| sender.fail(&id, WorkError::again("503")));
    }
    dice.plan(&faults, 400, 4);
    let instances: Vec<Queue<Mail>> =
        ["one", "two"].map(|name| queue(&on(&account, "mails"), name, &sender)).into();
    for _ in 0..40 {
        let together = async { tokio::join!(instances[0].run_due(), instances[1].run_due()) };
        // A stop ends both, a failed call one; what they left is found again.
        faults.until_stopped(together).await;
        world.travel(60 * dice.below(40));
    }
    let mut works = Vec::new();
    for number in 0..WORKS {
        let ended = read(&mails, &user(number), &format!("{number:02}")).await;
        works.push((ended.status, ended.retry_count, ended.lease_owner));
    }
    // One letter for each that is done. One that is dead may have its letter too: its end was never written.
    let sent = letters(&all_letters).await;
    for (number, (status, ..)) in works.iter().enumerate() {
        let is_sent = sent.contains(&format!("{number:02}"));
        assert!(is_sent || status != "COMPLETED", "seed {seed}: {number} {works:?}");
    }
    assert!(!sent.contains(&format!("{:02}", WORKS - 1)), "seed {seed}: the refused one was sent");
    Outcome {
        ended_at: Moment::now(mails.account().environment()),
        works,
        suffered: faults.injected(),
    }
}

fn works_done(works: &[(String, u32, Option<String>)]) -> usize {
    works.iter().filter(|(status, ..)| status == "COMPLETED").count()
}

#[tokio::test]
async fn every_work_ends_once_whatever_the_seed() {
    for seed in 0..25 {
        let outcome = outcome_of(seed).await;
        assert!(outcome.suffered > 30, "seed {seed}: {} faults", outcome.suffered);
        for (status, attempts, owner) in &outcome.works {
            // Faults cost attempts too, so more than the refused one may be dead; none is left over.
            let is_dead = status == "FAILED" && *attempts == 5;
            assert!(status == "COMPLETED" || is_dead, "seed {seed}: {outcome:?}");
            assert_eq!(*owner, None, "seed {seed}");
        }
        let (status, ..) = &outcome.works[WORKS - 1];
        assert_eq!(status, "FAILED", "seed {seed}: the refused one");
        assert!(works_done(&outcome.works) >= WORKS / 2, "seed {seed}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_seed_replays_its_run() {
    assert_eq!(outcome_of(3).await, outcome_of(3).await);
    assert_ne!(outcome_of(3).await.ended_at, outcome_of(4).await.ended_at);
}

#[test]
fn the_states_of_the_test_document_round_trip() {
    use service::work::{Stage, State};
    let now = Moment::from_ms(1_800_000_000_123);
    let owner = "one.1".to_owned();
    let stages = [
        Stage::Waiting { due: None },
        Stage::Waiting { due: Some(now) },
        Stage::Failed { due: now },
        Stage::Claimed { owner, until: now },
        Stage::Done,
        Stage::Dead,
    ];
    for stage in stages {
        let state = State { stage, attempts: 3, error: Some("why".to_owned()) };
        let mut document = mail("1", "bob", now);
        document.set_state(state.clone());
        assert_eq!(document.state(), state);
    }
}
