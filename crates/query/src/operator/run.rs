//! A query with everything it needs to run.
//!
//! Owns the prepared query, its progress, the context and the memory; turns stored items into values. The two public
//! ways to run a query differ only in what they do with the rows.

use model::Json;

use super::needed::Needed;
use super::query::{Progress, Query};
use super::sieve::Sieve;
use super::step::PartialGroup;
use crate::bind::BoundQuery;
use crate::evaluate::{
    Environment, EvaluationContext, EvaluationError, Memory, Preparation, TakeRow, settle,
};
use crate::function::PatternCache;

/// A running query.
#[derive(Debug)]
pub(super) struct Run {
    query: Query,
    needed: Needed,
    sieve: Option<Sieve>,
    progress: Progress,
    context: EvaluationContext,
    patterns: PatternCache,
    memory: Memory,
}

impl Run {
    pub(super) fn new(query: &BoundQuery, context: EvaluationContext) -> Self {
        let needed = Needed::of(query);
        let preparation = Preparation::new(&context.vector_embeddings, Query::subquery);
        let sieve = Sieve::of(query, &needed, &preparation);
        let query = Query::prepare(query, &preparation);
        let progress = query.start();
        let memory = Memory::new(context.held_bytes_max);
        Self { query, needed, sieve, progress, context, patterns: PatternCache::new(), memory }
    }

    /// Whether rows come out as items go in.
    pub(super) fn is_streaming(&self) -> bool {
        self.query.is_streaming()
    }

    /// Whether the rows of an item do not depend on the items before it.
    pub(super) fn is_stateless(&self) -> bool {
        self.query.is_stateless()
    }

    /// Whether no further item can change the answer.
    pub(super) fn is_complete(&self) -> bool {
        !self.query.reads_container() || self.query.is_complete(&self.progress)
    }

    /// How many bytes of rows are held.
    pub(super) fn held_bytes(&self) -> usize {
        self.memory.held()
    }

    /// How many array elements were iterated so far, alone or as parts of joined rows.
    pub(super) fn tuples(&self) -> u64 {
        self.memory.tuples()
    }

    /// Takes an item and gives the rows that are ready.
    pub(super) fn push(
        &mut self,
        item: &Json,
        give: &mut TakeRow<'_>,
    ) -> Result<(), EvaluationError> {
        if self.is_complete() {
            return Ok(());
        }
        let Self { query, needed, progress, context, patterns, memory, .. } = self;
        let environment = Environment { context, patterns, memory, now: (context.now)() };
        settle(query.push(progress, &environment, &needed.of_tree(item), give))
    }

    /// Takes the text of an item and gives the rows that are ready.
    pub(super) fn push_text(
        &mut self,
        text: &[u8],
        give: &mut TakeRow<'_>,
    ) -> Result<(), EvaluationError> {
        if self.is_complete() {
            return Ok(());
        }
        let Self { query, needed, sieve, progress, context, patterns, memory } = self;
        let environment = Environment { context, patterns, memory, now: (context.now)() };
        if let Some(sieve) = sieve {
            let tuples = environment.memory.tuples();
            if !sieve.passes(text, &environment)? {
                return Ok(());
            }
            // The filter is asked again of an item that passes.
            environment.memory.forget_tuples_after(tuples);
        }
        settle(query.push(progress, &environment, &needed.of_text(text)?, give))
    }

    /// Gives the rows that were held back.
    pub(super) fn finish(mut self, give: &mut TakeRow<'_>) -> Result<(), EvaluationError> {
        let Self { query, progress, context, patterns, memory, .. } = &mut self;
        let environment = Environment { context, patterns, memory, now: (context.now)() };
        settle(query.finish(progress, &environment, &[], give))
    }

    /// Takes a group reached elsewhere.
    pub(super) fn merge(&mut self, group: PartialGroup) -> Result<(), EvaluationError> {
        self.query.merge(&mut self.progress, group, &self.memory)
    }

    /// The groups so far, in place of rows, if they can be merged with others.
    pub(super) fn partial_groups(self) -> Option<Vec<PartialGroup>> {
        self.query.partial_groups(self.progress)
    }
}
