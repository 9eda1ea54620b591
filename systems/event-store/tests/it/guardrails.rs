//! DC-048, DC-049: every statement is in one place, has its tenant, and has no value written into it.

#[test]
fn queries_are_written_in_one_place() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![folder];
    let mut texts = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let has_query = text.contains("Query::text(");
            assert!(!has_query || path.ends_with("account/queries.rs"), "{}", path.display());
            texts += usize::from(has_query);
        }
    }
    assert_eq!(texts, 1);
    // In that place every text over all partitions begins with the tenant; only the list of tenants has none.
    let queries = include_str!("../../src/account/queries.rs");
    let fan_outs = queries.matches(".fan_out(").count();
    let scoped = queries.matches(".of(self)").count();
    // The list of tenants, and the items of a container that has one tenant only.
    assert_eq!((fan_outs, scoped), (9, 7));
    assert!(!queries.contains("format!"), "no value is written into a text");
}

#[test]
#[cfg(feature = "postgres")]
fn statements_are_written_in_one_place_and_begin_with_the_tenant() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/postgres");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let is_home =
            ["sql.rs", "schema.rs", "row_security.rs"].iter().any(|one| path.ends_with(one));
        let has_statement = [" FROM events", " FROM tags", " FROM multi_projection_states"]
            .iter()
            .any(|words| text.contains(words));
        assert!(is_home || !has_statement, "{}", path.display());
    }
    let statements = include_str!("../../src/postgres/sql.rs");
    assert!(!statements.contains("format!"), "no value is written into a statement");
    // Every statement that reads or deletes rows has the tenant; those of operators say so.
    let admin = ["TENANTS", "TAG_TOTAL", "MISSING_ROWS", "RESTORE_ROWS"];
    for part in statements.split("pub(super) const ").skip(1) {
        let name = part.split(':').next().unwrap();
        let reads = part.contains(" FROM events") || part.contains(" FROM tags");
        let is_scoped = part.contains("service_id = $1") || part.contains("(service_id,");
        assert!(!reads || is_scoped || admin.contains(&name), "{name}");
    }
}
