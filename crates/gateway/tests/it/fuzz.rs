//! Fuzzing: tens of thousands of malformed requests by seed, without a socket. Every request gets a response with a
//! status and a body in our format, and nothing panics.
//!
//! Most requests are signed and nearly valid, so that they get past authorization; parts of them are then mutated.
//! `GATEWAY_FUZZ_SEED` and `GATEWAY_FUZZ_REQUESTS` choose another run.

use std::sync::{Arc, Mutex};

use engine::{Engine, EngineSettings, Environment, TravellingClock};
use gateway::{Gateway, GatewaySettings, Issuer, KeySource, Log, RoleAssignments};
use model::{Json, TimestampMs};

use crate::bearer::signer::{Signer, claims, file, key_set};
use crate::client::{Answer, NOW_SECONDS};
use crate::in_process::{request, send};

const SEED: u64 = 20_261_116;
const REQUESTS: u64 = 20_000;

/// A seeded generator: the same seed gives the same run.
struct Dice(fastrand::Rng);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0.usize(..count)
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// True in one of `count` cases.
    fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..self.below(count + 1)).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    /// A text with a few bytes changed, doubled or dropped.
    fn bent(&mut self, text: &[u8]) -> Vec<u8> {
        let mut bent = text.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bent.len() + 1);
            match self.below(4) {
                0 if at < bent.len() => bent[at] = self.next().to_le_bytes()[0],
                1 if at < bent.len() => drop(bent.remove(at)),
                2 => bent.insert(at, *self.one(&[&b'"', &b'{', &b'[', &0x80, &0xFF, &b'%', &b'0'])),
                _ => bent.truncate(at),
            }
        }
        bent
    }
}

const VERBS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "HEAD", "OPTIONS"];
/// Each path with its methods; frequent requests are listed several times.
const PLACES: [(&str, &[&str]); 24] = [
    ("/", &["GET"]),
    ("/dbs", &["GET", "POST"]),
    ("/dbs/d", &["GET"]),
    ("/dbs/d/colls", &["GET", "POST"]),
    ("/dbs/d/colls/c", &["GET", "PUT"]),
    ("/dbs/d/colls/c/docs", &["GET", "POST", "POST", "POST"]),
    ("/dbs/d/colls/c/docs", &["GET", "POST", "POST", "POST"]),
    ("/dbs/d/colls/c/docs", &["GET", "POST", "POST", "POST"]),
    ("/dbs/d/colls/c/docs/a", &["GET", "PUT", "PATCH", "DELETE"]),
    ("/dbs/d/colls/c/docs/b", &["GET", "PUT", "PATCH", "DELETE"]),
    ("/dbs/d/colls/h/docs", &["GET", "POST", "POST", "POST"]),
    ("/dbs/d/colls/c/pkranges", &["GET"]),
    ("/dbs/d/colls/c/operations/partitionkeydelete", &["POST"]),
    ("/dbs/d/colls/c/conflicts", &["GET", "POST"]),
    ("/dbs/d/colls/c/sprocs", &["GET", "POST"]),
    ("/dbs/d/colls/c/sprocs/s", &["GET", "POST", "PUT", "DELETE"]),
    ("/dbs/d/colls/c/triggers", &["GET", "POST"]),
    ("/dbs/d/colls/c/udfs/s", &["GET", "PUT", "DELETE"]),
    ("/dbs/d/users", &["GET", "POST"]),
    ("/dbs/d/users/u/permissions", &["GET", "POST"]),
    ("/dbs/d/users/u/permissions/p", &["GET", "PUT", "DELETE"]),
    ("/dbs/d/clientencryptionkeys", &["GET", "POST"]),
    ("/offers", &["GET", "POST"]),
    ("/addresses", &["GET"]),
];
const BODIES: [&str; 20] = [
    "",
    "{}",
    "[]",
    "null",
    r#"{"id":"a","pk":"x","n":1,"t":["a",{"b":null}],"ttl":10}"#,
    r#"{"id":"b","pk":"x","n":1e308,"m":-0.0,"long":"éé€😀"}"#,
    r#"{"id":"a","pk":{"deep":[[[[[[[[[[[[1]]]]]]]]]]]]}}"#,
    r#"{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}"#,
    r#"{"id":"h","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2},"defaultTtl":-1}"#,
    r#"{"query":"SELECT * FROM c WHERE c.n = @n ORDER BY c.n","parameters":[{"name":"@n","value":1}]}"#,
    r#"{"query":"SELECT VALUE COUNT(1) FROM c GROUP BY c.n"}"#,
    r#"{"query":"SELECT TOP 2 c.id, CONTAINS(c.long, 'x', true) FROM c JOIN t IN c.t OFFSET 0 LIMIT 1"}"#,
    concat!(
        r#"{"operations":[{"op":"add","path":"/t/-","value":1},{"op":"incr","path":"/n","value":2}],"#,
        r#""condition":"from c where c.n > 0"}"#
    ),
    r#"[{"operationType":"Create","resourceBody":{"id":"a","pk":"x"}},{"operationType":"Read","id":"a"}]"#,
    concat!(
        r#"[{"operationType":"Patch","id":"a","partitionKey":"[\"x\"]","#,
        r#""resourceBody":{"operations":[{"op":"set","path":"/n","value":1}]}}]"#
    ),
    r#"[{"operationType":"Delete","id":"a","ifMatch":"x"},{"operationType":"Upsert","resourceBody":7}]"#,
    r#"{"id":"s","body":"function() {}","triggerType":"Pre","triggerOperation":"All"}"#,
    r#"{"id":"p","permissionMode":"All","resource":"dbs/d/colls/c","resourcePartitionKey":["x"]}"#,
    r#"{"id":"u"}"#,
    r#"{"content":{"offerThroughput":500}}"#,
];
const HEADERS: [(&str, &[&str]); 30] = [
    (
        "x-ms-documentdb-partitionkey",
        &[r#"["x"]"#, r#"["x"]"#, "[{}]", "[]", "[1,2,3,4]", "x", r#"["a","b"]"#],
    ),
    ("x-ms-documentdb-partitionkeyrangeid", &["0", "1", "-1", "AAAA,0", "99999999999999999999"]),
    (
        "x-ms-session-token",
        &["0:-1#1", "0:-1#999999", "x", "0:1#2#3=4,1:-1#5", "4294967296:-1#1", ""],
    ),
    ("x-ms-continuation", &["x", "", "eyJ2IjoxfQ==", "{\"token\":1}"]),
    ("x-ms-max-item-count", &["1", "-1", "0", "-2", "x", "99999999999999999999"]),
    ("x-ms-consistency-level", &["Session", "Strong", "Eventual", "x"]),
    ("x-ms-start-epk", &["", "00", "FF", "3F", "xyz"]),
    ("x-ms-end-epk", &["", "00", "FF", "3F", "0"]),
    ("x-ms-read-key-type", &["EffectivePartitionKeyRange"]),
    ("x-ms-indexing-directive", &["Include", "Exclude", "x"]),
    ("x-ms-documentdb-isquery", &["True", "true", "False"]),
    ("x-ms-documentdb-is-upsert", &["True", "x"]),
    ("x-ms-cosmos-is-batch-request", &["True"]),
    ("x-ms-cosmos-batch-atomic", &["True", "False"]),
    ("x-ms-cosmos-batch-continue-on-error", &["True"]),
    ("x-ms-cosmos-is-query-plan-request", &["True"]),
    ("x-ms-cosmos-supported-query-features", &["Aggregate, OrderBy", "x", ""]),
    ("x-ms-documentdb-query-enablecrosspartition", &["True"]),
    ("x-ms-documentdb-populatequerymetrics", &["True"]),
    ("x-ms-cosmos-populateindexmetrics", &["True"]),
    ("x-ms-cosmos-populatequeryadvice", &["True"]),
    ("if-match", &["*", "\"x\"", "x", ""]),
    ("if-none-match", &["*", "\"x\"", "\"0.0.x\"", "\"1\"", ""]),
    ("if-modified-since", &["Sat, 10 Oct 2026 09:01:55 GMT", "x"]),
    ("a-im", &["Incremental Feed", "Full-Fidelity Feed", "x"]),
    ("prefer", &["return=minimal"]),
    ("content-type", &["application/query+json", "application/sql", "text/plain", "x"]),
    ("x-ms-cosmos-supported-serialization-formats", &["CosmosBinary", "JsonText,CosmosBinary"]),
    ("x-ms-offer-throughput", &["400", "30000", "x", "-1"]),
    ("x-ms-documentdb-expiry-seconds", &["10", "9", "x"]),
];

/// A gateway, its log, and tokens that it accepts.
struct Target {
    gateway: Gateway,
    lines: Arc<Mutex<Vec<String>>>,
    tokens: Vec<String>,
    _keys: tempfile::NamedTempFile,
}

impl Target {
    async fn new() -> Self {
        let clock = TravellingClock::starting_at(TimestampMs(NOW_SECONDS * 1000));
        let environment = Environment::simulated(clock, 7);
        let store = Arc::new(storage::memory::MemoryStore::new());
        let engine = Engine::open(store, environment, EngineSettings::default()).await.unwrap();
        let signer = Signer::new("one");
        let keys = file(&key_set(&[signer.public()]));
        let source = KeySource::File(keys.path().to_owned());
        let audience = vec![crate::bearer::signer::AUDIENCE.to_owned()];
        let issuer = Issuer::new(crate::bearer::signer::ISSUER, audience, source).unwrap();
        let roles = r#"{"roleAssignments":[{"principalId":"p","scope":"/",
            "roleDefinitionId":"00000000-0000-0000-0000-000000000002"}]}"#;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&lines);
        let gateway = Gateway::new(
            engine,
            GatewaySettings {
                issuer: Some(Arc::new(issuer)),
                role_assignments: Arc::new(RoleAssignments::parse(roles).unwrap()),
                log: Log::new(move |line| written.lock().unwrap().push(line.to_owned())),
                ..GatewaySettings::default()
            },
        );
        let bearer = format!("type=aad&ver=1.0&sig={}", signer.token(&claims("p")));
        let mut target = Self { gateway, lines, tokens: vec![bearer], _keys: keys };
        target.furnish().await;
        target
    }

    /// Creates again what a request may have deleted.
    async fn furnish(&mut self) {
        for (path, body) in [
            ("/dbs", BODIES[18].replace('u', "d")),
            ("/dbs/d/colls", BODIES[7].to_owned()),
            ("/dbs/d/colls", BODIES[8].to_owned()),
            ("/dbs/d/users", BODIES[18].to_owned()),
        ] {
            send(&self.gateway, request("POST", path, &[], body.as_bytes())).await;
        }
        let upsert = [("x-ms-documentdb-is-upsert", &b"True"[..])];
        let permission = BODIES[17].as_bytes();
        let path = "/dbs/d/users/u/permissions";
        let made = send(&self.gateway, request("POST", path, &upsert, permission)).await;
        if made.status < 300 {
            self.tokens.truncate(1);
            self.tokens.push(made.string("_token"));
        }
    }
}

fn case(dice: &mut Dice, tokens: &[String]) -> hyper::Request<http_body_util::Full<bytes::Bytes>> {
    let (path, verbs) = PLACES[dice.below(PLACES.len())];
    let verb = match dice.below(400) {
        0 => "DELETE",
        1..20 => dice.one(&VERBS),
        _ => dice.one(verbs),
    };
    let mut path = path.to_owned();
    match dice.below(24) {
        0 | 1 => path += "/",
        2 => path += dice.one(&["/%00", "/%zz", "/%C3%A9", "/..", "//", "/docs/$batch", "/AAAA"]),
        _ => {}
    }
    let body = match dice.below(8) {
        0 => dice.bytes(64),
        1 => [vec![0x80], dice.bytes(64)].concat(),
        2 | 3 => {
            let body = dice.one(&BODIES);
            dice.bent(body.as_bytes())
        }
        _ => dice.one(&BODIES).as_bytes().to_vec(),
    };
    let mut headers: Vec<(&str, Vec<u8>)> = Vec::new();
    for _ in 0..dice.below(6) {
        let (name, values) = HEADERS[dice.below(HEADERS.len())];
        let value = dice.one(values).as_bytes().to_vec();
        headers.push((name, if dice.rarely(6) { dice.bent(&value) } else { value }));
    }
    if dice.rarely(2) {
        headers.push(("x-ms-documentdb-partitionkey", br#"["x"]"#.to_vec()));
    }
    // Conditions that fail are rare by chance, because they need an existing resource and its method.
    if matches!(verb, "PUT" | "PATCH" | "DELETE") && dice.rarely(3) {
        headers.push(("if-match", b"\"x\"".to_vec()));
    }
    if verb == "GET" && dice.rarely(10) {
        headers.push(("if-none-match", b"*".to_vec()));
    }
    if dice.rarely(8) {
        let token = tokens[dice.below(tokens.len())].as_bytes().to_vec();
        headers.push(("authorization", if dice.rarely(2) { dice.bent(&token) } else { token }));
    }
    if dice.rarely(40) {
        headers.push(("x-ms-date", dice.bytes(30)));
    }
    headers.retain(|(_, value)| hyper::header::HeaderValue::from_bytes(value).is_ok());
    let headers: Vec<(&str, &[u8])> =
        headers.iter().map(|(name, value)| (*name, value.as_slice())).collect();
    request(verb, &path, &headers, &body)
}

fn check(answer: &Answer, what: &str) {
    assert!((200..600).contains(&answer.status), "{what}: {}", answer.status);
    assert_ne!(answer.status, 500, "{what}: {}", answer.text());
    answer.has("x-ms-activity-id");
    let is_json = answer.has("content-type") == "application/json";
    let is_binary = answer.body.first() == Some(&0x80);
    if answer.status >= 400 {
        assert!(is_json, "{what}");
        let body = answer.json();
        let expected =
            |name: &str| body.get(name).and_then(Json::as_str).is_some_and(|t| !t.is_empty());
        assert!(expected("code") && expected("message"), "{what}: {}", answer.text());
    } else if is_json && !is_binary && !answer.body.is_empty() {
        answer.json();
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[tokio::test]
async fn every_request_gets_a_response() {
    let mut target = Target::new().await;
    let seed = number("GATEWAY_FUZZ_SEED", SEED);
    let mut dice = Dice(fastrand::Rng::with_seed(seed));
    let mut statuses = std::collections::BTreeMap::new();
    for round in 0..number("GATEWAY_FUZZ_REQUESTS", REQUESTS) {
        if round % 50 == 0 {
            target.furnish().await;
        }
        let request = case(&mut dice, &target.tokens);
        let what = format!("seed {seed}, request {round}: {request:?}");
        let answer = send(&target.gateway, request).await;
        check(&answer, &what);
        *statuses.entry(answer.status).or_insert(0_u64) += 1;
    }
    assert_eq!(*target.lines.lock().unwrap(), Vec::<String>::new());
    // A run that only knocks at the door would show nothing.
    for status in [200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 412] {
        assert!(statuses.contains_key(&status), "no {status} in {statuses:?}");
    }
    let served: u64 = statuses.iter().filter(|(status, _)| **status < 400).map(|(_, n)| n).sum();
    let all: u64 = statuses.values().sum();
    assert!(served * 4 > all, "{statuses:?}");
}
