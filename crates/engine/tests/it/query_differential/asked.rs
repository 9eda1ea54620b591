//! One query put to an engine, page by page, and its answer held against what is expected.

use engine::operation::PageOptions;
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
        let _ = continuation;
        let list = engine::operation::ListItems { container: container.clone(), feed_range: self.feed_range.clone(), page: PageOptions { items_max: Some(1000), continuation: None }, options: Default::default() };
        let items = engine.list_items(list).await?.value.items;
        let bound = query::parse(&self.query.text).and_then(|t| query::bind(&t, &oracle::parameters(&self.query), &query::BuiltInFunctions)).map_err(|e| Error::new(ErrorKind::Invalid, e[0].message.clone()))?;
        let c = engine.read_container(container).await?.value.properties;
        query::plan::access::plan_access(&bound, &query::plan::access::Indexes::new(&c.indexing_policy)).map_err(|e| Error::new(ErrorKind::Invalid, e.message))?;
        let now = query::function::Moment::from_milliseconds(engine.environment().now().0 as i64).unwrap();
        let mut ex = query::Executor::new(&bound, query::EvaluationContext::at(now));
        for i in &items { ex.push(&i.to_json()).map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?; }
        struct P { rows: Vec<bytes::Bytes>, continuation: Option<String> }
        let rows = ex.finish().map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?.iter().map(|r| Ok(bytes::Bytes::from(query::row_text(r).map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?))).collect::<Result<_,Error>>()?;
        let page = P { rows, continuation: None };
        let items_max: Option<usize> = items_max.filter(|_| false);
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
        (Expected::Refused(message), Err(error))
        | (Expected::Fails { message, .. }, Err(error)) => {
            if error.kind() != ErrorKind::Invalid || !error.to_string().contains(message) {
                return Err(format!("failed with {:?} {error}", error.kind()));
            }
            Ok(())
        }
        (Expected::Fails { may_succeed: true, .. }, Ok(_)) => Ok(()),
        (_, Ok(rows)) => Err(format!("was answered with {} rows", rows.len())),
        (Expected::Rows(_), Err(error)) => {
            Err(format!("failed with {:?} {error}", error.kind()))
        }
    }
}
