//! Pages: all of them, some of them, and going on.

use super::ask::{ask, store};

const TEXT: &str = "SELECT VALUE c.number FROM c ORDER BY c.number";

#[test]
fn all_pages_are_read_unless_a_limit_is_given() {
    let store = store();
    let all = ask(&store, &["--page-items", "40", TEXT]).succeeded();
    let expected: String = (0..300).map(|number| format!("{number}\n")).collect();
    assert_eq!(all.out, expected);
    assert!(!all.err.contains("There is more"), "{all:?}");
    let said = ask(&store, &["--all", "--page-items", "40", TEXT]).succeeded();
    assert_eq!(said.out, expected);
}

#[test]
fn a_run_goes_on_where_another_stopped() {
    let store = store();
    let limited = ["--page-items", "10", "--limit-pages", "2"];
    let mut rows = String::new();
    let mut token: Option<String> = None;
    for _ in 0..100 {
        let mut words = limited.to_vec();
        if let Some(token) = &token {
            words.extend(["--continuation", token]);
        }
        words.push(TEXT);
        let said = ask(&store, &words).succeeded();
        assert!(said.out.lines().count() <= 20, "{said:?}");
        rows += &said.out;
        token = said.err.lines().find_map(|line| {
            let rest = line.strip_prefix("There is more: continue with --continuation '")?;
            rest.strip_suffix('\'').map(str::to_owned)
        });
        if token.is_none() {
            break;
        }
    }
    assert_eq!(rows, (0..300).map(|number| format!("{number}\n")).collect::<String>());
}

#[test]
fn a_token_of_another_query_is_refused_with_a_way_out() {
    let store = store();
    for token in ["made up", ""] {
        let said = ask(&store, &["--continuation", token, TEXT]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains("ontinuation"), "{said:?}");
    }
}
