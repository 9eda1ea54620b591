//! Check 17: a function named `is_*` or `has_*` is a predicate: not async, nothing by `&mut`, a `bool` returned.
//!
//! A reader trusts such a name without looking: it can be called twice, in any order, or not at all.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree, function_heads};

const RULE: &str = "predicates";
const PREFIXES: &[&str] = &["is_", "has_"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let is_source = |path: &&str| path.contains("/src/") && !path.ends_with("/tests.rs");
    for path in tree.rust_paths().filter(is_source) {
        let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
        for head in function_heads(&code) {
            if !PREFIXES.iter().any(|prefix| head.name.starts_with(prefix)) {
                continue;
            }
            let what = if head.is_async {
                "is async"
            } else if head.parameters.contains("&mut ") {
                "takes `&mut`"
            } else if head.returns != "bool" {
                "does not return `bool`"
            } else {
                continue;
            };
            let message = TidyMessage::new(
                format!("`{}` {what}", head.name),
                "a reader expects a predicate without side effects",
                "name the function after what it does, for example `check_*`, `mark_*` or `find_*`",
            );
            report.find(path, head.line, RULE, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn functions_that_are_no_predicates_are_found() {
        let code = "//! A.\nfn is_a(&self) -> bool {}\nfn is_b(&mut self) -> bool {}\n\
                    async fn has_c(&self) -> bool {}\nfn is_d(x: u8) -> Option<bool> {}\nfn island() {}\n";
        let tree = Fixture::new("predicates").file("a/src/lib.rs", code).open();
        let expected = [
            "a/src/lib.rs:3: predicates: `is_b` takes `&mut`",
            "a/src/lib.rs:4: predicates: `has_c` is async",
            "a/src/lib.rs:5: predicates: `is_d` does not return `bool`",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
