//! One random container and the questions put to it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::rc::Rc;

use engine::operation::ThroughputOwner;
use engine::{ContainerLink, EngineSettings, ErrorKind};
use model::{ContainerProperties, FeedRange, IndexingMode, IndexingPolicy, Json, Throughput};
use query::ComputedProperties;
use query::function::UtcDateTime;
use query::plan::access::{Indexes, plan_access};

use super::asked::{Asked, compare};
use super::container::{Keys, properties};
use super::grammar::Known;
use super::oracle::{self, Circumstances, Expected};
use super::run::Counts;
use super::{grammar, shrink};
use crate::account::{Account, settings_without_maintenance};
use crate::random::SeededRandom;

/// Worlds of a seed from here on are wide. Those before stay as they are, so that a seed that failed keeps its meaning.
pub(super) const WIDE_FROM: u64 = 1_000_000;

pub(super) struct World {
    seed: u64,
    /// Whether it has computed properties, places, vectors and texts, and is written to between pages.
    pub(super) is_wide: bool,
    pub(super) random: SeededRandom,
    pub(super) account: Account,
    pub(super) link: ContainerLink,
    pub(super) keys: Keys,
    pub(super) properties: ContainerProperties,
    /// Policies that terms may still follow, until a rebuild has passed all items.
    pub(super) older: Vec<IndexingPolicy>,
    /// Items written without being indexed: while the container has an index, no query finds them.
    pub(super) left_out: HashSet<String>,
    /// What was changed so far, newest last.
    pub(super) history: Vec<String>,
    /// The items of a part of the container, as they are now.
    live: HashMap<FeedRange, Rc<Vec<Json>>>,
}

impl World {
    pub(super) async fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let is_wide = seed >= WIDE_FROM;
        let keys = Keys::random(&mut random);
        let properties = properties(&mut random, &keys, is_wide);
        let settings = EngineSettings {
            maintenance_items_max: 3 + random.below(40) as usize,
            ..settings_without_maintenance()
        };
        let account = Account::with_settings(settings).await;
        let throughput = *random.pick(&[None, None, Some(12_000), Some(30_000)]);
        let throughput = throughput.map(Throughput::Manual);
        let link = account.container_with(properties.clone(), throughput).await;
        // Lowered again, so that partitions may be merged; their number stays.
        let owner = ThroughputOwner::Container(link.clone());
        account.engine.replace_throughput(&owner, Throughput::minimum()).await.unwrap();
        let (older, live, history) = (Vec::new(), HashMap::new(), Vec::new());
        let left_out = HashSet::new();
        let mut world = Self {
            seed,
            is_wide,
            random,
            account,
            link,
            keys,
            properties,
            older,
            left_out,
            history,
            live,
        };
        world.fill().await;
        world
    }

    /// Whether items may expire.
    pub(super) fn expires(&self) -> bool {
        self.properties.indexing_policy.mode != IndexingMode::None
    }

    /// Whether some items are written without being indexed.
    pub(super) fn leaves_items_out(&self) -> bool {
        let is_indexed = self.properties.indexing_policy.mode == IndexingMode::Consistent;
        !is_indexed || self.seed.is_multiple_of(32)
    }

    pub(super) fn changed(&mut self, what: String) {
        self.live.clear();
        self.history.push(what);
    }

    /// The items of a part of the container.
    pub(super) async fn live(&mut self, range: &FeedRange) -> Rc<Vec<Json>> {
        if let Some(known) = self.live.get(range) {
            return Rc::clone(known);
        }
        let items = self.account.list(&self.link, range, 1000).await;
        let mut items: Vec<Json> = items.iter().map(engine::ItemResource::to_json).collect();
        if self.properties.indexing_policy.mode == IndexingMode::Consistent {
            items.retain(|item| !self.left_out.contains(&self.name_of(item)));
        }
        let items = Rc::new(items);
        self.live.insert(range.clone(), Rc::clone(&items));
        items
    }

    /// The identity of an item.
    pub(super) fn name_of(&self, item: &Json) -> String {
        let id = item.get("id").and_then(Json::as_str).unwrap();
        format!("{} {id}", self.keys.definition.extract(item))
    }

    fn now(&self) -> UtcDateTime {
        let now = i64::try_from(self.account.engine.environment().now().0).unwrap();
        UtcDateTime::from_milliseconds(now).unwrap()
    }

    /// Puts a number of random queries, with changes between them.
    pub(super) async fn live_through(
        &mut self,
        queries: u64,
        counts: &Counts,
    ) -> Result<(), String> {
        for number in 0..queries {
            if self.random.percent(8) {
                self.change().await;
            }
            let is_disturbed = self.is_wide && self.random.percent(12);
            let asked = if is_disturbed { self.draw_of_items().await } else { self.draw().await };
            counts.now_at(self.seed, number, &asked.query.text);
            let outcome = match is_disturbed {
                true => self.ask_while_writing(&asked, counts).await,
                false => self.ask(&asked, counts).await,
            };
            outcome.map_err(|failure| {
                let (seed, queries) = (self.seed, number + 1);
                format!(
                    "{failure}\nrun it again: DIFFERENTIAL_SEED={seed} \
                     DIFFERENTIAL_QUERIES={queries} cargo test -p engine query::differential"
                )
            })?;
        }
        self.account.verify().await;
        Ok(())
    }

    async fn draw(&mut self) -> Asked {
        let items = self.live(&FeedRange::Container).await;
        let keys = self.keys.query_paths();
        let known = Known {
            keys: &keys,
            composites: &self.properties.indexing_policy.composite,
            items: &items,
            is_wide: self.is_wide,
        };
        let query = grammar::query_text(&mut self.random, &known);
        let feed_range = self.keys.feed_range(&mut self.random, &items);
        let pages = match self.random.weighted(&[45, 20, 20, 15]) {
            0 => Vec::new(),
            1 => vec![1 + self.random.index(3)],
            2 => vec![1 + self.random.index(20)],
            _ => (0..3).map(|_| 1 + self.random.index(9)).collect(),
        };
        Asked { query, feed_range, pages }
    }

    async fn ask(&mut self, asked: &Asked, counts: &Counts) -> Result<(), String> {
        let items = self.live(&asked.feed_range).await;
        let indexes = Indexes::new(&self.properties.indexing_policy);
        let expected = self.expected_by(asked, &items, &indexes);
        let history = self.history.len();
        let answer = self.answer(asked).await;
        counts.add(asked, &expected, self.history.len() > history);
        let Err(reason) = compare(&expected, &answer) else { return Ok(()) };
        if answer.as_ref().is_err_and(|error| self.may_refuse(asked, error)) {
            return Ok(());
        }
        Err(self.failure(asked, &expected, &answer, &reason).await)
    }

    /// What a query must give over these items, with these indexes.
    pub(super) fn expected_by(&self, asked: &Asked, items: &[Json], indexes: &Indexes) -> Expected {
        let circumstances = Circumstances { indexes, computed: &self.computed(), now: self.now() };
        oracle::expected(&asked.query, items, &circumstances)
    }

    fn computed(&self) -> ComputedProperties {
        ComputedProperties::new(&self.properties.computed_properties).unwrap()
    }

    /// Whether the indexes that all terms follow, while a rebuild is under way, do not serve the order asked for; or
    /// pages cannot go on because such a rebuild was finished between them.
    pub(super) fn may_refuse(&self, asked: &Asked, error: &engine::Error) -> bool {
        if error.kind() == ErrorKind::ContinuationRefused {
            return !self.older.is_empty() && !asked.pages.is_empty();
        }
        let bound = query::parse(&asked.query.text).and_then(|tree| {
            let parameters = oracle::parameters(&asked.query);
            query::bind_with(&tree, &parameters, &query::BuiltInFunctions, &self.computed())
        });
        let newest = Indexes::new(&self.properties.indexing_policy);
        let indexes = self.older.iter().fold(newest, |indexes, older| indexes.and(older));
        bound.is_ok_and(|bound| plan_access(&bound, &indexes).is_err())
    }

    /// All pages, with a split or merge between some of them.
    async fn answer(&mut self, asked: &Asked) -> Result<Vec<String>, engine::Error> {
        if asked.pages.is_empty() || !self.random.percent(20) {
            return asked.all(&self.account.engine, &self.link).await;
        }
        let (mut rows, mut continuation) = (Vec::new(), None);
        for number in 0.. {
            let engine = &self.account.engine;
            let answer = asked.page(engine, &self.link, number, continuation).await?;
            rows.extend(answer.rows);
            continuation = answer.continuation;
            if continuation.is_none() {
                break;
            }
            if number < 4 && self.random.percent(60) {
                self.restructure().await;
            }
        }
        Ok(rows)
    }

    pub(super) async fn failure(
        &mut self,
        asked: &Asked,
        expected: &Expected,
        answer: &Result<Vec<String>, engine::Error>,
        reason: &str,
    ) -> String {
        let mut text = format!("the answer is wrong: {reason}\n");
        let _ = writeln!(text, "query: {}", asked.query.text);
        for (name, value) in &asked.query.parameters {
            let value = value.as_ref().map_or_else(|| "undefined".to_owned(), Json::to_string);
            let _ = writeln!(text, "  {name} = {value}");
        }
        let _ = writeln!(text, "feed range: {:?}, pages of {:?}", asked.feed_range, asked.pages);
        let _ = writeln!(text, "container: {}", self.properties.to_json());
        let from = self.history.len().saturating_sub(8);
        let _ = writeln!(text, "after: {}", self.history[from..].join("; "));
        if let Expected::Rows(rows) = expected {
            let _ = writeln!(text, "expected: {rows}");
        } else {
            let _ = writeln!(text, "expected: {expected:?}");
        }
        match answer {
            Ok(rows) => text.push_str(&format!("found:\n  {}\n", rows.join("\n  "))),
            Err(error) => text.push_str(&format!("found: {error}\n")),
        }
        let items = self.live(&FeedRange::Container).await;
        let smaller = shrink::shrink(&self.properties, &items, asked).await;
        text.push_str(&smaller);
        text
    }
}
