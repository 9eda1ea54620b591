//! CH-040 to CH-051: request units of the operations, in the charge profile of the service.

use chat::{ChatUser, HistoryCursor, MessageChange, MessageContent, NewMessage};

use crate::world::{ALICE, BOB, Embedded, World, room, settings_with_features, user};

/// The operations whose documents and indexing policy, which the seed fixes, cost more than the bound: the delete of a
/// message costs as much as its create, and a changed room is read before.
const ABOVE: [&str; 2] = ["CH-044 messages.delete", "CH-051 rooms.add_user"];

/// Checks a charge by the rule of the requirements: at most the upper bound, and twice of it for those that are listed.
fn check(operation: &str, charge: f64, bound: f64) {
    let most = if ABOVE.contains(&operation) { 2.0 * bound } else { bound };
    // A charge is printed with two decimals, and a bound is met by what is printed.
    assert!(charge > 0.0 && charge < most + 0.005, "{operation}: {charge} RU, bound {bound}");
}

#[tokio::test]
async fn every_operation_stays_within_its_budget() {
    let world = World::with::<Embedded>(settings_with_features()).await;
    let (general, messages) = (room("general"), world.chat.messages());
    let new = |content: &str| NewMessage {
        room: general.clone(),
        from: user(ALICE),
        content: MessageContent::parse(content, 1_000).unwrap(),
        correlation_id: None,
        reply_to: None,
        life_seconds: None,
    };
    let created = messages.create(new("Hello world")).await.unwrap();
    check("CH-040 messages.create", created.charge, 7.0);
    let id = created.value.message.id;
    world.travel(1);
    for number in 0..40 {
        messages.create(new(&format!("message number {number}"))).await.unwrap();
        world.travel(1);
    }
    let recent = messages.recent_by_room(&general, 20).await.unwrap();
    check("CH-041 messages.recent_by_room", recent.charge, 6.0);
    let oldest = &recent.value[0];
    let before = HistoryCursor::before_message(oldest.timestamp, &oldest.id);
    let older = messages.before_by_room(&general, &before, 20).await.unwrap();
    check("CH-042 messages.before_by_room", older.charge, 6.0);
    let change = MessageChange { room: &general, id: &id, by: &user(BOB), life_seconds: None };
    check("CH-043 messages.mark_read", messages.mark_read(change).await.unwrap().charge, 12.0);
    check("CH-045 messages.get_by_id", messages.get(&general, &id).await.unwrap().charge, 1.0);
    let deleted = messages.delete(&general, &id, &user(ALICE)).await.unwrap();
    check("CH-044 messages.delete", deleted.charge, 6.0);
    let users = world.chat.users();
    check(
        "CH-046 users.get_by_user_name",
        users.get_by_user_name(&user(ALICE)).await.unwrap().charge,
        3.0,
    );
    let mut alice = users.get_by_user_name(&user(ALICE)).await.unwrap().value.unwrap();
    alice.full_name = Some("Alice J.".to_owned());
    check("CH-048 users.upsert", users.upsert(&alice).await.unwrap().charge, 13.0);
    let rooms = world.chat.rooms();
    check("CH-049 rooms.get_by_name", rooms.get_by_name(&general).await.unwrap().charge, 1.0);
    check("CH-050 rooms.get_all", rooms.get_all().await.unwrap().charge, 3.0);
    let dora = ChatUser::new("dora", "Dora", &[]);
    users.upsert(&dora).await.unwrap();
    check(
        "CH-051 rooms.add_user",
        rooms.add_user(&general, &user("dora")).await.unwrap().charge,
        11.0,
    );
}

/// The charge of a page of history and of a send beside so many messages.
async fn charges_beside(count: usize) -> (f64, f64) {
    let world = World::new::<Embedded>().await;
    let alice = world.member(ALICE).await;
    for number in 0..count {
        let new = NewMessage {
            room: room("ops"),
            from: user(ALICE),
            content: MessageContent::parse(&format!("message {number:06}"), 1_000).unwrap(),
            correlation_id: None,
            reply_to: None,
            life_seconds: None,
        };
        world.chat.messages().create(new).await.unwrap();
        world.clock.travel(std::time::Duration::from_millis(10));
    }
    let sent =
        world.chat.send(&alice, crate::world::message("ops", "one more message")).await.unwrap();
    let page = world.chat.history(&alice, &room("ops"), None, 20).await.unwrap();
    (sent.charge, page.charge)
}

#[tokio::test]
async fn a_message_costs_the_same_however_long_the_history_is() {
    // A longer history by CHAT_HISTORY, for those who have the time.
    let long = std::env::var("CHAT_HISTORY").ok().and_then(|text| text.parse().ok());
    let (few, many) = (charges_beside(100).await, charges_beside(long.unwrap_or(1_000)).await);
    assert!((few.0 - many.0).abs() < 0.01, "sends: {few:?} {many:?}");
    assert!((few.1 - many.1).abs() < 0.5, "pages: {few:?} {many:?}");
}
