//! Changes of workloads and waves as events, for pages: follows the change feeds, so that it sees other processes, too.

use std::time::Duration;

use client::{ChangeFeed, ChangeStart, Container, ErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use service::http::{EventRing, ShutdownSignal};

use crate::error::Result;
use crate::migration::SecretMigration;

/// Events that a page that reconnects can still get.
const EVENTS_MAX: usize = 4_096;
/// The topic of everything.
pub(crate) const ALL: &str = "all";

/// What an event says about a workload.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkloadEvent {
    id: String,
    cluster: String,
    migration_status: String,
    secret_backend: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wave: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
    updated_at: String,
}

/// A position in one change feed.
struct FollowedFeed {
    container: Container,
    position: ChangeStart,
}

pub(crate) fn event_ring(environment: &client::Environment) -> EventRing {
    EventRing::new(environment, EVENTS_MAX)
}

/// The topic of a cluster.
pub(crate) fn cluster_topic(cluster: &str) -> String {
    format!("cluster {cluster}")
}

impl SecretMigration {
    /// Publishes changes as events until the stop signal. Every process that serves events runs this once.
    pub async fn follow_changes(&self, shutdown: &ShutdownSignal) {
        let containers = &self.core.containers;
        let follow = |container: &Container| FollowedFeed {
            container: container.clone(),
            position: ChangeStart::Now,
        };
        let mut feeds = [follow(&containers.workloads), follow(&containers.waves)];
        let mut listener = self.core.watch.listen();
        while !shutdown.is_triggered() {
            for (number, feed) in feeds.iter_mut().enumerate() {
                if let Err(error) = self.publish_changes(feed, number == 0).await {
                    tracing::warn!(%error, "the changes of the tracker could not be read");
                    self.core.environment.sleep(Duration::from_secs(1)).await;
                }
            }
            tokio::select! {
                () = shutdown.triggered() => {}
                () = listener.next_look() => {}
            }
        }
    }

    async fn publish_changes(&self, feed: &mut FollowedFeed, is_workloads: bool) -> Result<()> {
        loop {
            let request = ChangeFeed::latest(feed.position.clone());
            let page = match feed.container.changes::<Value>(request).await {
                Ok(page) => page.value,
                Err(error) => {
                    // A position that is refused once is refused for ever.
                    if matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::NotFound) {
                        feed.position = ChangeStart::Now;
                        self.core.events.reset();
                    }
                    return Err(error.into());
                }
            };
            feed.position = ChangeStart::Continuation(page.continuation);
            let is_empty = page.changes.is_empty();
            for item in page.changes.into_iter().filter_map(|change| change.current) {
                self.publish(item.into_value(), is_workloads);
            }
            if is_empty || !page.more {
                return Ok(());
            }
        }
    }

    fn publish(&self, document: Value, is_workload: bool) {
        let events = &self.core.events;
        if !is_workload {
            events.publish(ALL, "wave", &document);
            return;
        }
        if let Ok(event) = serde_json::from_value::<WorkloadEvent>(document) {
            events.publish(ALL, "workload", &event);
            events.publish(&cluster_topic(&event.cluster), "workload", &event);
        }
    }
}
