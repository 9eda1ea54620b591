//! A reader of a change feed that rebuilds the container from it.

use std::collections::BTreeMap;

use engine::change_feed::{ChangeFeedMode, ChangeFeedStart};
use engine::{ContainerLink, ItemResource};
use model::Json;

use crate::account::Account;

/// A reader of a feed and the items it has seen.
pub(super) struct Follower {
    mode: ChangeFeedMode,
    start: ChangeFeedStart,
    pub(super) believed: BTreeMap<String, String>,
}

/// The item without system properties and in one order of members.
pub(super) fn normal(item: &ItemResource) -> String {
    normal_json(item.to_json())
}

pub(super) fn normal_json(json: Json) -> String {
    let Json::Object(object) = json else { panic!("not an object") };
    let members: BTreeMap<_, _> = object
        .iter()
        .filter(|(name, _)| !name.starts_with('_'))
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect();
    format!("{members:?}")
}

impl Follower {
    pub(super) fn new(mode: ChangeFeedMode, start: ChangeFeedStart) -> Self {
        Self { mode, start, believed: BTreeMap::new() }
    }

    /// Reads one page; returns false at the end.
    pub(super) async fn poll(
        &mut self,
        account: &Account,
        link: &ContainerLink,
        items_max: usize,
    ) -> bool {
        let page = account.changes(link, self.mode, self.start.clone(), items_max).await.unwrap();
        for change in &page.changes {
            let pk = change.partition_key().to_json();
            let pk = pk.as_array().unwrap()[0].as_str().unwrap().to_owned();
            let name = format!("{pk}/{}", change.id());
            let before = match &change.current() {
                Some(item) => self.believed.insert(name.clone(), normal(item)),
                None => self.believed.remove(&name),
            };
            if self.mode == ChangeFeedMode::AllVersionsAndDeletes {
                assert_eq!(change.previous().map(normal), before, "the image before {name}");
            }
        }
        self.start = ChangeFeedStart::Continuation(page.continuation);
        page.more
    }
}
