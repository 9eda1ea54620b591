//! A copy with a changed partition key, killed with -9 in its middle, finished by running it again.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use model::Json;

use super::ground::{Ground, sum};
use crate::planisphere::{BINARY, on};

const ITEMS: u64 = 600;
const NEW_KEY: [&str; 6] =
    ["--to", "shop/by-day", "--partition-key", "/day", "--transform", "day=LEFT(c.at, 10)"];

/// Items of the checkpoint; none before the first.
fn kept(ground: &Ground) -> u64 {
    let Ok(text) = std::fs::read(ground.checkpoint()) else { return 0 };
    let kept = Json::parse(&text).unwrap();
    u64::try_from(kept.get("copied").unwrap().as_i64().unwrap()).unwrap()
}

/// Runs a slow copy until its checkpoint has moved, then kills it.
fn killed_half_way(ground: &Ground) -> u64 {
    let before = kept(ground);
    let slow = ["--page-items", "10", "--ru-per-second", "1000"];
    let words = ground.words(&[&NEW_KEY[..], &slow].concat());
    let child = Command::new(BINARY).args(words).stdout(Stdio::null()).spawn();
    let mut child: Child = child.unwrap();
    while kept(ground) <= before + 20 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    kept(ground)
}

#[test]
fn a_copy_killed_twice_is_finished_and_the_same() {
    let ground = Ground::with(usize::try_from(ITEMS).unwrap());
    let first = killed_half_way(&ground);
    assert!(first > 0 && first < ITEMS, "{first}");
    let second = killed_half_way(&ground);
    assert!(second > first && second < ITEMS, "{second}");

    let said = ground.copy(&[&NEW_KEY[..], &["--verify"]].concat()).succeeded();
    let rest = format!("copied {} items of shop/orders to shop/by-day", ITEMS - second);
    assert!(said.out.contains(&rest), "{said:?}");
    assert!(said.out.contains("continuing from the checkpoint"), "{said:?}");
    assert!(said.out.contains("verified: 600 items are equal in source and target"), "{said:?}");

    // Seen without the command itself.
    let data = ground.path("data");
    assert_eq!(sum(&data, "by-day"), sum(&data, "orders"));
    on("verify", &data).succeeded();

    let again = ground.copy(&[&NEW_KEY[..], &["--verify"]].concat()).succeeded();
    assert!(again.out.contains("copied 0 items"), "{again:?}");
}
