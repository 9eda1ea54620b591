//! Making a failure small: the same query over fewer items, then a smaller query.
//!
//! Starts from a fresh container with the items as they are now. A failure that needs the history of its world does not
//! show there, and is only reported as such.

use model::{ContainerProperties, FeedRange, Json};
use query::ComputedProperties;
use query::ast::{QueryTree, Scalar, ScalarKind, Selection};
use query::function::UtcDateTime;
use query::plan::access::Indexes;

use super::asked::{Asked, compare};
use super::oracle::{Circumstances, expected};
use crate::account::Account;

/// Rounds of leaving things out.
const ROUNDS_MAX: usize = 40;

/// A fresh container: properties, items, and a number of splits.
struct Case<'world> {
    properties: &'world ContainerProperties,
    items: Vec<Json>,
    splits: usize,
    asked: Asked,
}

/// The smallest failing case found, as text.
pub(super) async fn shrink(
    properties: &ContainerProperties,
    items: &[Json],
    asked: &Asked,
) -> String {
    let items = items.iter().map(own).collect();
    let mut case = Case { properties, items, splits: 0, asked: asked.clone() };
    let mut failure = case.failure().await;
    if failure.is_none() {
        case.splits = 3;
        failure = case.failure().await;
    }
    let Some(mut failure) = failure else {
        return "a fresh container with the same items answers rightly".to_owned();
    };
    for _ in 0..ROUNDS_MAX {
        let Some((smaller, message)) = case.smaller().await else { break };
        case = smaller;
        failure = message;
    }
    let items: Vec<String> = case.items.iter().map(Json::to_string).collect();
    let Asked { query, feed_range, pages } = &case.asked;
    format!(
        "smaller: {}\n  {:?}\n  in {feed_range:?} by {pages:?} after {} splits over\n  {}\n{failure}",
        query.text,
        query.parameters,
        case.splits,
        items.join("\n  ")
    )
}

/// The item without what the engine adds.
fn own(item: &Json) -> Json {
    let Json::Object(mut object) = item.clone() else { return item.clone() };
    for name in ["_rid", "_self", "_etag", "_attachments", "_ts"] {
        object.remove(name);
    }
    Json::Object(object)
}

impl Case<'_> {
    /// What is wrong with the answer of a fresh container; none when it is right.
    async fn failure(&self) -> Option<String> {
        let account = Account::new().await;
        let link = account.container(self.properties.clone()).await;
        for item in &self.items {
            account.upsert(&link, &item.to_string()).await.ok()?;
        }
        for _ in 0..self.splits {
            let listed = account.engine.list_partitions(&link).await.ok()?;
            account.split(&link, listed.value.partitions[0].number).await.ok()?;
        }
        let items = account.list(&link, &self.asked.feed_range, 1000).await;
        let items: Vec<Json> = items.iter().map(engine::ItemResource::to_json).collect();
        let now = i64::try_from(crate::account::START.0).ok()?;
        let circumstances = Circumstances {
            indexes: &Indexes::new(&self.properties.indexing_policy),
            computed: &ComputedProperties::new(&self.properties.computed_properties).ok()?,
            now: UtcDateTime::from_milliseconds(now)?,
        };
        let expected = expected(&self.asked.query, &items, &circumstances);
        let answer = self.asked.all(&account.engine, &link).await;
        compare(&expected, &answer).err().map(|reason| format!("{reason}\nfound {answer:?}"))
    }

    /// A smaller case that fails too.
    async fn smaller(&self) -> Option<(Self, String)> {
        let mut candidates = self.with_fewer_items();
        candidates.extend(self.with_less_query());
        for case in candidates {
            if let Some(message) = case.failure().await {
                return Some((case, message));
            }
        }
        None
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut case = Self {
            properties: self.properties,
            items: self.items.clone(),
            splits: self.splits,
            asked: self.asked.clone(),
        };
        change(&mut case);
        case
    }

    /// Without a half, a quarter, .. of the items; at last without one.
    fn with_fewer_items(&self) -> Vec<Self> {
        let mut cases = Vec::new();
        let mut size = self.items.len().div_ceil(2);
        while size > 0 {
            for start in (0..self.items.len()).step_by(size) {
                let end = (start + size).min(self.items.len());
                cases.push(self.with(|case| drop(case.items.drain(start..end))));
            }
            size /= 2;
        }
        cases
    }

    fn with_less_query(&self) -> Vec<Self> {
        let mut cases = Vec::new();
        if self.splits > 0 {
            cases.push(self.with(|case| case.splits -= 1));
        }
        if !self.asked.pages.is_empty() {
            cases.push(self.with(|case| case.asked.pages.clear()));
        }
        if self.asked.feed_range != FeedRange::Container {
            cases.push(self.with(|case| case.asked.feed_range = FeedRange::Container));
        }
        let Ok(tree) = query::parse(&self.asked.query.text) else { return cases };
        for tree in smaller_queries(&tree) {
            cases.push(self.with(|case| case.asked.query.text = query::print(&tree)));
        }
        cases
    }
}

/// The query without one of its clauses, or with one part of its filter.
fn smaller_queries(tree: &QueryTree) -> Vec<QueryTree> {
    let mut found = Vec::new();
    let mut without = |change: &dyn Fn(&mut QueryTree)| {
        let mut smaller = tree.clone();
        change(&mut smaller);
        if smaller != *tree {
            found.push(smaller);
        }
    };
    without(&|query| query.filter = None);
    without(&|query| query.offset_limit = None);
    without(&|query| query.order_by = None);
    without(&|query| query.select.top = None);
    without(&|query| query.select.distinct = false);
    without(&|query| {
        if let Selection::List(list) = &mut query.select.selection
            && list.len() > 1
        {
            list.pop();
        }
    });
    if let Some(filter) = &tree.filter {
        for part in operands(filter) {
            without(&|query| query.filter = Some(part.clone()));
        }
    }
    found
}

/// What AND, OR, NOT and EXISTS stand between or before; of a list, the list without one.
fn operands(filter: &Scalar) -> Vec<Scalar> {
    match &filter.kind {
        ScalarKind::Chain { first, rest } => {
            let mut parts = vec![first.as_ref().clone()];
            parts.extend(rest.iter().map(|(_, part)| part.clone()));
            if let [remaining @ .., _] = rest.as_slice()
                && !remaining.is_empty()
            {
                let kind = ScalarKind::Chain { first: first.clone(), rest: remaining.to_vec() };
                parts.push(Scalar { kind, span: filter.span });
            }
            parts
        }
        ScalarKind::Unary { operand, .. } => vec![operand.as_ref().clone()],
        _ => Vec::new(),
    }
}
