//! Quiet hours in the user's time zone: NT-A3.

use notifications::NotificationSettings;
use serde_json::json;

use super::ask::Way;
use super::stage::{Stage, event};

pub(crate) async fn nt_a03_quiet_hours_keep_pushes_back_by_the_hour_where_the_user_is<W: Way>() {
    let stage = Stage::<W>::at("2025-03-09T00:00:00.000Z", NotificationSettings::default()).await;
    // The default quiet hours are from 22:00 to 07:00.
    stage.prefer("bob", json!({ "timezone": "America/Los_Angeles" })).await;
    stage.register("bob", "d1").await;
    for (time, there, is_quiet) in [
        // Clocks go forward on 9 March: 07:00 is 14:00 UTC already, an hour earlier than the day before.
        ("2025-03-09T13:30:00.000Z", "06:30", true),
        ("2025-03-09T14:30:00.000Z", "07:30", false),
        ("2025-07-02T05:30:00.000Z", "22:30", true),
        ("2025-07-02T15:00:00.000Z", "08:00", false),
        // And back on 2 November: 07:00 is 15:00 UTC again.
        ("2025-11-02T14:30:00.000Z", "06:30", true),
        ("2025-11-02T15:30:00.000Z", "07:30", false),
        ("2025-12-02T05:30:00.000Z", "21:30", false),
    ] {
        stage.travel_to(time);
        let before = stage.pushed();
        let like = stage.processed(&event("bob", "POST_LIKE", "alice", time)).await;
        assert_eq!(like["status"], "COMPLETED", "{there}");
        let reason = if is_quiet { json!("quiet_hours") } else { json!(null) };
        assert_eq!(like.get("reason").unwrap_or(&json!(null)), &reason, "{time}: {there} there");
        assert_eq!(stage.pushed() - before, usize::from(!is_quiet), "{time}: {there} there");
        let newest = stage.list("bob").await.remove(0);
        assert_eq!(newest["id"], like["notificationId"], "the list has it, whatever is pushed");
        stage.travel_minutes(1);
        let before = stage.pushed();
        let device = stage.processed(&event("bob", "SECURITY_NEW_DEVICE", "bob", time)).await;
        assert_eq!(
            (&device["status"], stage.pushed() - before),
            (&json!("COMPLETED"), 1),
            "{there}"
        );
        let newest = stage.list("bob").await.remove(0);
        assert_eq!(newest["id"], device["notificationId"]);
    }
}
