//! Every case of every file, with an index and without.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::operation::CreateContainer;
use engine::query::QueryItems;
use engine::{ContainerLink, Error, TravellingClock};
use model::{ContainerProperties, IndexingPolicy, Json, TimestampMs};
use query::bind::{BoundOrderBy, BoundQuery, PathStep};
use query::plan::access::{Indexes, plan_access};
use query::{BuiltInFunctions, ComputedProperties, Parameters, QueryError};
use storage::memory::MemoryStore;

use super::case::{Answer, Question, Questions, every};
use super::stored::Form;
use crate::account::{Account, container, json, plain, settings_without_maintenance};
use crate::query::differential::{Comparison, unwindowed_rows};

/// 2024-10-14T14:20:30Z, the time of the cases.
const NOW: TimestampMs = TimestampMs(1_728_915_630_000);

/// Functions of time with a finer resolution than the engine's clock, or of randomness.
const AMBIENT: [&str; 5] = ["RAND(", "GETCURRENT", "NOW(", "AGO(", "DOCUMENTID("];

/// How many questions were treated in which way.
#[derive(Debug, Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    fn get(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or_default()
    }
}

#[tokio::test]
async fn every_text_case_holds_with_an_index() {
    let counts = check_every(Policy::Default).await;
    assert!(counts.get("refused for want of an index") == 0, "{counts:?}");
}

#[tokio::test]
async fn every_text_case_holds_without_an_index() {
    let counts = check_every(Policy::None).await;
    assert!(counts.get("refused for want of an index") > 20, "{counts:?}");
}

/// Which indexes a case is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// All paths, and the composite index that the order of the query needs.
    Default,
    None,
}

async fn check_every(policy: Policy) -> Counts {
    let clock = TravellingClock::starting_at(NOW);
    let account =
        Account::with(Arc::new(MemoryStore::new()), clock, settings_without_maintenance()).await;
    let (mut counts, mut failures) = (Counts::default(), Vec::new());
    for (number, questions) in every().iter().enumerate() {
        for (place, question) in questions.asked.iter().enumerate() {
            let form = Form::of(&questions.items, &question.text);
            let run = Run { account: &account, questions, form, policy };
            let id = format!("case{number}-{place}");
            counts.add("questions");
            if let Err(message) = run.check(&id, question, &mut counts).await {
                let title = &questions.place;
                failures.push(format!("{title}\n{}\n{form:?} {message}", question.text));
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{} failed", failures.join("\n\n"), failures.len());
    assert!(counts.get("questions") >= 4_000, "{counts:?}");
    assert!(counts.get("given ids") > 100 && counts.get("stored below") > 10, "{counts:?}");
    assert!(counts.get("time or randomness") < 40, "{counts:?}");
    assert!(counts.get("call a user-defined function") < 40, "{counts:?}");
    counts
}

/// One case with one policy.
struct Run<'case> {
    account: &'case Account,
    questions: &'case Questions,
    form: Form,
    policy: Policy,
}

impl Run<'_> {
    async fn check(
        &self,
        id: &str,
        question: &Question,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let text = self.form.query(&question.text);
        let parameters: Parameters = self.questions.parameters.iter().cloned().collect();
        let Ok(computed) = ComputedProperties::new(&self.questions.computed) else {
            counts.add("wrong computed properties");
            return self.refuses_container(id).await;
        };
        let bound = query::parse(&text)
            .and_then(|tree| query::bind_with(&tree, &parameters, &BuiltInFunctions, &computed));
        let policy = self.policy(bound.as_ref().ok());
        let refusal =
            bound.as_ref().ok().and_then(|bound| plan_access(bound, &Indexes::new(&policy)).err());
        let link = self.filled(id, policy, counts).await;
        let asked = QueryItems { parameters, ..QueryItems::new(link.clone(), text.clone()) };
        let answer = self.answer(asked).await;
        self.account.engine.delete_container(&link).await.map_err(|error| error.to_string())?;
        if let Some(refusal) = refusal {
            counts.add("refused for want of an index");
            return refused(&[refusal], &answer);
        }
        if text.to_uppercase().contains("UDF.") {
            counts.add("call a user-defined function");
            return without_functions(&question.answer, &answer);
        }
        let answer = match (&question.answer, answer) {
            (Answer::Unordered(rows), Ok(found)) => {
                return Comparison::Exact.check_part(rows, &found).and_then(|()| {
                    if rows.len() == found.len() { Ok(()) } else { Err(format!("{found:?}")) }
                });
            }
            (_, answer) => answer,
        };
        if AMBIENT.iter().any(|name| text.to_uppercase().contains(name)) {
            counts.add("time or randomness");
            return match (&question.answer, answer) {
                (Answer::Rows(rows), Ok(found)) if rows.len() == found.len() => Ok(()),
                (Answer::Open, Ok(_)) => Ok(()),
                (Answer::Error(expected), answer) => refused_as(expected, &answer),
                (_, answer) => Err(format!("{answer:?}")),
            };
        }
        match &question.answer {
            Answer::Rows(rows) => {
                let bound = bound.map_err(|errors| listed(&errors))?;
                self.compare(&bound, rows, &answer.map_err(|error| error.to_string())?)
            }
            Answer::Error(expected) => refused_as(expected, &answer),
            Answer::Open => self.as_without_engine(bound, &answer),
            Answer::Unordered(_) => Err(format!("{answer:?}")),
        }
    }

    /// A container with computed properties that break the rules does not come to be.
    async fn refuses_container(&self, id: &str) -> Result<(), String> {
        let mut properties = plain(id);
        properties.computed_properties = self.questions.computed.clone();
        let database = self.account.database("d").await;
        let create = CreateContainer { database, properties, throughput: None };
        match self.account.engine.create_container(create).await {
            Ok(_) => Err("the container was created".to_owned()),
            Err(_) => Ok(()),
        }
    }

    /// What happens to the query without an engine happens with it.
    fn as_without_engine(
        &self,
        bound: Result<BoundQuery, Vec<QueryError>>,
        answer: &Result<Vec<String>, Error>,
    ) -> Result<(), String> {
        match bound.map(|bound| unwindowed_rows(&bound, &self.questions.items)) {
            Err(errors) => refused(&errors, answer),
            Ok(Err(error)) => refused(&[error.to_query_error()], answer),
            Ok(Ok(_)) => answer.as_ref().map(|_| ()).map_err(ToString::to_string),
        }
    }

    /// The policy of the run; with an index for an order by several paths.
    fn policy(&self, bound: Option<&BoundQuery>) -> IndexingPolicy {
        if self.policy == Policy::None {
            return IndexingPolicy::none();
        }
        let composite = bound.and_then(composite).unwrap_or_default();
        let text = format!(
            r#"{{"includedPaths":[{{"path":"/*"}}],"excludedPaths":[{{"path":"/\"_etag\"/?"}}],
                "compositeIndexes":[{composite}]}}"#
        );
        IndexingPolicy::from_json(&json(&text)).unwrap()
    }

    async fn filled(&self, id: &str, policy: IndexingPolicy, counts: &mut Counts) -> ContainerLink {
        let mut properties: ContainerProperties = container(&format!(
            r#"{{"id":"{id}","partitionKey":{{"paths":["/pk"],"kind":"Hash"}},
            "vectorEmbeddingPolicy":{{"vectorEmbeddings":[
                {{"path":"/v","dataType":"float32","dimensions":2,"distanceFunction":"euclidean"}},
                {{"path":"/item/v","dataType":"float32","dimensions":2,
                  "distanceFunction":"euclidean"}}]}},
            "fullTextPolicy":{{"defaultLanguage":"en-US",
                "fullTextPaths":[{{"path":"/german","language":"de-DE"}},
                                 {{"path":"/item/german","language":"de-DE"}}]}}}}"#
        ));
        properties.indexing_policy = policy;
        properties.computed_properties = self.questions.computed.clone();
        let link = self.account.container(properties).await;
        counts.add(match self.form {
            Form::AsIs => "stored as they are",
            Form::WithIds => "given ids",
            Form::Below => "stored below",
        });
        for (number, item) in self.questions.items.iter().enumerate() {
            let item = self.form.stored(number, item);
            self.account.create(&link, &item.to_string()).await.unwrap();
        }
        link
    }

    async fn answer(&self, mut asked: QueryItems) -> Result<Vec<String>, Error> {
        let mut rows = Vec::new();
        loop {
            let page = self.account.engine.query_items(asked.clone()).await?.value;
            rows.extend(
                page.rows
                    .iter()
                    .map(|row| Form::row(std::str::from_utf8(row).expect("a row is text"))),
            );
            if page.continuation.is_none() {
                return Ok(rows);
            }
            asked.page.continuation = page.continuation;
        }
    }

    fn compare(
        &self,
        bound: &BoundQuery,
        expected: &[String],
        found: &[String],
    ) -> Result<(), String> {
        let wrong = |message: String| format!("{message}\nfound {found:#?}");
        if found.len() != expected.len() {
            return Err(wrong(format!("{} rows instead of {}", found.len(), expected.len())));
        }
        let comparison = Comparison::of(bound);
        if bound.order_by != BoundOrderBy::None {
            return expected.iter().zip(found).try_for_each(|(expected, found)| {
                let class = std::slice::from_ref(expected);
                comparison.check_part(class, std::slice::from_ref(found)).map_err(wrong)
            });
        }
        let is_cut = bound.top.is_some() || bound.offset.is_some();
        if !is_cut {
            return comparison.check_part(expected, found).map_err(wrong);
        }
        // Which of the rows come first is open.
        let items: Vec<Json> = match self.form {
            Form::AsIs | Form::WithIds => self.questions.items.clone(),
            Form::Below => {
                let items = self.questions.items.iter().enumerate();
                items.map(|(number, item)| self.form.stored(number, item)).collect()
            }
        };
        // A row outside the window may be one that fails; then the case itself says which rows are meant.
        let rows = unwindowed_rows(bound, &items).unwrap_or_else(|_| expected.to_vec());
        comparison.check_part(&rows, found).map_err(wrong)
    }
}

/// The composite index for an order by several properties, as policies write it.
fn composite(bound: &BoundQuery) -> Option<String> {
    let BoundOrderBy::Keys(keys) = &bound.order_by else { return None };
    let mut paths = Vec::new();
    for key in keys {
        let mut path = String::new();
        for step in key.path.as_ref()? {
            let PathStep::Property(name) = step else { return None };
            path.push_str(&format!("/\\\"{name}\\\""));
        }
        let order = match key.order {
            Some(query::ast::SortOrder::Descending) => "descending",
            _ => "ascending",
        };
        paths.push(format!(r#"{{"path":"{path}","order":"{order}"}}"#));
    }
    (paths.len() > 1).then(|| format!("[{}]", paths.join(",")))
}

fn listed(errors: &[QueryError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn refused(expected: &[QueryError], answer: &Result<Vec<String>, Error>) -> Result<(), String> {
    match answer {
        Err(error) if error.query_errors() == expected => Ok(()),
        other => Err(format!("{other:?} instead of {}", listed(expected))),
    }
}

/// Errors as cases write them: line by line, or as the service's JSON.
fn refused_as(expected: &str, answer: &Result<Vec<String>, Error>) -> Result<(), String> {
    let Err(error) = answer else { return Err(format!("{answer:?} instead of {expected}")) };
    let errors = error.query_errors();
    let forms =
        [listed(errors), listed(errors).replace('\n', "; "), query::to_json(errors).to_string()];
    if forms.iter().any(|form| form == expected) { Ok(()) } else { Err(error.to_string()) }
}

/// A container has no user-defined functions: a query that calls one fails, unless it never gets there.
fn without_functions(answer: &Answer, found: &Result<Vec<String>, Error>) -> Result<(), String> {
    match (answer, found) {
        (_, Err(error)) if error.to_string().contains("user-defined function") => Ok(()),
        (Answer::Rows(rows), Ok(found)) if rows == found => Ok(()),
        (Answer::Open, Ok(found)) if found.is_empty() => Ok(()),
        (Answer::Error(expected), _) => refused_as(expected, found),
        (_, other) => Err(format!("{other:?}")),
    }
}
