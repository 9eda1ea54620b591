//! One query put to an engine, page by page, and its answer held against what is expected.

use engine::operation::PageOptions;
use engine::query::QueryItems;
use engine::{ContainerLink, Engine, Error, ErrorKind};
use model::FeedRange;

use super::grammar::QueryText;
use super::oracle::{self, Expected};

/// How a query is put.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) query: QueryText,
    pub(super) feed_range: FeedRange,
    /// Rows of each page at most, one number after the other, from the first again; empty for the default.
    pub(super) pages: Vec<usize>,
}

/// One page.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) rows: Vec<String>,
    pub(super) continuation: Option<String>,
}

impl Asked {
    /// One page of the answer.
    pub(super) async fn page(
        &self,
        engine: &Engine,
        container: &ContainerLink,
        number: usize,
        continuation: Option<String>,
    ) -> Result<Answer, Error> {
        let items_max = match self.pages.as_slice() {
            [] => None,
            pages => Some(pages[number % pages.len()]),
        };
        let asked = QueryItems {
            container: container.clone(),
            text: self.query.text.clone(),
            parameters: oracle::parameters(&self.query),
            feed_range: self.feed_range.clone(),
            page: PageOptions { items_max, continuation },
            options: Default::default(),
            limits: Default::default(),
            wants_index_metrics: false,
        };
        let page = engine.query_items(asked).await?.value;
        let rows: Vec<String> = page
            .rows
            .iter()
            .map(|row| String::from_utf8(row.to_vec()).expect("a row is text"))
            .collect();
        if let Some(items_max) = items_max {
            assert!(rows.len() <= items_max, "{} rows on a page of {items_max}", rows.len());
        }
        Ok(Answer { rows, continuation: page.continuation })
    }

    /// All pages, without anything happening in between.
    pub(super) async fn all(
        &self,
        engine: &Engine,
        container: &ContainerLink,
    ) -> Result<Vec<String>, Error> {
        let (mut rows, mut continuation) = (Vec::new(), None);
        for number in 0.. {
            let answer = self.page(engine, container, number, continuation).await?;
            rows.extend(answer.rows);
            continuation = answer.continuation;
            if continuation.is_none() {
                break;
            }
            assert!(number < 100_000, "the pages do not end");
        }
        Ok(rows)
    }
}

/// What is wrong with an answer.
pub(super) fn compare(
    expected: &Expected,
    answer: &Result<Vec<String>, Error>,
) -> Result<(), String> {
    match (expected, answer) {
        (Expected::Rows(expected), Ok(rows)) => expected.check(rows),
        (Expected::Refused(errors) | Expected::Fails { errors, .. }, Err(error)) => {
            if error.kind() != ErrorKind::BadQuery || error.query_errors() != errors {
                return Err(format!("failed with {:?} {error}", error.kind()));
            }
            Ok(())
        }
        (Expected::Fails { may_succeed: true, .. }, Ok(_)) => Ok(()),
        (_, Ok(rows)) => Err(format!("was answered with {} rows", rows.len())),
        (Expected::Rows(_), Err(error)) => Err(format!("failed with {:?} {error}", error.kind())),
    }
}
