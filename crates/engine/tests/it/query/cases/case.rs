//! A case as the engine needs it: questions with their answers, over items.

use std::path::Path;

use model::{ComputedProperty, Json};

use super::file::{Case, CaseFile};

/// The questions of one case, over the same items.
pub(super) struct Questions {
    /// Where the case is written.
    pub(super) place: String,
    pub(super) items: Vec<Json>,
    pub(super) parameters: Vec<(String, Option<Json>)>,
    pub(super) computed: Vec<ComputedProperty>,
    pub(super) asked: Vec<Question>,
}

/// A query with what it must give.
pub(super) struct Question {
    pub(super) text: String,
    pub(super) answer: Answer,
}

/// What a case says about a query.
pub(super) enum Answer {
    /// These rows; in this order if the query asks for one.
    Rows(Vec<String>),
    /// These rows in any order.
    Unordered(Vec<String>),
    /// It is refused, or fails, with these words.
    Error(String),
    /// Nothing of rows: what happens without an engine happens with it.
    Open,
}

/// The questions of every case file of the query language, but for plans, which have no rows.
pub(super) fn every() -> Vec<Questions> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../query/tests/cases");
    let mut paths = Vec::new();
    for family in ["evaluate", "function", "syntax"] {
        let entries = std::fs::read_dir(folder.join(family)).expect("the folder of cases exists");
        paths.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    paths.sort();
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Questions> {
    let file = CaseFile::read(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let questions = |case: &Case| Questions {
        place: format!("{name}:{}: {}", case.line, case.title),
        items: case.section("items").unwrap_or_default().lines().map(parsed).collect(),
        parameters: parameters(case),
        computed: computed(case),
        asked: asked(case),
    };
    file.cases.iter().map(questions).collect()
}

fn parsed(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// The computed properties of a case; none when the case is that they are wrong.
fn computed(case: &Case) -> Vec<ComputedProperty> {
    let lines = case.section("computed").unwrap_or_default().lines();
    let properties = lines.filter_map(|line| {
        let (name, query) = line.split_once(": ")?;
        ComputedProperty::new(name, query).ok()
    });
    properties.collect()
}

fn parameters(case: &Case) -> Vec<(String, Option<Json>)> {
    let Some(list) = case.section("parameters").map(parsed) else { return Vec::new() };
    let name = |parameter: &Json| parameter.get("name").and_then(Json::as_str).unwrap().to_owned();
    let list = list.as_array().expect("parameters are a list");
    list.iter().map(|one| (name(one), one.get("value").cloned())).collect()
}

fn asked(case: &Case) -> Vec<Question> {
    if let Some(table) = case.section("values") {
        let from = if case.section("items").is_some() { " FROM c" } else { "" };
        return table.lines().map(|line| table_line(line, from)).collect();
    }
    let text = match case.section("query") {
        Some(text) => text.to_owned(),
        None => {
            let text = parsed(case.section("query-json").expect("the case has a query"));
            text.as_str().expect("the query is a text").to_owned()
        }
    };
    let lines = |section: &str| section.lines().map(str::to_owned).collect();
    let answer = if let Some(rows) = case.section("rows") {
        Answer::Rows(lines(rows))
    } else if let Some(rows) = case.section("unordered") {
        Answer::Unordered(lines(rows))
    } else if let Some(error) = case.section("error").or(case.section("failure")) {
        Answer::Error(error.to_owned())
    } else if let Some(json) = case.section("json") {
        Answer::Error(json.to_owned())
    } else {
        Answer::Open
    };
    vec![Question { text, answer }]
}

/// `expression => value`; no row reads `undefined`, several are behind bars, and an error has its code before it.
fn table_line(line: &str, from: &str) -> Question {
    let (expression, value) = line.rsplit_once(" => ").expect("a line of a table has ' => '");
    let text = format!("SELECT VALUE {}{from}", expression.trim_end());
    let is_error = ["refused: ", "SC", "4001: "].iter().any(|start| value.starts_with(start));
    let answer = match value {
        "undefined" => Answer::Rows(Vec::new()),
        error if is_error => Answer::Error(error.to_owned()),
        rows => Answer::Rows(rows.split(" | ").map(str::to_owned).collect()),
    };
    Question { text, answer }
}
