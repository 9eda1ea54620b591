//! The commit queue in many orders of the steps of its callers and the committer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interleaving::{explore, spawn, wait_for};
use storage::{Result, Shard, Stamp};
use tokio::sync::oneshot;

use super::queue::{CommitJob, CommitQueue};

const ORDERS: usize = 2_000;
const JOBS_MAX: usize = 2;
/// Time does not pass in an exploration: whoever needs this to go on waits for ever, which is reported.
const TIMEOUT: Duration = Duration::from_secs(3_600);

/// Queues a commit and waits for its answer. Each caller has its own shard.
fn commit(queue: &CommitQueue, caller: u32) -> Result<Vec<Stamp>> {
    let (result, answer) = oneshot::channel();
    let job = CommitJob::Commit { shard: Shard(caller), group: Vec::new(), result };
    wait_for(queue.push(job))?;
    wait_for(answer).expect("an accepted job is answered")
}

/// Answers the jobs as the committer does, with their place in the order of all jobs.
fn answer(queue: &CommitQueue, pending: &mut VecDeque<CommitJob>, answered: &mut u64) {
    assert!(pending.len() <= JOBS_MAX, "{} jobs have entered", pending.len());
    while let Some(job) = pending.pop_front() {
        queue.release(1);
        if let CommitJob::Commit { result, .. } = job {
            *answered += 1;
            drop(result.send(Ok(vec![Stamp(*answered)])));
        }
    }
}

/// Takes and answers until the queue is closed. Returns how many jobs there were.
fn run_committer(queue: &CommitQueue, timeout: Option<Duration>) -> u64 {
    let (mut pending, mut answered) = (VecDeque::new(), 0);
    while queue.take_all(&mut pending, timeout) {
        answer(queue, &mut pending, &mut answered);
    }
    answered
}

#[test]
fn in_every_order_each_commit_is_answered_once_and_in_its_callers_order() {
    for timeout in [None, Some(TIMEOUT)] {
        explore(ORDERS, move || {
            let queue = Arc::new(CommitQueue::new(JOBS_MAX));
            let callers = [0, 1, 2].map(|caller| {
                let queue = Arc::clone(&queue);
                spawn(move || {
                    let earlier = commit(&queue, caller).unwrap();
                    let later = commit(&queue, caller).unwrap();
                    assert!(earlier < later);
                })
            });
            let committer = {
                let queue = Arc::clone(&queue);
                spawn(move || run_committer(&queue, timeout))
            };
            for caller in callers {
                caller();
            }
            queue.close();
            assert_eq!(committer(), 6);
        });
    }
}

#[test]
fn in_every_order_closing_answers_what_was_accepted_and_refuses_the_rest() {
    explore(ORDERS, || {
        let queue = Arc::new(CommitQueue::new(JOBS_MAX));
        let callers = [0, 1, 2].map(|caller| {
            let queue = Arc::clone(&queue);
            spawn(move || u64::from(commit(&queue, caller).is_ok()))
        });
        let committer = {
            let queue = Arc::clone(&queue);
            spawn(move || run_committer(&queue, None))
        };
        queue.close();
        let accepted: u64 = callers.into_iter().map(|caller| caller()).sum();
        assert_eq!(committer(), accepted);
        assert!(commit(&queue, 0).is_err(), "a closed queue accepts nothing");
    });
}

/// The committer waits for a batch of a certain size, and the callers know nothing of it.
#[test]
fn in_every_order_a_wait_for_more_jobs_ends_when_they_have_come() {
    explore(ORDERS, || {
        let queue = Arc::new(CommitQueue::new(JOBS_MAX));
        let callers = [0, 1].map(|caller| {
            let queue = Arc::clone(&queue);
            spawn(move || commit(&queue, caller).unwrap())
        });
        let committer = {
            let queue = Arc::clone(&queue);
            spawn(move || {
                let (mut pending, mut answered) = (VecDeque::new(), 0);
                assert!(queue.take_all(&mut pending, None));
                queue.take_until(&mut pending, 2, far_future());
                assert_eq!(pending.len(), 2);
                answer(&queue, &mut pending, &mut answered);
                // One more, for which nobody waits: it must wake the committer by itself.
                assert!(queue.take_all(&mut pending, None));
                answer(&queue, &mut pending, &mut answered);
                answered
            })
        };
        for caller in callers {
            caller();
        }
        commit(&queue, 2).unwrap();
        assert_eq!(committer(), 3);
    });
}

#[expect(clippy::disallowed_methods, reason = "a deadline that no test reaches")]
fn far_future() -> Instant {
    Instant::now() + TIMEOUT
}
