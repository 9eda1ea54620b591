//! Scripts that try to break out, to run for ever or to fill the memory: each ends with an error or without effect.

use engine::{ErrorKind, ScriptSettings};

use crate::account::Account;

async fn small() -> Account {
    let scripts = ScriptSettings {
        time_max_ms: 400,
        memory_bytes_max: 8 << 20,
        output_bytes_max: 100_000,
        operations_max: 50,
        ..ScriptSettings::default()
    };
    Account::with(scripts, |_| {}).await
}

#[tokio::test]
async fn a_script_that_does_not_end_is_ended() {
    let account = small().await;
    for code in [
        "while (true) {}",
        "for (;;) { try { while (true) {} } catch {} finally { while (true) {} } }",
        "(function f() { Promise.resolve().then(f); })()",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "/(x+x+)+y/.test('x'.repeat(60))",
        "for (const x of (function* () { for (;;) yield 1; })()) {}",
        "new Proxy({}, { get() { for (;;) {} } }).x",
        "JSON.stringify({ toJSON() { for (;;) {} } })",
        "[1, 2].sort(() => { for (;;) {} })",
        "eval('for (;;) {}')",
        "new Function('for (;;) {}')()",
        "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "Array.prototype.indexOf.call({ get length() { return 2 ** 53 - 1; } }, 1)",
        "const get = (t, k) => k === 'length' ? 2 ** 53 - 1 : t[k]; \
         Array.prototype.lastIndexOf.call(new Proxy([], { get }), 1)",
        "Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})",
        "(function again() { __.readDocuments(__.getSelfLink(), again); while (true) {} })()",
    ] {
        let error = account.run(&format!("function () {{ {code}; }}"), "[]").await;
        let error = error.err().unwrap_or_else(|| panic!("{code} ended by itself"));
        assert_eq!(error.kind(), ErrorKind::OutOfTime, "{code}: {error}");
    }
    account.check("function () { __.response.setBody(1); }", "[]", "1").await;
}

#[tokio::test]
async fn a_script_that_takes_too_much_is_ended() {
    let account = small().await;
    for code in [
        "const a = []; for (;;) a.push(new Array(1000).fill(0))",
        "let s = 'x'; for (;;) s += s",
        "'x'.repeat(2 ** 30 - 2)",
        "new Uint8Array(1 << 28)",
        "(function f() { f(); })()",
        "new Array(4294967295).join('x')",
        "new Array(4294967295).indexOf(1)",
        "[].concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true })",
        "JSON.parse('['.repeat(100000))",
        "new RegExp('(' .repeat(100000) + ')'.repeat(100000))",
        "new RegExp('a{1000}{1000}{1000}')",
        "Array.from({ length: 2 ** 53 - 1 })",
        "getContext().getResponse().setBody('x'.repeat(200000))",
        "const m = new Map(); for (let i = 0;; i++) m.set(i, {})",
        "let o = {}; for (;;) o = { o }",
    ] {
        let error = account.run(&format!("function () {{ {code}; }}"), "[]").await;
        let error = error.err().unwrap_or_else(|| panic!("{code} ended by itself"));
        let kind = error.kind();
        let is_bounded = matches!(
            kind,
            ErrorKind::TooLarge | ErrorKind::OutOfTime | ErrorKind::ScriptFailed { .. }
        );
        assert!(is_bounded, "{code}: {kind:?} {error}");
    }
    account.check("function () { __.response.setBody(1); }", "[]", "1").await;
}

#[tokio::test]
async fn operations_beyond_the_limit_are_not_accepted() {
    let account = small().await;
    let body = r#"function () {
        let accepted = 0;
        while (__.createDocument(__.getSelfLink(), { id: "" + accepted, pk: "a" })) accepted++;
        __.response.setBody(accepted);
    }"#;
    account.check(body, "[]", "50").await;
}

#[tokio::test]
async fn polluted_prototypes_do_not_reach_the_host() {
    let account = small().await;
    let body = r#"function (argument) {
        JSON.stringify = () => "[]"; JSON.parse = () => ({});
        Array.prototype.push = Array.prototype.map = () => { throw 1; };
        Object.defineProperty(Array.prototype, "9", { set() { throw 2; }, configurable: true });
        const stolen = { set() { throw 3; }, get() { return "stolen"; }, configurable: true };
        Object.defineProperty(Object.prototype, "body", stolen);
        Object.prototype.callback = Object.prototype.expects = "polluted";
        String.prototype.startsWith = () => true; String.prototype.slice = () => "";
        Function.prototype.call = Function.prototype.apply = () => { throw 4; };
        Reflect.apply = Object.freeze = Object.defineProperty = () => { throw 5; };
        Promise.prototype.then = Map.prototype.get = () => { throw 6; };
        globalThis.Error = function () { return 7; };
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a" }, (error, made) => {
            __.readDocument(made._self, (error, read) => __.response.setBody(read.id + typeof argument.x));
        });
    }"#;
    account.check(body, r#"[{"x":1}]"#, r#""1number""#).await;
    // The next script has a realm of its own.
    let clean = "function () { __.response.setBody([JSON.stringify([1]), \
                 typeof Object.prototype.callback, {}.body === undefined]); }";
    account.check(clean, "[]", r#"["[1]","undefined",true]"#).await;
}

#[tokio::test]
async fn host_objects_cannot_be_changed_and_nothing_else_is_reachable() {
    let account = small().await;
    for (code, expected) in [
        (
            "try { 'use strict'; __.createDocument = 1; } catch {} return typeof __.createDocument",
            "\"function\"",
        ),
        ("getContext = null; return typeof getContext", "\"function\""),
        ("ErrorCodes.NotFound = 1; return ErrorCodes.NotFound", "404"),
        (
            "return Object.isFrozen(__) && Object.isFrozen(getContext()) && Object.isFrozen(console)",
            "true",
        ),
        (
            "return ['require', 'process', 'fetch', 'setTimeout', 'performance', 'XMLHttpRequest', \
           'std', 'os', 'load', 'print', 'Deno', 'module'].filter(n => n in globalThis)",
            "[]",
        ),
        ("try { return import('fs') && 1; } catch (e) { return 1; }", "1"),
        ("return typeof Date.now()", "\"number\""),
        ("return (0, eval)('1 + 1')", "2"),
        ("const s = Symbol(); const o = { [s]: 1, id: 'x' }; return o", "{\"id\":\"x\"}"),
        (
            "return { get a() { return 1; }, b: undefined, c: () => 1, d: new Date(0), e: NaN, f: -0 }",
            r#"{"a":1,"d":"1970-01-01T00:00:00.000Z","e":null,"f":0}"#,
        ),
        ("return new Proxy({ a: 1 }, {})", "{\"a\":1}"),
        ("return arguments.constructor.constructor('return typeof globalThis')()", "\"object\""),
        ("return [1, 2, 3].concat([4], 5).reverse().indexOf(4)", "1"),
        (
            "return Array.prototype.map.call({ length: 2, 0: 'a', 1: 'b' }, x => x + x)",
            "[\"aa\",\"bb\"]",
        ),
        ("return Array.prototype.slice.call(arguments).length", "0"),
        (
            "class E extends Error {}; const e = new E('m'); return [e instanceof E, \
           e instanceof Error, e.message, e.name, new TypeError('t') instanceof Error, \
           Error('x').message, new Error(5, 'y').number]",
            r#"[true,true,"m","Error",true,"x",5]"#,
        ),
    ] {
        let body = format!("function () {{ __.response.setBody((function () {{ {code}; }})()); }}");
        account.check(&body, "[]", expected).await;
    }
}

#[tokio::test]
async fn values_that_cannot_be_printed_fail_the_script_alone() {
    let account = small().await;
    for code in [
        "throw { toString() { throw 1; } }",
        "throw { get stack() { throw 1; }, get number() { throw 2; }, toString() { return 'x'; } }",
        "throw null",
        "throw undefined",
        "throw Symbol('s')",
        "const o = {}; o.o = o; __.response.setBody(o)",
        "__.response.setBody(1n)",
        "__.response.setBody({ toJSON() { throw new Error('no'); } })",
        "__.createDocument(__.getSelfLink(), { get id() { throw new Error('no'); } })",
        "throw new Proxy({}, { get() { throw 1; } })",
        "throw '\\ud800'",
    ] {
        let error = account.run(&format!("function () {{ {code}; }}"), "[]").await;
        let error = error.err().unwrap_or_else(|| panic!("{code} succeeded"));
        let kind = error.kind();
        let is_thrown = matches!(kind, ErrorKind::ScriptFailed { .. } | ErrorKind::TooLarge);
        assert!(is_thrown, "{code}: {kind:?} {error}");
    }
    account.check("function () { __.response.setBody(1); }", "[]", "1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_requests_go_on_while_scripts_run_to_their_limits() {
    let scripts =
        ScriptSettings { time_max_ms: 1_500, at_once_max: 2, ..ScriptSettings::default() };
    let account = std::sync::Arc::new(Account::with(scripts, |_| {}).await);
    account.procedure("loop", "function () { for (;;) {} }").await;
    let loops: Vec<_> = (0..6)
        .map(|_| {
            let account = std::sync::Arc::clone(&account);
            tokio::spawn(async move { account.execute("loop", "[]").await.map(drop) })
        })
        .collect();
    for number in 0..20 {
        account.create(&format!(r#"{{"id":"{number}","pk":"a"}}"#)).await;
    }
    assert!(loops.iter().all(|task| !task.is_finished()), "writes waited for scripts");
    for task in loops {
        assert_eq!(task.await.unwrap().unwrap_err().kind(), ErrorKind::OutOfTime);
    }
}
