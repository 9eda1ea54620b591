//! What a stored procedure sees: arguments, context, container, response, console.

use engine::ErrorKind;

use crate::account::Account;

#[tokio::test]
async fn a_procedure_gets_its_arguments_and_sets_its_response() {
    let account = Account::new().await;
    let set = "getContext().getResponse().setBody";
    for (body, arguments, expected) in [
        (format!("function (a, b) {{ {set}(a + b); }}"), "[1, 2]", "3"),
        (
            format!("(a) => {{ {set}({{ a, type: typeof a }}); }}"),
            r#"["x"]"#,
            r#"{"a":"x","type":"string"}"#,
        ),
        (format!("function f() {{ {set}(arguments.length); }};"), "[]", "0"),
        ("function () {}".to_owned(), "[]", "none"),
        (format!("function () {{ {set}(undefined); }}"), "[]", "none"),
        (
            format!("function () {{ {set}([1.5, null, true, 'ü', {{}}]); }}"),
            "[]",
            r#"[1.5,null,true,"ü",{}]"#,
        ),
        ("function () { __.response.setBody(__.request.getBody()); }".to_owned(), "[7]", "[7]"),
        (
            "function () { let r = __.response; r.setBody('a'); r.appendBody('b'); }".to_owned(),
            "[]",
            r#""ab""#,
        ),
        (
            "function () { for (let i = 0; i < 4; i++) getContext().getResponse().appendValue('Body', i); }"
                .to_owned(),
            "[]",
            r#""0123""#,
        ),
        (
            "function () { let r = __.response; r.setValue('Body', 1); r.setBody([r.getValue('Body')]); }"
                .to_owned(),
            "[]",
            "[1]",
        ),
        (
            format!(
                "// first\nfunction helper() {{ return main(); }} function main() {{ {set}(1); }}"
            ),
            "[]",
            "1",
        ),
        (format!("'use strict'; function f() {{ {set}(this === undefined); }}"), "[]", "true"),
        (format!("async function f() {{ await null; {set}('later'); }}"), "[]", r#""later""#),
        (
            format!(
                "() => {{ const g = function* () {{ yield 1; yield* [2, 3]; }}; {set}([...g()].map(x => x ** 2)); }}"
            ),
            "[]",
            "[1,4,9]",
        ),
        (
            format!(
                "() => {{ class A {{ #x = 4; get x() {{ return this.#x ?? 0; }} }} {set}(new A()?.x); }}"
            ),
            "[]",
            "4",
        ),
        (
            format!("function f(p) {{ {set}(p.__proto__ === Object.prototype); }}"),
            r#"[{"__proto__":1}]"#,
            "false",
        ),
    ] {
        account.check(&body, arguments, expected).await;
    }
}

#[tokio::test]
async fn a_procedure_reads_and_writes_its_logical_partition() {
    let account = Account::new().await;
    account.create(r#"{"id":"other","pk":"b"}"#).await;
    let body = r#"function () {
        const c = getContext().getCollection(), self = c.getSelfLink();
        const seen = [];
        c.createDocument(self, { id: "1", pk: "a", n: 1 }, (error, made) => {
            seen.push(made.n, typeof made._rid, typeof made._etag);
            c.readDocument(made._self, (error, read) => {
                seen.push(read.n, read._etag === made._etag);
                read.n = 2;
                c.replaceDocument(read._self, read, { etag: read._etag }, (error, replaced) => {
                    seen.push(replaced.n, replaced._etag === made._etag, replaced._rid === made._rid);
                    c.queryDocuments(self, "SELECT VALUE c.n FROM c", (error, rows) => {
                        seen.push(rows);
                        c.upsertDocument(self, { id: "2", pk: "a" }, () => {
                            c.readDocuments(self, {}, (error, all, information) => {
                                seen.push(all.map(d => d.id), information.continuation === undefined);
                                c.deleteDocument(c.getAltLink() + "/docs/2", {}, (error) => {
                                    seen.push(error === undefined);
                                    getContext().getResponse().setBody(seen);
                                });
                            });
                        });
                    });
                });
            });
        });
    }"#;
    let expected = r#"[1,"string","string",1,true,2,false,true,[2],["1","2"],true,true]"#;
    account.check(body, "[]", expected).await;
    assert_eq!(account.rows("SELECT VALUE c.n FROM c WHERE c.pk = 'a'").await.unwrap(), "2");
}

#[tokio::test]
async fn what_a_script_returns_of_an_item_is_what_is_stored() {
    let account = Account::new().await;
    let body = r#"function () {
        __.createDocument(__.getSelfLink(), { id: "1", pk: "a" },
            (e, d) => __.response.setBody([d._rid, d._etag, d._self]));
    }"#;
    let shown = account.run(body, "[]").await.unwrap();
    let stored = account.rows("SELECT VALUE [c._rid, c._etag, c._self] FROM c").await.unwrap();
    assert_eq!(shown, stored);
}

#[tokio::test]
async fn a_create_without_an_id_gets_one_unless_the_script_forbids_it() {
    let account = Account::new().await;
    let body = r#"function (options) {
        __.createDocument(__.getSelfLink(), { pk: "a" }, options,
            (e, d) => __.response.setBody(e ? e.number : d.id.length));
    }"#;
    account.check(body, "[{}]", "36").await;
    account.check(body, r#"[{"disableAutomaticIdGeneration":true}]"#, "400").await;
}

#[tokio::test]
async fn errors_of_operations_have_the_numbers_of_the_service() {
    let account = Account::new().await;
    account.create(r#"{"id":"1","pk":"a"}"#).await;
    let number = "(e) => __.response.setBody(e.number)";
    for (call, expected) in [
        (format!("createDocument(self, {{ id: '1', pk: 'a' }}, {number})"), "409"),
        (format!("createDocument(self, {{ id: '2', pk: 'b' }}, {number})"), "400"),
        (format!("readDocument(alt + '/docs/none', {number})"), "404"),
        (format!("deleteDocument(alt + '/docs/none', {number})"), "404"),
        (format!("deleteDocument(alt + '/docs/1', {{ etag: 'x' }}, {number})"), "412"),
        (format!("queryDocuments(self, 'SELECT nonsense FROM', {number})"), "400"),
        (format!("createDocument(self, 'no json', {number})"), "400"),
        (
            "readDocument(alt + '/docs/1', { ifNoneMatch: '*' }, \
             (e, d, o) => __.response.setBody(o.notModified))"
                .to_owned(),
            "true",
        ),
    ] {
        let body = format!(
            "function () {{ const self = __.getSelfLink(), alt = __.getAltLink(); __.{call}; }}"
        );
        account.check(&body, "[]", expected).await;
    }
    let thrown = [
        ("__.createDocument('dbs/x/colls/y', {})", 403),
        ("__.createDocument('x', {})", 400),
        ("__.readDocument('dbs/x/colls/y/docs/z')", 403),
        ("__.createDocument(__.getSelfLink())", 400),
        ("__.createAttachment('x', {})", 400),
        ("__.queryDocuments(__.getSelfLink(), 1)", 400),
        ("__.queryDocuments(__.getSelfLink(), 'q', {}, 1)", 400),
        ("__.response.setValue('x', 1)", 400),
        ("__.request.setBody(1)", 403),
        ("throw new Error(1234, 'mine')", 1234),
        ("__.deleteDocument(__.getAltLink() + '/docs/none')", 404),
        ("getContext().abort(new Error(409, 'stop'))", 409),
        ("try { getContext().abort(new Error(409, 'stop')) } catch { }", 409),
    ];
    for (code, number) in thrown {
        let error = account.run(&format!("function () {{ {code}; }}"), "[]").await.unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::ScriptFailed { number: Some(number) },
            "{code}: {error}"
        );
    }
}

#[tokio::test]
async fn an_exception_has_the_text_of_the_service_with_its_place() {
    let account = Account::new().await;
    let body = "function main() {\n  inner();\n}\nfunction inner() { throw new Error('boom'); }";
    let error = account.run(body, "[]").await.unwrap_err();
    let message = error.message().to_owned();
    let begin = "Encountered exception while executing Javascript. Exception = Error: boom\r\nStack trace: Error: boom";
    assert!(message.starts_with(begin), "{message}");
    assert!(message.contains("run.js:4") && message.contains("run.js:2"), "{message}");
    assert!(!message.contains("host.js") && !message.contains("guards.js"), "{message}");
    let syntax = account.run("function ( {", "[]").await.unwrap_err();
    assert_eq!(syntax.kind(), ErrorKind::ScriptFailed { number: None });
    assert!(syntax.message().contains("SyntaxError"), "{syntax}");
    let value = account.run("'no function'", "[]").await.unwrap_err();
    assert!(value.message().contains("not a function"), "{value}");
}

#[tokio::test]
async fn the_log_is_returned_also_with_a_failure() {
    let account = Account::new().await;
    account
        .procedure("logs", "function () { console.log('a', 1, { b: 2 }); console.log('ü'); }")
        .await;
    let result = account.execute("logs", "[]").await.unwrap();
    assert_eq!(result.value.log.as_deref(), Some("a 1 {\"b\":2}\nü"));
    let formats = [
        ("'%s is %d.', 'x', 1", "x is 1."),
        ("'100% of %s', 'it', 'all'", "100% of it all"),
        ("'%%s', 1, '%s'", "%s 1 %s"),
        ("'%s %s', 1", "1 %s"),
        ("'%o', { a: 1 }", "{\"a\":1}"),
        ("1, '%s'", "1 %s"),
    ];
    for (number, (values, line)) in formats.into_iter().enumerate() {
        let id = format!("formats{number}");
        account.procedure(&id, &format!("function () {{ console.log({values}); }}")).await;
        let result = account.execute(&id, "[]").await.unwrap();
        assert_eq!(result.value.log.as_deref(), Some(line), "{values}");
    }

    account.procedure("fails", "function () { console.log('before'); throw 1; }").await;
    let error = account.execute("fails", "[]").await.unwrap_err();
    assert_eq!(error.script_log(), Some("before"));
}

#[tokio::test]
async fn query_functions_filter_map_and_sort() {
    let account = Account::new().await;
    for (id, n, tags) in [("1", 3, r#"["x","y"]"#), ("2", 1, "[]"), ("3", 2, r#"["z"]"#)] {
        account.create(&format!(r#"{{"id":"{id}","pk":"a","n":{n},"tags":{tags}}}"#)).await;
    }
    account.create(r#"{"id":"other","pk":"b","n":9,"tags":[]}"#).await;
    for (code, expected) in [
        ("__.filter(d => d.n > 1)", r#"["1","3"]"#),
        ("__.chain().filter(d => d.n > 1).value()", r#"["1","3"]"#),
        ("__.chain().sortBy(d => d.n).value()", r#"["2","3","1"]"#),
        (
            "__.chain().sortByDescending(d => d.n).map(d => ({ id: 'n' + d.n })).value()",
            r#"["n3","n2","n1"]"#,
        ),
        (
            "__.pluck('id', (e, rows) => __.response.setBody(rows.map(id => ({ id }))))",
            r#"["1","2","3"]"#,
        ),
        (
            "__.chain().pluck('tags').flatten().map(id => ({ id })) \
             .value({}, (e, r) => __.response.setBody(r))",
            r#"["x","y","z"]"#,
        ),
        (
            "__.chain().unwind(d => d.tags, (d, t) => ({ id: d.id + t })).value()",
            r#"["1x","1y","3z"]"#,
        ),
        (
            "__.map(d => ({ id: d.id }), { pageSize: 2 }, \
             (e, r, o) => { if (!o.continuation) throw 1; __.response.setBody(r); })",
            r#"["1","2"]"#,
        ),
    ] {
        let body = format!("function () {{ if ({code}.isAccepted !== true) throw 2; }}");
        let rows = account.run(&body, "[]").await.unwrap();
        let ids: Vec<String> = match model::Json::parse(rows.as_bytes()).unwrap() {
            model::Json::Array(rows) => {
                rows.iter().map(|row| row.get("id").unwrap().to_string()).collect()
            }
            other => panic!("{other}"),
        };
        assert_eq!(format!("[{}]", ids.join(",")), expected, "{code}");
    }
}

#[tokio::test]
async fn a_query_takes_parameters_pages_and_sees_own_writes() {
    let account = Account::new().await;
    for n in 0..5 {
        account.create(&format!(r#"{{"id":"{n}","pk":"a","n":{n}}}"#)).await;
    }
    let body = r#"function (least) {
        const self = __.getSelfLink(), ids = [];
        __.createDocument(self, { id: "new", pk: "a", n: 7 });
        __.deleteDocument(__.getAltLink() + "/docs/3");
        const parameters = [{ name: "@n", value: least }];
        const query = { query: "SELECT * FROM c WHERE c.n >= @n ORDER BY c.n DESC", parameters };
        (function page(continuation) {
            __.queryDocuments(self, query, { pageSize: 2, continuation }, (error, rows, information) => {
                ids.push(...rows.map(d => d.id));
                if (information.continuation) page(information.continuation);
                else __.response.setBody(ids);
            });
        })();
    }"#;
    account.check(body, "[1]", r#"["new","4","2","1"]"#).await;
    assert_eq!(account.ids().await, r#""0" "1" "2" "4" "new""#);
}

#[tokio::test]
async fn an_engine_without_a_runtime_refuses_scripts() {
    let account = Account::new().await;
    let engine = engine::Engine::in_memory().await.unwrap();
    let account = Account { engine, ..account };
    let properties = model::DatabaseProperties { id: account.link.database.clone() };
    let create = engine::operation::CreateDatabase { properties, throughput: None };
    account.engine.create_database(create).await.unwrap();
    let key = model::PartitionKeyDefinition::single("/pk").unwrap();
    let properties = model::ContainerProperties::new(account.link.container.clone(), key);
    let database = account.link.database.clone();
    let create = engine::operation::CreateContainer { database, properties, throughput: None };
    account.engine.create_container(create).await.unwrap();
    let error = account.run("function () {}", "[]").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}
