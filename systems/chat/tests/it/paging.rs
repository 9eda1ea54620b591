//! CH-041, CH-042: pages of history and of search, where many messages have the same time.

use std::collections::BTreeSet;

use chat::{HistoryCursor, MessageView, SearchCursor};
use serde_json::Value;

use crate::site::Site;
use crate::world::{ALICE, Embedded, OverGateway, Way, World, room, settings_with_features};

/// Four seconds with so many messages each; all of one second have the same time.
const BURSTS: [usize; 4] = [3, 40, 1, 30];

async fn bursts<W: Way>() -> (World, usize) {
    let mut settings = settings_with_features();
    settings.rate_limiting.messages.permit_limit = 1_000;
    let world = World::with::<W>(settings).await;
    for count in BURSTS {
        for number in 0..count {
            let name = if number % 2 == 0 { "general" } else { "ops" };
            world.send(ALICE, name, &format!("burst {number}")).await;
        }
        world.travel(1);
    }
    (world, BURSTS.iter().sum())
}

fn place(view: &MessageView) -> (String, String, String) {
    (view.timestamp.to_string(), view.room.clone(), view.id.clone())
}

/// Reads a room to its beginning in pages of a size; every message comes once, in one order.
async fn check_history<W: Way>(take: u32) {
    let (world, _) = bursts::<W>().await;
    let (alice, general) = (world.member(ALICE).await, room("general"));
    let whole = world.chat.history(&alice, &general, None, 100).await.unwrap().value;
    let expected: usize = BURSTS.iter().map(|count| count.div_ceil(2)).sum();
    assert_eq!(whole.len(), expected);
    let mut paged: Vec<MessageView> = Vec::new();
    let mut cursor = None;
    loop {
        let page = world.chat.history(&alice, &general, cursor.as_ref(), take).await.unwrap().value;
        let Some(oldest) = page.first() else { break };
        cursor = Some(HistoryCursor::before_message(oldest.timestamp, &oldest.id));
        assert!(page.len() <= take as usize);
        paged.splice(0..0, page);
    }
    assert_eq!(paged, whole, "in pages of {take}");
    assert!(paged.iter().map(place).is_sorted());
}

#[tokio::test]
async fn no_message_of_one_time_is_skipped_or_repeated_whatever_the_page_size() {
    for take in [1, 2, 3, 7, 20, 37] {
        check_history::<Embedded>(take).await;
    }
}

#[tokio::test]
async fn no_message_of_one_time_is_skipped_or_repeated_over_the_gateway() {
    check_history::<OverGateway>(7).await;
}

#[tokio::test]
async fn a_time_alone_leaves_out_all_messages_of_that_time() {
    let (world, _) = bursts::<Embedded>().await;
    let (alice, general) = (world.member(ALICE).await, room("general"));
    let newest = world.chat.history(&alice, &general, None, 1).await.unwrap().value;
    let before = HistoryCursor::before(newest[0].timestamp);
    let older = world.chat.history(&alice, &general, Some(&before), 100).await.unwrap().value;
    assert_eq!(older.len(), 2 + 20 + 1);
    assert!(older.iter().all(|one| one.timestamp < newest[0].timestamp));
}

#[tokio::test]
async fn a_search_in_all_rooms_is_paged_without_gaps() {
    let (world, count) = bursts::<Embedded>().await;
    let alice = world.member(ALICE).await;
    for take in [1, 4, 11] {
        let (mut found, mut cursor) = (Vec::new(), None::<SearchCursor>);
        loop {
            let searched = world.chat.search(&alice, "burst", None, cursor.as_ref(), take).await;
            let page = searched.unwrap().value;
            let Some(last) = page.last() else { break };
            let message = Some((room(&last.room), last.id.clone()));
            cursor = Some(SearchCursor { timestamp: last.timestamp, message });
            found.extend(page);
        }
        let distinct: BTreeSet<_> = found.iter().map(place).collect();
        assert_eq!((found.len(), distinct.len()), (count, count), "in pages of {take}");
        assert!(found.iter().map(place).rev().is_sorted(), "newest first");
    }
}

#[tokio::test]
async fn the_routes_take_the_cursor_and_refuse_half_of_one() {
    let site = Site::new::<Embedded>(settings_with_features()).await;
    for number in 0..5 {
        site.world.send(ALICE, "general", &format!("hello {number}")).await;
    }
    let (_, newest) = site.interface.get(ALICE, "/api/messages/room/general?take=2").await;
    let (at, id) = (newest[0]["timestamp"].as_str(), newest[0]["id"].as_str());
    let (at, id) = (at.unwrap_or_default(), id.unwrap_or_default());
    let path = format!("/api/messages/room/general?before={at}&beforeId={id}");
    let (status, older) = site.interface.get(ALICE, &path).await;
    assert_eq!((status, older.as_array().map(Vec::len)), (200, Some(3)));
    let path = format!("/api/messages/search?q=hello&before={at}&beforeId={id}&beforeRoom=general");
    let (status, found) = site.interface.get(ALICE, &path).await;
    assert_eq!((status, found.as_array().map(Vec::len)), (200, Some(3)));
    for half in [
        "room/general?beforeId=1",
        "search?q=hello&beforeId=1",
        "search?q=hello&beforeRoom=general&before=2025-01-01T00:00:00Z",
        "search?q=hello&beforeRoom=general&beforeId=1",
    ] {
        let (status, problem): (u16, Value) =
            site.interface.get(ALICE, &format!("/api/messages/{half}")).await;
        assert_eq!((status, &problem["errors"][0]["code"]), (400, &"incomplete".into()), "{half}");
    }
}
