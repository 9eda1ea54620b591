//! The budget of a request: evaluation stops inside an item, counts before it builds, and goes on where it stopped.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::Json;
use query::{
    BudgetError, BuiltInFunctions, EvaluationContext, EvaluationError, Interruption, ItemPredicate,
    Parameters, QueryExecutor, ROW_TEXT_BYTES_MAX, SLICE_UNITS, UserFunctions, WorkGovernor,
    WorkLimit, bind, parse, row_text, value::Value,
};

use super::sqltest::rows::context;

/// Enough for every query that is not hostile.
const UNITS: u64 = 10 * SLICE_UNITS;

fn limited(units_max: u64) -> EvaluationContext {
    let user_functions = Arc::new(ShortFunctions);
    EvaluationContext { governor: Arc::new(WorkLimit::new(units_max)), user_functions, ..context() }
}

/// User-defined functions that do nothing, and return much.
struct ShortFunctions;

impl UserFunctions for ShortFunctions {
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, EvaluationError> {
        match (name, arguments) {
            ("deep", _) => Ok(Value::array((0..5000).map(Value::from))),
            (_, [argument, ..]) => Ok(argument.element(0).element(0)),
            _ => Ok(Value::Undefined),
        }
    }
}

fn array(elements: usize) -> Json {
    let text: Vec<String> = (0..elements).map(|element| element.to_string()).collect();
    let text = text.join(",");
    let words = vec!["word"; elements.min(2000)].join(" ");
    Json::parse(format!(r#"{{"id":"1","arr":[{text}],"words":"{words}"}}"#).as_bytes()).unwrap()
}

/// The outcome of a query over one item, and the tuples it has iterated.
fn run(
    text: &str,
    parameters: &Parameters,
    item: &Json,
    context: EvaluationContext,
) -> (Result<Vec<String>, EvaluationError>, u64) {
    let tree = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let bound = bind(&tree, parameters, &BuiltInFunctions)
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let mut executor = QueryExecutor::new(&bound, context);
    let pushed = executor.push(item);
    let tuples = executor.tuples();
    let rows = pushed.and_then(|()| executor.finish());
    let print = |rows: Vec<_>| rows.iter().map(|row| row_text(row).unwrap()).collect();
    (rows.map(print), tuples)
}

fn fails_within(text: &str, parameters: &Parameters, item: &Json) -> EvaluationError {
    run(text, parameters, item, limited(UNITS)).0.expect_err(text)
}

const OUT_OF_WORK: EvaluationError =
    EvaluationError::Budget(BudgetError::Interrupted(Interruption::OutOfWork));

#[test]
fn a_product_of_arrays_stops_inside_the_item() {
    let item = array(1000);
    let text = "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr JOIN e IN c.arr";
    let (result, tuples) = run(text, &Parameters::new(), &item, limited(UNITS));
    assert_eq!(result, Err(OUT_OF_WORK));
    // The tuple that was refused counts.
    assert!(tuples <= UNITS + 1, "{tuples} tuples");
    let (result, _) = run(text, &Parameters::new(), &array(5), limited(UNITS));
    assert_eq!(result.unwrap(), ["625"]);
}

#[test]
fn expressions_of_any_form_stop_inside_the_item() {
    let item = array(1000);
    let product = "FROM a IN c.arr JOIN b IN c.arr JOIN d IN c.arr";
    let pieces: Vec<String> = (0..200).map(|piece| format!("a{piece}")).collect();
    let ring: Vec<String> = (0..3000).map(|at| format!("[{}.{at:04},{at}e-3]", at % 7)).collect();
    let shape = format!(r#"{{"type":"LineString","coordinates":[{}]}}"#, ring.join(","));
    let parameters: Parameters = [
        ("@a", Json::from("a".repeat(200_000))),
        ("@like", Json::from(format!("%{}b", "a".repeat(100_000)))),
        ("@deep", Json::parse(format!("[{}]", vec!["[1]"; 5000].join(",")).as_bytes()).unwrap()),
        ("@shape", Json::parse(shape.as_bytes()).unwrap()),
        ("@words", Json::from(pieces.join(" "))),
        ("@wide", Json::parse(wide_object(20_000).as_bytes()).unwrap()),
        ("@texts", Json::parse(equal_texts(100, 10_000).as_bytes()).unwrap()),
        ("@text", Json::from(format!("{}b", "a".repeat(9_999)))),
    ]
    .into_iter()
    .map(|(name, value)| (name, Some(value)))
    .collect();
    for expression in [
        format!("EXISTS(SELECT VALUE a {product} WHERE a + b + d < 0)"),
        format!("ARRAY(SELECT VALUE 1 {product} WHERE a + b + d < 0)"),
        format!("(SELECT VALUE COUNT(1) {product})"),
        format!("FIRST(SELECT VALUE a {product} WHERE a + b + d < 0)"),
        "@a LIKE @like".to_owned(),
        "ST_DISTANCE(@shape, {type: 'LineString', coordinates: ARRAY(SELECT VALUE [a, 80] FROM a \
         IN c.arr WHERE a < 180)})"
            .to_owned(),
        "ST_WITHIN(@shape, @shape)".to_owned(),
        "ST_INTERSECTS(@shape, {type: 'LineString', coordinates: ARRAY(SELECT VALUE [a, 80] FROM \
         a IN c.arr WHERE a < 180)})"
            .to_owned(),
        "FULLTEXTCONTAINS(c.words, {term: @words, distance: 2}) OR \
         FULLTEXTCONTAINS(CONCAT(c.words, c.words, c.words, c.words), {term: @a, distance: 2})"
            .to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE @deep = @deep)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE CONTAINS(@a, CONCAT('b', ToString(a))))"
            .to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE RegexMatch(@a, 'a*b'))".to_owned(),
        "ARRAY_LENGTH(REGEXEXTRACTALL(@a, 'a*b|a'))".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE ARRAY_CONTAINS(@deep, [2]))".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE VectorDistance(c.arr, c.arr, true) > 2)"
            .to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE @wide.within.none = a)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr JOIN b IN (SELECT VALUE @wide.within.none))"
            .to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE @a IN ('x', 'y'))".to_owned(),
        "(SELECT VALUE MAX(@a) FROM a IN c.arr)".to_owned(),
        "(SELECT VALUE MAKESET(@deep) FROM a IN c.arr)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE ARRAY_MAX(@texts) = '')".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE ARRAY_CONTAINS(@texts, @text))".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE 'a' LIKE CONCAT(@a, ToString(a)))".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE FIRST(SELECT VALUE @deep) = a)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE ARRAY(SELECT VALUE @deep) = a)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE udf.same([@deep]) = a)".to_owned(),
        "(SELECT VALUE COUNT(1) FROM a IN c.arr WHERE udf.deep() = a)".to_owned(),
    ] {
        let text = format!("SELECT VALUE {expression} FROM c");
        assert_eq!(fails_within(&text, &parameters, &item), OUT_OF_WORK, "{text}");
    }
}

fn wide_object(properties: usize) -> String {
    let properties: Vec<String> = (0..properties).map(|at| format!("\"p{at}\":1")).collect();
    format!(r#"{{"within":{{{}}}}}"#, properties.join(","))
}

fn equal_texts(count: usize, bytes: usize) -> String {
    format!("[{}]", vec![format!("\"{}\"", "a".repeat(bytes)); count].join(","))
}

/// Counts how often it is asked, and grants one slice each time.
#[derive(Debug, Default)]
struct AskedGovernor {
    asked: AtomicU64,
}

impl WorkGovernor for AskedGovernor {
    fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(SLICE_UNITS)
    }
    fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
        Ok(())
    }
    fn return_bytes(&self, _bytes: usize) {}
}

/// How many slices a query over one item asks for.
fn slices_of(text: &str, parameters: &Parameters) -> u64 {
    let governor = Arc::new(AskedGovernor::default());
    let context = EvaluationContext { governor: governor.clone(), ..context() };
    run(text, parameters, &array(10), context).0.unwrap_or_else(|error| panic!("{text}: {error}"));
    governor.asked.load(Ordering::SeqCst)
}

#[test]
fn work_that_is_dearer_than_its_bytes_counts_as_such() {
    let ring: Vec<String> =
        (0..20_000).map(|at| format!("[{}e-3,{}]", at % 9_000, at % 2)).collect();
    let ring = format!(r#"{{"type":"Polygon","coordinates":[[{0},[0,0]]]}}"#, ring.join(","));
    let numbers: Vec<String> = (0..50_000).map(|number| number.to_string()).collect();
    let parameters: Parameters = [
        ("@ring", Json::parse(ring.as_bytes()).unwrap()),
        ("@numbers", Json::parse(format!("[{}]", numbers.join(",")).as_bytes()).unwrap()),
        ("@words", Json::from("word ".repeat(50_000))),
        ("@point", Json::parse(br#"{"type":"Point","coordinates":[0,80]}"#).unwrap()),
        ("@months", Json::from("Md".repeat(50_000))),
    ]
    .into_iter()
    .map(|(name, value)| (name, Some(value)))
    .collect();
    for (expression, slices_min) in [
        // A geodesic for each point, and several for a distance.
        ("ST_AREA(@ring)", 16),
        ("ST_DISTANCE(@ring, @point)", 32),
        // Elements are hashed.
        ("SETEQUAL(@numbers, @numbers)", 6),
        ("SETUNION(@numbers, @numbers)", 6),
        ("SETINTERSECT(@numbers, @numbers)", 6),
        // Words are stemmed.
        ("_FullTextWordCount(@words)", 8),
        // Each letter is a number to print.
        ("LENGTH(DATETIMEFORMAT('2024-10-10', @months))", 5),
    ] {
        let slices = slices_of(&format!("SELECT VALUE {expression} FROM c"), &parameters);
        assert!(slices >= slices_min, "{expression}: {slices} slices");
    }
}

#[test]
fn rows_are_counted_once_more_when_they_are_taken() {
    // A hundred rows of a hundred kilobytes each: 1,600 units to print one of them.
    let text = "SELECT VALUE @a FROM c JOIN a IN c.arr JOIN b IN c.arr ORDER BY c.id";
    let parameters: Parameters =
        [("@a", Some(Json::from("a".repeat(100_000))))].into_iter().collect();
    let sorted = slices_of(text, &parameters);
    let streamed = slices_of(text.strip_suffix(" ORDER BY c.id").unwrap(), &parameters);
    assert!(sorted >= streamed + 7, "{sorted} and {streamed}");
}

#[test]
fn a_word_of_any_length_is_work_of_its_length() {
    // A stemmer that copies the word for every letter it replaces would copy 200 thousand million bytes.
    let parameters: Parameters =
        [("@long", Some(Json::from("ay".repeat(400_000))))].into_iter().collect();
    let text = "SELECT VALUE FULLTEXTCONTAINS(@long, 'ay') FROM c";
    let (result, _) = run(text, &parameters, &array(1), limited(1000 * SLICE_UNITS));
    assert_eq!(result.unwrap(), ["false"]);
}

#[test]
fn a_condition_on_one_item_stops() {
    let condition = "FROM c WHERE EXISTS(SELECT VALUE a FROM a IN c.arr JOIN b IN c.arr JOIN d IN c.arr \
                     WHERE a + b + d < 0)";
    let predicate = ItemPredicate::parse(condition).unwrap();
    assert_eq!(predicate.matches(&array(1000), &limited(UNITS)), Err(OUT_OF_WORK));
    assert_eq!(predicate.matches(&array(10), &limited(UNITS)), Ok(false));
}

#[test]
fn what_a_function_builds_counts_before_it_is_built() {
    let (bytes_max, item) = (1 << 20, array(1000));
    let object: Vec<String> = (0..2000).map(|at| format!("\"{at}\":1")).collect();
    let parameters: Parameters = [
        ("@p", Json::from("x".repeat(100_000))),
        ("@small", Json::from("x".repeat(1000))),
        ("@texts", Json::parse(format!("[{}]", vec!["\"x\""; 2000].join(",")).as_bytes()).unwrap()),
        ("@object", Json::parse(format!("{{{}}}", object.join(",")).as_bytes()).unwrap()),
        ("@json", Json::from(format!("[{}1]", "1,".repeat(50_000)))),
    ]
    .into_iter()
    .map(|(name, value)| (name, Some(value)))
    .collect();
    let many = |part: &str| vec![part; 20].join(",");
    for expression in [
        "LENGTH(REPLACE(@p, 'x', @p))".to_owned(),
        "LENGTH(REPLACE(REPLACE(@small, 'x', @small), 'x', @small))".to_owned(),
        format!("LENGTH(CONCAT({}))", many("@p")),
        format!("LENGTH({})", vec!["@p"; 20].join(" || ")),
        "LENGTH(STRINGJOIN(@texts, @p))".to_owned(),
        "ARRAY_LENGTH(STRINGSPLIT(@p, 'x'))".to_owned(),
        "ARRAY_LENGTH(OBJECTTOARRAY(@object, @p))".to_owned(),
        "ARRAY_LENGTH(STRINGTOARRAY(@json))".to_owned(),
        format!("LENGTH(TOSTRING([{}]))", many("@p")),
        format!("[c.id, {}]", many("@p")),
        format!("ARRAY_LENGTH(ARRAY_CONCAT({}))", many("[@p]")),
        format!("SETUNION([{0}], [{0}])", ["@p"; 6].join(",")),
        "ARRAY_LENGTH(ARRAY(SELECT VALUE @p FROM a IN c.arr))".to_owned(),
        format!("[{}]", many("(SELECT VALUE UPPER(@p))")),
        "LENGTH(REVERSE(LOWER(UPPER(CONCAT(@p, @p, @p, @p)))))".to_owned(),
        "ARRAY_LENGTH(REGEXEXTRACTALL(@p, 'x'))".to_owned(),
        "_FullTextWordCount(@p)".to_owned(),
    ] {
        let text = format!("SELECT VALUE {expression} FROM c");
        let context = EvaluationContext { held_bytes_max: bytes_max, ..context() };
        let (result, _) = run(&text, &parameters, &item, context);
        assert_eq!(
            result,
            Err(EvaluationError::Budget(BudgetError::HeldBytes { bytes_max })),
            "{text}"
        );
    }
}

#[test]
fn a_row_that_is_too_large_is_not_returned() {
    let parameters: Parameters =
        [("@p", Some(Json::from("x".repeat(1 << 20))))].into_iter().collect();
    let row = |times: usize| {
        let text =
            format!("SELECT VALUE ARRAY(SELECT VALUE @p FROM a IN c.arr WHERE a < {times}) FROM c");
        let bound = bind(&parse(&text).unwrap(), &parameters, &BuiltInFunctions).unwrap();
        let mut executor = QueryExecutor::new(&bound, context());
        executor.push(&array(100)).unwrap();
        row_text(&executor.finish().unwrap()[0]).map(|text| text.len())
    };
    assert_eq!(row(15), Ok(15 * ((1 << 20) + 3) + 1));
    let bytes_max = ROW_TEXT_BYTES_MAX;
    assert_eq!(row(16), Err(EvaluationError::Budget(BudgetError::RowTooLarge { bytes_max })));
}

#[test]
fn the_whole_memory_of_a_machine_is_never_asked_for() {
    let parameters: Parameters =
        [("@p", Some(Json::from("x".repeat(1_000_000))))].into_iter().collect();
    let (result, _) =
        run("SELECT VALUE LENGTH(REPLACE(@p,'x',@p))", &parameters, &array(1), context());
    assert_eq!(
        result,
        Err(EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 256 << 20 }))
    );
}

#[test]
fn a_value_that_repeats_itself_at_every_level_counts_in_full() {
    let mut query = "SELECT VALUE [c.id, c.id] FROM c".to_owned();
    for level in 0..60 {
        query = format!("SELECT VALUE [t{level}, t{level}] FROM ({query}) AS t{level}");
    }
    let tree = parse(&query);
    // So many levels may also be refused as text; what is allowed must not multiply.
    let Ok(bound) = tree.and_then(|tree| bind(&tree, &Parameters::new(), &BuiltInFunctions)) else {
        return a_value_of_few_levels_counts_in_full();
    };
    let mut executor = QueryExecutor::new(&bound, context());
    let result = executor.push(&array(1));
    assert_eq!(
        result,
        Err(EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 256 << 20 }))
    );
}

fn a_value_of_few_levels_counts_in_full() {
    let mut query = "SELECT VALUE [c.id, c.id, c.id, c.id] FROM c".to_owned();
    for level in 0..8 {
        let (name, many) = (format!("t{level}"), vec![format!("t{level}"); 40].join(","));
        query = format!("SELECT VALUE [{many}] FROM ({query}) AS {name}");
    }
    let error = fails_within(&query, &Parameters::new(), &array(1));
    let held = EvaluationError::Budget(BudgetError::HeldBytes { bytes_max: 256 << 20 });
    assert!(error == held || error == OUT_OF_WORK, "{error:?}");
}

#[test]
fn large_regular_expressions_are_refused() {
    let item = array(1);
    let refused = |pattern: &str, text: String| {
        let parameters: Parameters =
            [("@pattern", Some(Json::from(pattern))), ("@text", Some(Json::from(text)))]
                .into_iter()
                .collect();
        run("SELECT VALUE RegexMatch(@text, @pattern) FROM c", &parameters, &item, context()).0
    };
    let too_large =
        Err(EvaluationError::Budget(BudgetError::PatternTooLarge { bytes_max: 16 * 1024 }));
    assert_eq!(refused(&"(a|b)".repeat(36_000), "a".to_owned()), too_large);
    assert_eq!(refused(r"(\w{100}){100}", "a".to_owned()), too_large);
    // A plain pattern is matched step by step, which can be interrupted; look-around and back references are not.
    let text_bytes = 8 << 20;
    assert_eq!(refused("(a|b)*c", "a".repeat(text_bytes)).unwrap(), ["false"]);
    let large = Err(EvaluationError::Budget(BudgetError::MatchTooLarge { text_bytes }));
    for hostile in ["((?=a*)a)*c", r"(a*)\1c", "(?!a*b)c", "a*+b"] {
        assert_eq!(refused(hostile, "a".repeat(text_bytes)), large, "{hostile}");
    }
    assert_eq!(refused("(a|b)+c", "aabc".to_owned()).unwrap(), ["true"]);
    // Invalid patterns stay undefined, so that there is no row.
    assert_eq!(refused("(", "a".to_owned()).unwrap(), [""; 0]);
}

#[test]
fn a_parameter_that_is_used_too_often_is_refused() {
    let parameters: Parameters =
        [("@p", Some(Json::from("x".repeat(1_000_000))))].into_iter().collect();
    let bound = |uses: usize| {
        let text = format!("SELECT VALUE [{}]", vec!["@p"; uses].join(","));
        bind(&parse(&text).unwrap(), &parameters, &BuiltInFunctions).map(|_| ())
    };
    assert_eq!(bound(10), Ok(()));
    let errors = bound(50_000).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("'@p'"), "{}", errors[0]);
}

/// Grants a number of units, then ends the slice once, then grants everything.
#[derive(Debug)]
struct OneInterruption {
    first: u64,
    calls: AtomicU64,
}

impl WorkGovernor for OneInterruption {
    fn next_slice(&self, _granted: u64) -> Result<u64, Interruption> {
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(self.first),
            1 => Err(Interruption::SliceEnded),
            _ => Ok(u64::MAX),
        }
    }
    fn allow_bytes(&self, _bytes: usize) -> Result<(), Interruption> {
        Ok(())
    }
    fn return_bytes(&self, _bytes: usize) {}
}

/// Runs a query over items and pushes the item again that was interrupted.
fn resumed(text: &str, items: &[Json], first: u64) -> (Vec<String>, u64) {
    let tree = parse(text).unwrap();
    let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
    let governor = Arc::new(OneInterruption { first, calls: AtomicU64::new(0) });
    let context = EvaluationContext { governor: governor.clone(), ..context() };
    let mut executor = QueryExecutor::new(&bound, context);
    assert!(executor.is_resumable());
    for item in items {
        let text = item.to_string();
        match executor.push_text(text.as_bytes()) {
            Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::SliceEnded))) => {
                executor.push_text(text.as_bytes()).unwrap();
            }
            other => other.unwrap(),
        }
    }
    let tuples = executor.tuples();
    // Only an item can be pushed again: the last rows must not be interrupted.
    governor.calls.store(2, Ordering::SeqCst);
    let rows = executor.finish().unwrap();
    (rows.iter().map(|row| row_text(row).unwrap()).collect(), tuples)
}

#[test]
fn an_interrupted_item_goes_on_with_the_row_that_is_missing() {
    let items = [array(7), array(5)];
    for text in [
        "SELECT VALUE [a, b] FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE a < b",
        "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr",
        "SELECT a, COUNT(1) AS n, SUM(b) AS s, MAX(ToString(b)) AS m FROM c JOIN a IN c.arr JOIN b \
         IN c.arr GROUP BY a",
        "SELECT DISTINCT VALUE a % 3 FROM c JOIN a IN c.arr JOIN b IN c.arr",
        "SELECT VALUE [a, b] FROM c JOIN a IN c.arr JOIN b IN c.arr ORDER BY c.id DESC",
        "SELECT TOP 9 VALUE a FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE EXISTS(SELECT VALUE x \
         FROM x IN c.arr WHERE x = a + 1)",
        "SELECT VALUE {n: ARRAY(SELECT VALUE x FROM x IN c.arr WHERE x > a)} FROM c JOIN a IN c.arr",
    ] {
        let expected = resumed(text, &items, u64::MAX);
        for first in 1..400 {
            assert_eq!(resumed(text, &items, first), expected, "{text} after {first} units");
        }
    }
}

#[test]
fn a_stream_that_is_interrupted_returns_each_row_once() {
    let text = "SELECT VALUE [a, b] FROM c JOIN a IN c.arr JOIN b IN c.arr WHERE a < b";
    let tree = parse(text).unwrap();
    let bound = bind(&tree, &Parameters::new(), &BuiltInFunctions).unwrap();
    for first in 1..200 {
        let governor = Arc::new(OneInterruption { first, calls: AtomicU64::new(0) });
        let context = EvaluationContext { governor, ..context() };
        let mut stream = QueryExecutor::streaming(&bound, context).unwrap();
        let mut rows = Vec::new();
        let mut push = |stream: &mut QueryExecutor| {
            stream.push_while(&array(8), |row| {
                rows.push(row_text(&row).unwrap());
                true
            })
        };
        let slice_ended =
            Err(EvaluationError::Budget(BudgetError::Interrupted(Interruption::SliceEnded)));
        if push(&mut stream) == slice_ended {
            push(&mut stream).unwrap();
        }
        assert_eq!(rows.len(), 28, "after {first} units");
        rows.dedup();
        assert_eq!(rows.len(), 28, "after {first} units");
    }
}
