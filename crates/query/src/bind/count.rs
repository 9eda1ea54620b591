//! TOP, OFFSET and LIMIT.
//!
//! Owns their values: whole numbers of 32 bits, as a literal or a parameter. A parameter without such a value is
//! rejected like a number out of range.

use super::binder::Binder;
use crate::ast::{Count, CountKind, Literal};
use crate::error::{QueryError, TextLocation, text};

impl Binder<'_> {
    pub(super) fn top(&mut self, count: &Count) -> Option<u32> {
        self.count(count, text::top_count)
    }

    pub(super) fn offset(&mut self, count: &Count) -> Option<u32> {
        self.count(count, text::offset_count)
    }

    pub(super) fn limit(&mut self, count: &Count) -> Option<u32> {
        self.count(count, text::limit_count)
    }

    fn count(&mut self, count: &Count, refuse: fn(TextLocation) -> QueryError) -> Option<u32> {
        let value = match &count.kind {
            CountKind::Number(Literal::Integer(value)) => Some(*value),
            CountKind::Number(_) => None,
            CountKind::Parameter(name) => self.parameters.value(name).and_then(model::Json::as_i64),
        };
        // Also refuses negative values of parameters; a literal has no sign.
        let value = value.and_then(|value| u32::try_from(value).ok());
        if value.is_none() {
            self.errors.push(refuse(count.span.0));
        }
        value
    }
}
