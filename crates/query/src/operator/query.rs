//! A query ready to run.
//!
//! Owns how inputs and steps are joined: items are pushed through the inputs into the steps, and when all were pushed
//! the rest comes out. A query inside a query is the same thing, run from start to end for one row of the query around
//! it. Does not own inputs nor steps.

use super::source::{Root, Source};
use super::step::{self, PartialGroup, Stages};
use super::unnest::unnest;
use crate::bind::BoundQuery;
use crate::evaluate::{
    Environment, EvaluationError, Flow, Memory, Preparation, Scope, Stop, Subquery, TakeRow, settle,
};
use crate::value::Value;

/// A prepared query.
#[derive(Debug)]
pub(super) struct Query {
    /// The query in the place of the first input, when it is the one that reads the items.
    feed: Option<Box<Query>>,
    sources: Vec<Source>,
    stages: Stages,
}

/// How far a query is.
#[derive(Debug)]
pub(super) struct Progress {
    feed: Option<Box<Progress>>,
    stages: step::Progress,
}

impl Query {
    pub(super) fn prepare(query: &BoundQuery, around: &Preparation<'_>) -> Self {
        let mut preparation = around.clone();
        let mut sources = Vec::with_capacity(query.sources.len());
        let mut feed = None;
        for bound in &query.sources {
            let (source, inner) = Source::prepare(bound, &preparation);
            preparation.origins.push(bound);
            feed = feed.or(inner);
            sources.push(source);
        }
        let stages = Stages::prepare(query, &preparation);
        Self { feed, sources, stages }
    }

    /// Prepares a query inside an expression.
    pub(super) fn subquery(query: &BoundQuery, around: &Preparation<'_>) -> Box<dyn Subquery> {
        Box::new(Self::prepare(query, around))
    }

    /// Whether items must be pushed; else the query makes its rows from what is around it.
    pub(super) fn reads_container(&self) -> bool {
        self.sources.iter().any(|source| matches!(source.root, Root::Given))
    }

    /// Whether rows come out as items go in.
    pub(super) fn is_streaming(&self) -> bool {
        self.stages.is_streaming() && self.feed.as_ref().is_none_or(|feed| feed.is_streaming())
    }

    pub(super) fn start(&self) -> Progress {
        let feed = self.feed.as_ref().map(|feed| Box::new(feed.start()));
        Progress { feed, stages: self.stages.start() }
    }

    /// Whether no further item can change the answer.
    pub(super) fn is_complete(&self, progress: &Progress) -> bool {
        self.stages.is_complete(&progress.stages)
    }

    /// Takes an item.
    pub(super) fn push(
        &self,
        progress: &mut Progress,
        environment: &Environment<'_>,
        item: &Value,
        give: &mut TakeRow<'_>,
    ) -> Flow {
        let Progress { feed, stages } = progress;
        match (&self.feed, feed) {
            (Some(query), Some(feed)) => query.push(feed, environment, item, &mut |row| {
                self.take(stages, environment, &[], &row, give)
            }),
            _ if self.reads_container() => self.take(stages, environment, &[], item, give),
            _ => Ok(()),
        }
    }

    /// Takes a group reached elsewhere.
    pub(super) fn merge(
        &self,
        progress: &mut Progress,
        group: PartialGroup,
        memory: &Memory,
    ) -> Result<(), EvaluationError> {
        self.stages.merge(&mut progress.stages, group, memory)
    }

    /// The groups so far, in place of rows; none when they cannot be merged with those of other items: the query has no
    /// groups, or the query that feeds it must see all items.
    pub(super) fn partial_groups(&self, progress: Progress) -> Option<Vec<PartialGroup>> {
        let is_whole = self.feed.as_ref().is_none_or(|feed| feed.is_stateless());
        if is_whole { self.stages.partial_groups(progress.stages) } else { None }
    }

    /// Whether the rows of an item do not depend on the items before it.
    pub(super) fn is_stateless(&self) -> bool {
        self.stages.forgets_rows() && self.feed.as_ref().is_none_or(|feed| feed.is_stateless())
    }

    /// Gives what was held back, now that all items were pushed. `outer` are the slots of the queries around.
    pub(super) fn finish(
        &self,
        progress: &mut Progress,
        environment: &Environment<'_>,
        outer: &[Value],
        give: &mut TakeRow<'_>,
    ) -> Flow {
        let Progress { feed, stages } = progress;
        if let (Some(query), Some(feed)) = (&self.feed, feed) {
            // Whoever has enough here is a step that passes rows on as they come, so nothing is held back after it.
            settle(query.finish(feed, environment, outer, &mut |row| {
                self.take(stages, environment, outer, &row, give)
            }))?;
        } else if !self.reads_container() {
            settle(self.take(stages, environment, outer, &Value::Undefined, give))?;
        }
        self.stages.finish(stages, environment, outer, give)
    }

    /// Runs a query in the place of an input: when the query around has enough, that is passed on.
    pub(super) fn pass_rows(&self, scope: &Scope<'_>, give: &mut TakeRow<'_>) -> Flow {
        let mut has_enough = false;
        self.rows(scope, &mut |row| {
            let flow = give(row);
            has_enough |= flow == Err(Stop::Enough);
            flow
        })?;
        if has_enough { Err(Stop::Enough) } else { Ok(()) }
    }

    /// Makes the rows of one item, or of one row of the feed.
    fn take(
        &self,
        progress: &mut step::Progress,
        environment: &Environment<'_>,
        outer: &[Value],
        given: &Value,
        give: &mut TakeRow<'_>,
    ) -> Flow {
        let mut slots = Vec::with_capacity(outer.len() + self.sources.len());
        slots.extend_from_slice(outer);
        unnest(environment, &self.sources, given, &mut slots, &mut |slots| {
            self.stages.take(progress, environment, slots, give)
        })
    }
}

impl Subquery for Query {
    fn rows(&self, scope: &Scope<'_>, take: &mut TakeRow<'_>) -> Result<(), EvaluationError> {
        let mut progress = self.start();
        let flow = self.finish(&mut progress, scope.environment, scope.slots, take);
        // Released whatever happened: the row of the query around goes on with the same memory.
        progress.stages.release(scope.environment.memory);
        settle(flow)
    }
}
