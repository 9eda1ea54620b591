//! DC-A11 on PostgreSQL: a writer may stop at every message that it sends.

use event_store::AppendRequest;

use crate::world::{draft, tag};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dc_a11_a_connection_may_break_at_every_message_of_an_append() {
    let test = "dc_a11_a_connection_may_break_at_every_message_of_an_append";
    let Some((world, proxy)) = super::world_behind_proxy(test).await else { return };
    let store = world.events("alpha");
    let mut version = None;
    let mut cuts = 0;
    for messages in 0.. {
        let number = format!("Step{messages}");
        let drafts = vec![draft(&number, &["A:1", "B:1"]), draft(&number, &["A:1"])];
        let request = AppendRequest::new(drafts).expecting([(tag("A:1"), version.clone())]);
        proxy.cut_after(messages);
        let appended = store.append(request).await;
        let is_cut = proxy.disarm();
        // Pooled connections that were cut are replaced.
        let read = loop {
            if let Ok(events) = store.read_all(None, None).await {
                break events;
            }
        };
        let of_step = read.iter().filter(|event| event.event_type == number).count();
        assert!(of_step == 0 || of_step == 2, "all events of an append, or none");
        assert!(appended.is_err() || of_step == 2, "what was confirmed is stored");
        let rows = store.read_by_tag(&tag("A:1"), None).await.unwrap();
        assert_eq!(rows.len(), read.len(), "both ways show the same");
        let other = store.read_by_tag(&tag("B:1"), None).await.unwrap();
        assert_eq!(other.len() * 2, read.len());
        version = rows.last().map(|event| event.sortable_unique_id.clone());
        if !is_cut {
            appended.unwrap();
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 10, "{cuts} messages");
    assert_eq!(world.storage.admin.repair(true).await.unwrap().rows_restored, 0);
}
