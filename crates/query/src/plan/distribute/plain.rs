//! Queries without groups and order.
//!
//! Owns DISTINCT, TOP and OFFSET without groups and order: each partition returns as many rows as the whole result may
//! need.

use super::build::{first_rows, without_counts};
use super::info::{DistinctKind, QueryInfo};
use crate::ast::{QueryTree, Selection};
use crate::bind::BoundQuery;
use crate::printer::print;

pub(super) fn info(tree: &QueryTree, bound: &BoundQuery, is_single_key: bool) -> QueryInfo {
    let mut info = QueryInfo::plain(has_select_value(tree));
    info.top = bound.top;
    if tree.select.distinct {
        info.distinct = DistinctKind::Unordered;
        info.offset = bound.offset;
        info.limit = bound.limit;
        // Duplicates across partitions must be removed before rows are counted, so partitions must not limit.
        if tree.select.top.is_some() || tree.offset_limit.is_some() {
            info.rewritten_query = print(&without_counts(tree));
        }
        return info;
    }
    // A single logical partition lives in one physical partition, which applies OFFSET and LIMIT itself.
    if is_single_key {
        return info;
    }
    // Any partition may have to provide all rows, including the skipped ones.
    if let (Some(offset), Some(limit)) = (bound.offset, bound.limit) {
        info.offset = Some(offset);
        info.limit = Some(limit);
        let mut query = tree.clone();
        query.offset_limit = Some(first_rows(offset.saturating_add(limit)));
        info.rewritten_query = print(&query);
    }
    info
}

pub(super) fn has_select_value(tree: &QueryTree) -> bool {
    matches!(tree.select.selection, Selection::Value(_))
}
