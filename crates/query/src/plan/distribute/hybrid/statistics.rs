//! The statistics query of hybrid search.
//!
//! Owns the text that counts documents, words and documents with each term, in each partition.

use super::super::build::{array, call, column, literal, object};
use super::component::ScoreComponent;
use crate::ast::{Literal, QueryTree, Scalar, Select, Selection, Span};
use crate::printer::print;

pub(super) fn query(tree: &QueryTree, texts: &[&ScoreComponent]) -> String {
    let count = call("COUNT", vec![literal(Literal::Integer(1))]);
    let statistics = array(texts.iter().map(|text| text_statistics(&text.arguments)).collect());
    let selection = Selection::List(vec![
        column(count, Some("documentCount")),
        column(statistics, Some("fullTextStatistics")),
    ]);
    print(&QueryTree {
        select: Select { distinct: false, top: None, selection },
        from: tree.from.clone(),
        filter: tree.filter.clone(),
        group_by: Vec::new(),
        order_by: None,
        offset_limit: None,
        span: Span::default(),
    })
}

fn text_statistics(arguments: &[Scalar]) -> Scalar {
    let (path, terms) = match arguments {
        [path, terms @ ..] => (std::slice::from_ref(path), terms),
        [] => (arguments, arguments),
    };
    let words = call("SUM", vec![call("_FullTextWordCount", path.to_vec())]);
    let hits = terms.iter().map(|term| {
        let contains = path.iter().chain([term]).cloned().collect();
        call("COUNTIF", vec![call("FullTextContains", contains)])
    });
    object([("totalWordCount", words), ("hitCounts", array(hits.collect()))])
}
