//! The stored items of one user, read without the system.

use client::{Account, Container, Query};
use notifications::Containers;
use serde_json::Value;

/// The containers, through an account of the test itself.
pub(crate) fn containers(store: &Account) -> Containers {
    Containers::new(store, "asora").unwrap()
}

fn four(containers: &Containers) -> [&Container; 4] {
    let Containers { events, notifications, preferences, devices, .. } = containers;
    [events, notifications, preferences, devices]
}

/// All items of a user in each of the four containers, sorted by id.
pub(crate) async fn rows_of(store: &Account, user: &str) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for container in four(&containers(store)) {
        let query = Query::text("SELECT * FROM c").within(user.into());
        let mut rows = container.query::<Value>(&query).await.unwrap().value;
        rows.sort_by_key(|row| row["id"].as_str().unwrap().to_owned());
        all.push(rows);
    }
    all
}

/// How many items a user has in each of the four containers, and how many push tokens.
pub(crate) async fn counts_of(store: &Account, user: &str) -> [usize; 5] {
    let rows = rows_of(store, user).await;
    let owners = &containers(store).token_owners;
    let query = Query::text("SELECT * FROM c WHERE c.userId = @user").parameter("@user", user);
    let owned = owners.query::<Value>(&query.fan_out("a test counts")).await.unwrap().value;
    [rows[0].len(), rows[1].len(), rows[2].len(), rows[3].len(), owned.len()]
}
