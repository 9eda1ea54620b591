//! Commands on a store in a database where a folder stood.

use std::path::Path;

use scratch_postgres::{NOT_INSTALLED, ScratchPostgres};

use crate::planisphere::{filled, on, planisphere};

/// A server of one test; `None`, said by the name of the test, where there is no PostgreSQL.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn database(test: &str) -> Option<ScratchPostgres> {
    let server = ScratchPostgres::start(&["fsync=off"]).unwrap();
    if server.is_none() {
        eprintln!("SKIPPED {test}: {NOT_INSTALLED}");
    }
    server
}

fn count(store: &str) -> String {
    let query = ["query", "--store", store, "--database", "bench", "--container", "items"];
    let text = ["--page-items", "1000", "SELECT VALUE COUNT(1) FROM c WHERE c.number >= 100"];
    planisphere(query.into_iter().chain(text)).succeeded().out
}

#[test]
fn a_database_is_imported_into_queried_and_verified_as_a_folder_is() {
    let Some(server) = database("a_database_is_imported_into_queried_and_verified_as_a_folder_is")
    else {
        return;
    };
    let url = server.url("postgres", "postgres");
    let nothing = on("verify", Path::new(&url));
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.err.contains("it does not contain a store"), "{nothing:?}");
    filled(Path::new(&url));
    let counted = count(&url);
    assert!(counted.contains("200"), "{counted}");
    let verified = on("verify", Path::new(&url)).succeeded();
    assert!(verified.out.contains("consistent: 300 items"), "{verified:?}");
    assert!(!verified.out.contains("postgres@"), "the user is printed: {verified:?}");
    let partitions = ["partitions", "list", "bench/items", "--store", &url];
    assert!(planisphere(partitions).succeeded().out.contains("300"));
}

#[test]
fn items_are_copied_from_a_folder_into_a_database_and_back() {
    let Some(server) = database("items_are_copied_from_a_folder_into_a_database_and_back") else {
        return;
    };
    let url = server.url("postgres", "postgres");
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    filled(&first);
    let (first, second) = (first.display().to_string(), second.display().to_string());
    for (from, to) in [(&first, &url), (&url, &second)] {
        let places = ["--from-data", from.as_str(), "--to-data", to.as_str()];
        let names = ["--from", "bench/items", "--to", "bench/items", "--verify"];
        let checkpoint = folder.path().join("checkpoint").display().to_string();
        let rest = ["--checkpoint", checkpoint.as_str()];
        let words = ["copy"].into_iter().chain(places).chain(names).chain(rest);
        let said = planisphere(words).succeeded();
        assert!(said.out.contains("verified: 300 items are equal"), "{said:?}");
        let _ = std::fs::remove_file(&checkpoint);
    }
    assert_eq!(count(&first), count(&second));
    on("verify", Path::new(&second)).succeeded();
}
