//! Copies that make no sense, and items that have no place in the target.

use super::ground::{Ground, sum};

#[test]
fn copies_that_make_no_sense_are_told_with_the_way_out() {
    let ground = Ground::with(1);
    let here = format!("{}/.", ground.data());
    for (words, reason, way_out) in [
        (&["--to", "shop/orders"][..], "source and target are both shop/orders", "Name another"),
        (
            &["--to", "shop/orders", "--to-data", &here],
            "source and target are both",
            "Name another",
        ),
        (&["--to", "orders"], "'orders' is not a container", "database/container"),
        (&["--to", "shop/x", "--partition-key", "day"], "partition-key", "/tenantId"),
        (&["--to", "shop/x", "--delete-extra"], "nothing is compared", "Add --verify"),
        (&["--to", "shop/x", "--verify-only"], "there is no container shop/x", "Copy first"),
    ] {
        let said = ground.copy(words);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(reason) && said.err.contains(way_out), "{said:?}");
    }
    let data = ground.data();
    let said = crate::planisphere::planisphere([
        "copy",
        "--from-data",
        &data,
        "--from",
        "shop/no",
        "--to",
        "shop/x",
    ]);
    assert!(
        said.code == 2 && said.err.contains("there is no container shop/no to copy"),
        "{said:?}"
    );
    for transform in ["day", "day=LEFT(c.at", "day=GetCurrentDateTime()", "_ts=1"] {
        let said = ground.copy(&["--to", "shop/x", "--transform", transform]);
        assert!(said.code == 2 && said.err.contains("--transform"), "{said:?}");
    }
}

#[test]
fn items_without_the_new_key_are_listed_with_their_ids() {
    let ground = Ground::with(50);
    let odd = [r#"{"id":"odd1","customer":"c1","n":1}"#, r#"{"id":"odd2","customer":"c2","at":7}"#];
    ground.import("orders", &odd.join("\n"));
    let to = ["--to", "shop/x", "--partition-key", "/at"];
    let said = ground.copy(&to);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("one item has no place in the target"), "{said:?}");
    assert!(said.err.contains("'odd1' in [\"c1\"]") && said.err.contains("/at"), "{said:?}");
    assert!(said.err.contains("--transform") && said.err.contains("--skip-refused"), "{said:?}");

    let computed = [&to[..], &["--transform", "at=LEFT(c.at, 4)"]].concat();
    let said = ground.copy(&[&computed[..], &["--restart"]].concat());
    assert!(said.code == 2 && said.err.contains("2 items have no place"), "{said:?}");
    assert!(
        said.err.contains("'odd2' in [\"c2\"]: --transform 'at=LEFT(c.at, 4)' is undefined"),
        "{said:?}"
    );

    let said = ground.copy(&[&to[..], &["--restart", "--skip-refused"]].concat());
    assert!(said.code == 1 && said.out.contains("copied 51 items"), "{said:?}");
    assert!(said.out.contains("left out: one item"), "{said:?}");
}

#[test]
fn what_was_deleted_from_the_source_is_found_and_removed() {
    let ground = Ground::with(30);
    ground.copy(&["--to", "shop/x", "--verify"]).succeeded();
    ground.import("x", "{\"id\":\"alien\",\"customer\":\"c1\",\"n\":1000}\n");
    let said = ground.copy(&["--to", "shop/x", "--verify-only"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("extra: 'alien' in [\"c1\"]"), "{said:?}");
    assert!(said.out.contains("--delete-extra deletes them"), "{said:?}");
    let said = ground.copy(&["--to", "shop/x", "--verify-only", "--delete-extra"]).succeeded();
    assert!(said.out.contains("deleted 1 items"), "{said:?}");
    let data = ground.path("data");
    assert_eq!(sum(&data, "x"), sum(&data, "orders"));
}
