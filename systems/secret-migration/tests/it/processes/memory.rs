//! SM-A5 and SM-033 with real processes: the memory of a process that has migrated workloads and is idle has no value.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::Duration;

use client::Environment;

use super::ground::{CANARY, Ground};

/// Where a text is in the memory of a process: the mapping and the bytes around.
fn find_in_memory(pid: u32, text: &str) -> (usize, Vec<String>) {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let mut memory = std::fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    let (mut searched, mut found) = (0, Vec::new());
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let range = line.split(' ').next().unwrap();
        let (begin, end) = range.split_once('-').unwrap();
        let begin = u64::from_str_radix(begin, 16).unwrap();
        let length = u64::from_str_radix(end, 16).unwrap() - begin;
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        // Some mappings of the kernel cannot be read.
        let read = memory.seek(SeekFrom::Start(begin)).and_then(|_| memory.read_exact(&mut bytes));
        if read.is_err() {
            continue;
        }
        searched += bytes.len();
        for at in 0..bytes.len().saturating_sub(text.len()) {
            if bytes[at..].starts_with(text.as_bytes()) {
                let around = &bytes[at.saturating_sub(40)..(at + 60).min(bytes.len())];
                found.push(format!("{line}: {}", String::from_utf8_lossy(around)));
            }
        }
    }
    (searched, found)
}

/// The worker ends its last connections after it has said that it is finished.
fn find_when_idle(pid: u32) -> (usize, Vec<String>) {
    for _ in 0..100 {
        let (searched, found) = find_in_memory(pid, CANARY);
        if found.is_empty() {
            return (searched, found);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    find_in_memory(pid, CANARY)
}

/// In the middle of its work a process has values: the search can find them.
fn check_busy(ground: &Ground) {
    let mut busy = ground.start("ReadSource", false);
    assert_eq!(busy.said(), "reached");
    let (_, found) = find_in_memory(busy.child.id(), CANARY);
    assert!(!found.is_empty(), "the search finds a value that is in memory");
}

async fn check_idle(ground: &Ground) {
    tokio::task::block_in_place(|| {
        let mut idle = ground.start("none", false);
        assert_eq!(idle.said(), "finished");
        let (searched, found) = find_when_idle(idle.child.id());
        assert!(searched > 1 << 20, "{searched} bytes");
        assert!(found.is_empty(), "{found:#?}");
    });
    ground.check(&ground.open(Environment::system()).await, "the idle process").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a5_the_memory_of_an_idle_process_has_no_value() {
    let ground = Ground::with(3).await;
    tokio::task::block_in_place(|| check_busy(&ground));
    check_idle(&Ground::with(3).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sm_a5_the_memory_of_an_idle_process_has_no_value_after_tls() {
    let ground = Ground::with_tls(3).await;
    tokio::task::block_in_place(|| check_busy(&ground));
    check_idle(&Ground::with_tls(3).await).await;
}
