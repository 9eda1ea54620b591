//! Queries read page by page while items are written, deleted and moved, and policies replaced.
//!
//! What must hold: of the items that nobody has touched since the first page, each that the query is for is given
//! exactly once, and those are given in order. What is given of the others is open.

use std::collections::{HashMap, HashSet};

use model::{FeedRange, IndexingMode, Json};
use query::plan::access::{Indexes, OrderAccess, plan_access};

use super::asked::{Asked, compare};
use super::grammar::{Known, query_of_items};
use super::oracle::{self, Expected};
use super::run::Counts;
use super::world::World;

impl World {
    /// A query whose rows name their items, in small pages.
    pub(super) async fn draw_of_items(&mut self) -> Asked {
        let items = self.live(&FeedRange::Container).await;
        let keys = self.keys.query_paths();
        let known = Known {
            keys: &keys,
            composites: &self.properties.indexing_policy.composite,
            items: &items,
            is_wide: self.is_wide,
        };
        let query = query_of_items(&mut self.random, &known);
        let feed_range = self.keys.feed_range(&mut self.random, &items);
        let pages = (0..2).map(|_| 1 + self.random.index(6)).collect();
        Asked { query, feed_range, pages }
    }

    pub(super) async fn ask_while_writing(
        &mut self,
        asked: &Asked,
        counts: &Counts,
    ) -> Result<(), String> {
        let before = self.live(&asked.feed_range).await;
        let indexes = Indexes::new(&self.properties.indexing_policy);
        let expected = self.expected_by(asked, &before, &indexes);
        if !matches!(expected, Expected::Rows(_)) || self.is_sorted(asked) {
            return Ok(());
        }
        let mode = self.properties.indexing_policy.mode;
        let writes = self.history.len();
        let answer = self.answer_while_writing(asked).await;
        if self.history.len() > writes {
            counts.add_disturbed();
        }
        counts.add(asked, &expected, false);
        // Without an index other items are found: nothing was left out of it.
        if self.properties.indexing_policy.mode != mode {
            return Ok(());
        }
        let untouched = self.untouched(&before, &asked.feed_range).await;
        let names: HashSet<&str> = untouched.iter().filter_map(rid).collect();
        let answer = answer.map(|rows| {
            let is_untouched = |row: &String| {
                let row = Json::parse(row.as_bytes()).unwrap();
                row.get("rid").and_then(Json::as_str).is_some_and(|rid| names.contains(rid))
            };
            rows.into_iter().filter(is_untouched).collect::<Vec<String>>()
        });
        let items: Vec<Json> = untouched.iter().map(|item| (*item).clone()).collect();
        // A policy that was replaced meanwhile may not have the order that the query was begun in.
        let expected = self.expected_by(asked, &items, &indexes);
        let Err(reason) = compare(&expected, &answer) else { return Ok(()) };
        if answer.as_ref().is_err_and(|error| self.may_refuse(asked, error)) {
            return Ok(());
        }
        let changes = self.history[writes..].join("; ");
        let reason = format!("{reason} (of items that nobody touched meanwhile: {changes})");
        Err(self.failure(asked, &expected, &answer, &reason).await)
    }

    async fn untouched<'items>(
        &mut self,
        before: &'items [Json],
        feed_range: &FeedRange,
    ) -> Vec<&'items Json> {
        let after = self.live(feed_range).await;
        let etag = |item: &Json| item.get("_etag").map(Json::to_string);
        let now: HashMap<Option<&str>, Option<String>> =
            after.iter().map(|item| (rid(&item), etag(item))).collect();
        let stays = |item: &&Json| now.get(&rid(item)) == Some(&etag(item));
        before.iter().filter(stays).collect()
    }

    /// Whether the answer is computed as a whole for every page: then it is exact only while nothing is written.
    fn is_sorted(&self, asked: &Asked) -> bool {
        let computed = query::ComputedProperties::new(&self.properties.computed_properties);
        let parameters = oracle::parameters(&asked.query);
        let bound = query::parse(&asked.query.text).and_then(|tree| {
            query::bind_with(&tree, &parameters, &query::BuiltInFunctions, &computed.unwrap())
        });
        let indexes = Indexes::new(&self.properties.indexing_policy);
        let plan = bound.ok().and_then(|bound| plan_access(&bound, &indexes).ok());
        plan.is_none_or(|plan| plan.order == OrderAccess::Sorted)
    }

    async fn answer_while_writing(&mut self, asked: &Asked) -> Result<Vec<String>, engine::Error> {
        let (mut rows, mut continuation) = (Vec::new(), None);
        for number in 0.. {
            let engine = &self.account.engine;
            let answer = asked.page(engine, &self.link, number, continuation).await?;
            rows.extend(answer.rows);
            continuation = answer.continuation;
            if continuation.is_none() {
                break;
            }
            if number < 12 {
                self.disturb().await;
            }
            assert!(number < 100_000, "the pages do not end");
        }
        Ok(rows)
    }

    async fn disturb(&mut self) {
        match self.random.weighted(&[30, 35, 20, 10, 5]) {
            0 => {}
            1 => self.write().await,
            2 => self.delete().await,
            3 => self.restructure().await,
            // Items of a container that loses its index are found in another order.
            _ if self.properties.indexing_policy.mode == IndexingMode::Consistent => {
                self.replace_policy().await;
            }
            _ => {}
        }
    }
}

fn rid<'item>(item: &&'item Json) -> Option<&'item str> {
    item.get("_rid").and_then(Json::as_str)
}
