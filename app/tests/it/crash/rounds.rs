//! Kill, open, compare, again. `CRASH_SEED` and `CRASH_ROUNDS` choose another run.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use engine::{Clock, Engine, Environment, Randomness, SeededRandomness, SystemClock};

use super::effect::{Kind, POLICIES, Place};
use super::history::{History, Observed};
use super::writer;
use crate::account::{all_changes, all_items, findings, open_quiet};

const ROUNDS: u64 = 50;
/// A process that has not opened by now never will; the output of the killed process says why.
const OPENING_MAX: Duration = Duration::from_secs(20);
/// Lines of the pipe that a failure prints.
const LINES_TOLD: usize = 400;
const SERIALS_PER_ROUND: u64 = 1_000_000;

#[test]
fn nothing_acknowledged_is_lost_by_a_killed_process() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("CRASH_SEED").unwrap_or_else(fresh_seed);
    let rounds = number("CRASH_ROUNDS").unwrap_or(ROUNDS);
    println!("CRASH_SEED={seed} CRASH_ROUNDS={rounds}");
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let randomness = SeededRandomness::new(seed);
    let mut history = History::default();
    for round in 1..=rounds {
        let mut lasts = Duration::from_millis(20 + randomness.next() % 280);
        if is_calm(round) {
            lasts *= 2;
        }
        let before = history.acknowledged;
        let outcome = write_and_kill(&store, randomness.next(), round, lasts, &mut history);
        let killed = now();
        let outcome = outcome.and_then(|()| check(&store, round, &mut history));
        println!(
            "round {round}: killed after {} ms, {} writes acknowledged, checked in {} ms",
            lasts.as_millis(),
            history.acknowledged - before,
            killed.elapsed().as_millis()
        );
        if let Err(broken) = outcome {
            let kept = folder.keep();
            panic!(
                "round {round} of CRASH_SEED={seed}: {broken}\nstore kept in {}",
                kept.display()
            );
        }
    }
    println!("{} writes, {} splits and merges", history.acknowledged, history.restructured);
    assert!(history.acknowledged > rounds * 5, "too little was written to show anything");
    assert!(history.restructured > 0 || rounds < ROUNDS, "nothing was split");
}

/// Every third round has pauses, so that there is more to survive than writes.
fn is_calm(round: u64) -> bool {
    round.is_multiple_of(3)
}

fn is_relaxed(round: u64) -> bool {
    !round.is_multiple_of(4)
}

/// In these rounds the process is stopped and continued before it is killed.
fn is_stopped_first(round: u64) -> bool {
    round % 5 == 2
}

fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "{name}");
}

#[expect(clippy::disallowed_methods, reason = "for people to read")]
fn now() -> Instant {
    Instant::now()
}

fn fresh_seed() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the seed is printed")]
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    since_epoch.as_micros() as u64 % 1_000_000_007
}

fn write_and_kill(
    store: &Path,
    seed: u64,
    round: u64,
    lasts: Duration,
    history: &mut History,
) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    if is_calm(round) {
        command.env(writer::CALM, "yes");
    }
    if is_relaxed(round) {
        command.env(writer::RELAXED, "yes");
    }
    let mut child = command
        .args(["--exact", "crash::writer::child", "--nocapture", "--test-threads=1"])
        .env(writer::FOLDER, store)
        .env(writer::SEED, seed.to_string())
        .env(writer::SERIAL, (round * SERIALS_PER_ROUND).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    let (open, is_open) = std::sync::mpsc::channel();
    let reader = std::thread::Builder::new().spawn(move || {
        let mut lines = Vec::new();
        let mut line = String::new();
        // A line that the kill has cut is no line.
        while pipe.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
            if line == "open\n" {
                // Nobody listens in rounds that do not wait.
                let _ = open.send(());
            }
            lines.push(line.trim_end().to_owned());
            line.clear();
        }
        lines
    });
    // Some rounds are killed while the store is being opened.
    if !seed.is_multiple_of(5) {
        let _ = is_open.recv_timeout(OPENING_MAX);
    }
    std::thread::sleep(lasts);
    if is_stopped_first(round) {
        // As a suspended machine: nothing runs for a while, then everything is late.
        signal(&child, "STOP");
        std::thread::sleep(lasts);
        signal(&child, "CONT");
        std::thread::sleep(lasts / 4);
    }
    child.kill().unwrap();
    let status = child.wait().unwrap();
    let lines = reader.unwrap().join().unwrap();
    for (index, line) in lines.iter().enumerate() {
        history.hear(line).map_err(|broken| {
            format!("{broken}\nafter these lines:\n{}", last_lines(&lines[..index]))
        })?;
    }
    if status.signal() == Some(9) {
        return Ok(());
    }
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    Err(format!(
        "the writing process ended by itself ({status}): {printed}\n{}",
        last_lines(&lines)
    ))
}

fn last_lines(lines: &[String]) -> String {
    lines[lines.len().saturating_sub(LINES_TOLD)..].join("\n")
}

fn check(store: &Path, round: u64, history: &mut History) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = open_quiet(store, Environment::system()).await;
        let engine = engine.map_err(|error| format!("the store does not open: {error}"))?;
        let findings = findings(&engine).await;
        if !findings.is_empty() {
            return Err(findings);
        }
        history.judge(&observe(&engine).await)?;
        // Every other round the next process meets what a clean end leaves.
        if round.is_multiple_of(2) {
            engine.close().await.map_err(|error| format!("the store does not close: {error}"))?;
        }
        Ok(())
    })
}

async fn observe(engine: &Engine) -> Observed {
    let mut observed = Observed { second: SystemClock.now().seconds().0, ..Observed::default() };
    for kind in Kind::ALL {
        let link = kind.link();
        let Ok(container) = engine.read_container(&link).await else { continue };
        let policy = &container.value.properties.indexing_policy;
        let number =
            (0..POLICIES).find(|number| kind.properties(*number).indexing_policy == *policy);
        observed.policies.insert(kind, number.expect("one of the policies"));
        for item in all_items(engine, &link).await {
            let json = item.to_json();
            let place = Place::of_item(kind, &json).expect("an item of a writer");
            assert!(observed.items.insert(place, json).is_none(), "{place:?} is there twice");
        }
        for change in all_changes(engine, &link).await {
            let json = change.current().expect("the newest version has a body").to_json();
            let place = Place::of_item(kind, &json).expect("an item of a writer");
            let serial = json.get("serial").and_then(model::Json::as_i64).unwrap();
            assert!(
                observed.changes.insert(place, serial).is_none(),
                "{place:?} is in the feed twice"
            );
        }
    }
    observed
}
