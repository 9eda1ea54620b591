//! The load benchmark of notifications on a small backlog: both sides must come to the same end, and the last event
//! must cost what the first did. How fast is no question of a test.

use benchmarks::{NotificationsOptions, run_notifications};

#[test]
fn both_sides_end_alike_and_the_last_tenth_costs_what_the_first_did() {
    let options = NotificationsOptions { users: 200, events: 2_000, with_peer: true };
    let report = run_notifications(&options).unwrap();
    let ours = &report.ours;
    assert_eq!(ours.outcomes.events.values().sum::<u64>(), 2_200, "{:?}", ours.outcomes);
    for outcome in [
        "COMPLETED",
        "COMPLETED category_off",
        "COMPLETED no_device",
        "COMPLETED quiet_hours",
        "DEDUPLICATED",
        "RATE_LIMITED rate_limited",
    ] {
        assert!(ours.outcomes.events.contains_key(outcome), "{outcome}: {:?}", ours.outcomes);
    }
    assert!((1..2_200).contains(&ours.outcomes.notifications));
    // A machine without PostgreSQL has no other side; the report then says what to install.
    if let Ok(peer) = &report.peer {
        assert_eq!(peer.outcomes, ours.outcomes);
        assert_eq!(peer.tenths.len(), 10);
        assert!(peer.tenths.iter().all(|tenth| tenth.request_units.is_none()));
        assert_eq!(peer.latency.seen, ours.latency.seen);
    }
    assert_eq!(ours.tenths.len(), 10);
    let growth = report.unit_growth().unwrap();
    assert!(growth > 0.5 && growth <= 1.1, "{growth}: {:?}", ours.tenths);
    for units in [report.enqueue_units, report.drain_units, report.feed_units] {
        assert!(units.is_finite() && units > 0.0, "{report:?}");
    }
    let page = report.page();
    assert!(page.contains("| last to first |"), "{page}");
    assert!(!page.contains("/tmp"), "{page}");
    if let Err(why) = &report.peer {
        assert!(page.contains(&format!("**{why}**")), "{page}");
    }
}

#[test]
fn a_backlog_that_has_no_tenths_is_refused() {
    for (users, events) in [(9, 100), (100, 0), (100, 101)] {
        let options = NotificationsOptions { users, events, with_peer: false };
        assert!(run_notifications(&options).is_err(), "{users} users, {events} events");
    }
}
