//! Changes for open streams: reads the change feeds of entities and trees and publishes what it finds, by world.
//!
//! Each process reads the feeds for itself, without leases: every process has streams of its own.

use client::{ChangeFeed, ChangeStart, Container};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use service::http::ShutdownSignal;

use crate::domain::{EntityId, WorldId};
use crate::error::Result;
use crate::worlds::Worlds;

/// An entity that was changed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase", deserialize = "PascalCase"))]
struct EntityEvent {
    #[serde(rename(deserialize = "id", serialize = "id"))]
    id: EntityId,
    #[serde(skip_serializing)]
    world_id: WorldId,
    is_deleted: bool,
}

/// A tree that was written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase", deserialize = "PascalCase"))]
struct TreeEvent {
    #[serde(skip_serializing)]
    world_id: WorldId,
    version: u64,
}

impl Worlds {
    /// Publishes changes until the stop signal.
    pub(super) async fn publish_changes(&self, shutdown: &ShutdownSignal) {
        let core = &self.core;
        let now = || ChangeFeed::latest(ChangeStart::Now);
        let (mut entities, mut trees) = (now(), now());
        while !shutdown.is_triggered() {
            let published = async {
                let containers = &core.containers;
                entities = self.publish_page(&containers.entities, entities.clone()).await?;
                trees = self.publish_page(&containers.metadata, trees.clone()).await?;
                Result::Ok(())
            };
            if let Err(error) = published.await {
                tracing::warn!(error = %error, "changes for streams could not be read");
                // Listeners may have missed something; they read the whole state again.
                core.events.reset();
                (entities, trees) = (now(), now());
            }
            tokio::select! {
                () = shutdown.triggered() => {}
                () = core.environment.sleep(core.settings.change_feed.poll_interval()) => {}
            }
        }
    }

    /// Publishes the next page of a feed. Returns where to go on.
    async fn publish_page(&self, container: &Container, feed: ChangeFeed) -> Result<ChangeFeed> {
        let page = container.changes::<IgnoredAny>(feed).await?.value;
        let events = &self.core.events;
        for item in page.changes.iter().filter_map(|change| change.current.as_ref()) {
            if let Ok(changed) = item.typed::<EntityEvent>() {
                events.publish(changed.value.world_id.as_str(), "entity", &changed.value);
            } else if let Ok(tree) = item.typed::<TreeEvent>() {
                events.publish(tree.value.world_id.as_str(), "hierarchy", &tree.value);
            }
        }
        Ok(ChangeFeed::latest(ChangeStart::Continuation(page.continuation)))
    }
}
