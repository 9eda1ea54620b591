//! Queries without groups and order.
//!
//! Owns DISTINCT, TOP and OFFSET alone: partitions give as many rows as the whole may need.

use super::build::{first_rows, without_counts};
use super::info::{DistinctKind, QueryInfo};
use crate::ast::{Query, Selection};
use crate::bind::BoundQuery;
use crate::printer::print;

pub(super) fn info(tree: &Query, bound: &BoundQuery, is_single_key: bool) -> QueryInfo {
    let mut info = QueryInfo::plain(has_select_value(tree));
    info.top = bound.top;
    if tree.select.distinct {
        info.distinct = DistinctKind::Unordered;
        info.offset = bound.offset;
        info.limit = bound.limit;
        // Rows must be made distinct before they are counted.
        if tree.select.top.is_some() || tree.offset_limit.is_some() {
            info.rewritten_query = print(&without_counts(tree));
        }
        return info;
    }
    // One logical partition is one place: it can count by itself.
    if is_single_key {
        return info;
    }
    if let (Some(offset), Some(limit)) = (bound.offset, bound.limit) {
        info.offset = Some(offset);
        info.limit = Some(limit);
        let mut query = tree.clone();
        query.offset_limit = Some(first_rows(offset.saturating_add(limit)));
        info.rewritten_query = print(&query);
    }
    info
}

pub(super) fn has_select_value(tree: &Query) -> bool {
    matches!(tree.select.selection, Selection::Value(_))
}
