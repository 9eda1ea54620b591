//! The procedures that everybody writes: bulk import, bulk delete, upsert, bounded execution.

use engine::ScriptSettings;

use crate::account::Account;

const BULK_IMPORT: &str = r#"function bulkImport(items) {
    const container = getContext().getCollection();
    const response = getContext().getResponse();
    let count = 0;
    if (items.length === 0) return response.setBody(0);
    tryCreate(items[count]);
    function tryCreate(item) {
        const isAccepted = container.createDocument(container.getSelfLink(), item, (error) => {
            if (error) throw error;
            count++;
            if (count >= items.length) response.setBody(count);
            else tryCreate(items[count]);
        });
        if (!isAccepted) response.setBody(count);
    }
}"#;

const BULK_DELETE: &str = r#"function bulkDelete(query) {
    const container = getContext().getCollection();
    const response = getContext().getResponse();
    const result = { deleted: 0, continuation: true };
    find();
    function find(continuation) {
        const self = container.getSelfLink();
        const isAccepted = container.queryDocuments(self, query, { continuation }, (error, items, information) => {
            if (error) throw error;
            if (items.length > 0) remove(items);
            else if (information.continuation) find(information.continuation);
            else { result.continuation = false; response.setBody(result); }
        });
        if (!isAccepted) response.setBody(result);
    }
    function remove(items) {
        if (items.length === 0) return find();
        const isAccepted = container.deleteDocument(items[0]._self, {}, (error) => {
            if (error) throw error;
            result.deleted++;
            items.shift();
            remove(items);
        });
        if (!isAccepted) response.setBody(result);
    }
}"#;

const UPSERT: &str = r#"function upsert(item) {
    const container = getContext().getCollection();
    container.createDocument(container.getSelfLink(), item, (error, made) => {
        if (!error) return getContext().getResponse().setBody("created");
        if (error.number !== ErrorCodes.Conflict) throw error;
        const query = { query: "SELECT * FROM c WHERE c.id = @id", parameters: [{ name: "@id", value: item.id }] };
        container.queryDocuments(container.getSelfLink(), query, (error, items) => {
            if (error) throw error;
            container.replaceDocument(items[0]._self, item, (error) => {
                if (error) throw error;
                getContext().getResponse().setBody("replaced");
            });
        });
    });
}"#;

#[tokio::test]
async fn a_bulk_import_and_a_bulk_delete_end_with_an_empty_partition() {
    let account = Account::new().await;
    account.create(r#"{"id":"other","pk":"b"}"#).await;
    let items: Vec<String> =
        (0..250).map(|n| format!(r#"{{"id":"{n}","pk":"a","n":{n}}}"#)).collect();
    account.check(BULK_IMPORT, &format!("[[{}]]", items.join(",")), "250").await;
    let expected = r#"{"deleted":240,"continuation":false}"#;
    account.check(BULK_DELETE, r#"["SELECT * FROM c WHERE c.n >= 10"]"#, expected).await;
    assert_eq!(account.rows("SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'a'").await.unwrap(), "10");
    account.verify().await;
}

#[tokio::test]
async fn a_bounded_script_continues_where_it_was_not_accepted() {
    let scripts = ScriptSettings { operations_max: 40, ..ScriptSettings::default() };
    let account = Account::with(scripts, |_| {}).await;
    let items: Vec<String> = (0..100).map(|n| format!(r#"{{"id":"{n:02}","pk":"a"}}"#)).collect();
    let mut rest = items.as_slice();
    let mut calls = 0;
    while !rest.is_empty() {
        let created = account.run(BULK_IMPORT, &format!("[[{}]]", rest.join(","))).await.unwrap();
        rest = &rest[created.parse::<usize>().unwrap()..];
        calls += 1;
    }
    assert_eq!(calls, 3);
    let mut deleted = 0;
    loop {
        let result = account.run(BULK_DELETE, r#"["SELECT * FROM c"]"#).await.unwrap();
        let result = model::Json::parse(result.as_bytes()).unwrap();
        deleted += result.get("deleted").unwrap().to_string().parse::<usize>().unwrap();
        if result.get("continuation") == Some(&model::Json::Bool(false)) {
            break;
        }
    }
    assert_eq!(deleted, 100);
}

#[tokio::test]
async fn an_upsert_creates_and_then_replaces() {
    let account = Account::new().await;
    account.check(UPSERT, r#"[{"id":"1","pk":"a","v":1}]"#, r#""created""#).await;
    account.check(UPSERT, r#"[{"id":"1","pk":"a","v":2}]"#, r#""replaced""#).await;
    assert_eq!(account.rows("SELECT VALUE c.v FROM c").await.unwrap(), "2");
}
