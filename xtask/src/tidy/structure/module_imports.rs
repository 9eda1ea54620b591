//! Check 15: which first-level module of a crate may import which. The tables are the inner architecture of the three
//! largest crates; they are ordered so that a module imports only modules above it, hence no cycle can appear.
//!
//! A module may always name its crate's central type ([`ModuleTable::central`]) to add `impl` blocks to it.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{RustText, Tree, test_ranges};

const RULE: &str = "module-imports";

/// The modules of one crate, lowest first.
struct ModuleTable {
    /// Folder of the crate from the root.
    folder: &'static str,
    /// The module of the crate's central type, which others may import to add `impl` blocks.
    central: Option<&'static str>,
    /// Each module with the modules it may import, separated by spaces.
    rows: &'static [(&'static str, &'static str)],
}

const TABLES: &[ModuleTable] = &[
    ModuleTable {
        folder: "crates/query",
        central: None,
        rows: &[
            ("error", ""),
            ("ast", "error"),
            ("lexer", "error ast"),
            ("parser", "error ast lexer"),
            ("printer", "ast lexer"),
            ("resume", "error ast parser printer"),
            ("value", "ast"),
            ("budget", "value"),
            ("function", "value budget"),
            ("bind", "error ast lexer parser printer function"),
            ("evaluate", "error ast value budget function bind"),
            ("operator", "error ast parser value budget function bind evaluate"),
            ("plan", "error ast printer value function bind evaluate"),
            ("reference", "parser function bind plan"),
        ],
    },
    ModuleTable {
        folder: "crates/engine",
        central: Some("engine"),
        rows: &[
            ("script_runtime", ""),
            ("environment", "script_runtime"),
            ("error", ""),
            ("charge", "error"),
            ("operation", ""),
            ("ordered_bytes", ""),
            ("creation_order", ""),
            ("key_layout", "ordered_bytes"),
            ("index", "ordered_bytes key_layout"),
            ("metering", "key_layout"),
            ("record", "error key_layout"),
            ("container", "index record"),
            ("response", "error record"),
            ("settings", "script_runtime"),
            ("throughput", "error key_layout metering response"),
            ("work", "environment error settings"),
            (
                "partition",
                "environment error key_layout record container response settings throughput",
            ),
            (
                "catalog",
                "error charge operation key_layout metering container response throughput partition",
            ),
            (
                "change_feed",
                "error charge operation key_layout metering record container response throughput \
                partition catalog",
            ),
            ("session", "error partition"),
            (
                "query",
                "script_runtime environment error charge operation ordered_bytes creation_order key_layout \
                index metering record container response throughput work partition catalog session",
            ),
            ("transaction", "error charge key_layout index record container partition"),
            (
                "item",
                "error charge operation creation_order key_layout metering record container response \
                throughput work partition catalog session query transaction",
            ),
            (
                "script",
                "script_runtime environment error charge operation key_layout metering record container \
                response throughput partition catalog query transaction item",
            ),
            (
                "time_travel",
                "error operation key_layout record container response partition catalog item",
            ),
            (
                "maintenance",
                "error charge key_layout index metering record throughput partition catalog \
                transaction item",
            ),
            (
                "restructure",
                "error charge operation key_layout metering record container response settings \
                partition catalog transaction",
            ),
            (
                "usage",
                "error operation key_layout index metering record container response partition \
                catalog query item",
            ),
            ("restore", "error operation response"),
            ("verify", "error operation key_layout record container partition catalog transaction"),
            (
                "engine",
                "environment error charge operation settings throughput work partition catalog query",
            ),
            ("fuzzing", "ordered_bytes key_layout record partition catalog change_feed query"),
        ],
    },
    ModuleTable {
        folder: "crates/gateway",
        central: Some("gateway"),
        rows: &[
            ("http", ""),
            ("binary_json", "http"),
            ("feed_range", "http"),
            ("metrics", ""),
            ("backup", "http"),
            ("fault", "http"),
            ("request_log", "http"),
            ("route", "http"),
            ("session", "http route"),
            ("authorization", "http route"),
            ("test_control", ""),
            ("settings", "authorization fault test_control"),
            ("observe", "http metrics route session settings test_control"),
            ("query", "http feed_range settings"),
            ("item", "http binary_json feed_range query route"),
            ("resource", "http route authorization query item"),
            ("dispatch", "http backup route authorization observe query resource session"),
            ("server", "http fault route authorization observe request_log settings"),
            ("gateway", "http backup metrics request_log session settings"),
            ("fuzzing", "http binary_json route authorization server"),
        ],
    },
];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    for table in TABLES {
        check_order(table, report);
        check_crate(table, tree, report);
    }
}

/// A row that imports a module below itself could close a cycle.
fn check_order(table: &ModuleTable, report: &mut TidyReport) {
    for (index, (module, imports)) in table.rows.iter().enumerate() {
        for import in imports.split_whitespace() {
            let is_above = table.rows.iter().take(index).any(|(name, _)| *name == import);
            if !is_above && Some(import) != table.central {
                let message = TidyMessage::new(
                    format!("the row of `{module}` names `{import}`, which is not above it"),
                    "only an ordered table rules out cycles",
                    "sort the table in xtask/src/tidy/structure/module_imports.rs, lowest first",
                );
                report.find(table.folder, 1, RULE, message);
            }
        }
    }
}

fn check_crate(table: &ModuleTable, tree: &Tree, report: &mut TidyReport) {
    let source = format!("{}/src/", table.folder);
    for path in tree.rust_paths() {
        let Some(inside) = path.strip_prefix(&source) else { continue };
        let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
        // The root re-exports from everywhere, and tests may use whatever they need.
        if matches!(module, "lib" | "tests") || inside.ends_with("/tests.rs") {
            continue;
        }
        let row = table.rows.iter().find(|(name, _)| *name == module);
        let Some((_, allowed)) = row else {
            let message = TidyMessage::new(
                format!("the module `{module}` is not in the table of `{}`", table.folder),
                "a module earns its place in the order",
                "add its row to xtask/src/tidy/structure/module_imports.rs",
            );
            report.find(path, 1, RULE, message);
            continue;
        };
        let code = RustText::new(&tree.text(path).unwrap_or_default()).code();
        for (import, line) in imports(&code) {
            let is_module = table.rows.iter().any(|(name, _)| *name == import);
            let is_allowed = import == module
                || allowed.split_whitespace().any(|name| name == import)
                || table.central == Some(import.as_str());
            if is_module && !is_allowed {
                let message = TidyMessage::new(
                    format!("`{module}` may not import `{import}`"),
                    "the modules of a crate form layers",
                    "move the code down, pass a trait, or change the table by a decision",
                );
                report.find(path, line, RULE, message);
            }
        }
    }
}

/// The first segments after `crate::`, with their lines; tests excluded.
fn imports(code: &str) -> Vec<(String, usize)> {
    let tests = test_ranges(code);
    let mut found = Vec::new();
    // The depth of braces inside a `use crate::{..}` that goes on over several lines.
    let mut group: Option<usize> = None;
    for (index, line) in code.lines().enumerate() {
        let number = index + 1;
        if tests.iter().any(|range| range.contains(&number)) {
            continue;
        }
        let mut rest = line;
        if let Some(depth) = &mut group {
            *depth = group_modules(line, *depth, number, &mut found);
            if *depth == 0 {
                group = None;
            }
            continue;
        }
        while let Some((_, after)) = rest.split_once("crate::") {
            rest = after;
            if let Some(inside) = after.strip_prefix('{') {
                let depth = group_modules(inside, 1, number, &mut found);
                group = (depth > 0).then_some(depth);
                break;
            }
            found.push((leading_name(after), number));
        }
    }
    found
}

/// Reads the top level of a `use crate::{...}` group; returns the depth of braces at the end of the line.
fn group_modules(
    line: &str,
    mut depth: usize,
    number: usize,
    found: &mut Vec<(String, usize)>,
) -> usize {
    let mut at_name = true;
    for (at, char) in line.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => at_name = true,
            _ if depth == 1 && at_name && char.is_ascii_alphabetic() => {
                // A capital begins a re-exported type of the crate's root, which is no module.
                if char.is_ascii_lowercase() {
                    found.push((leading_name(line.get(at..).unwrap_or_default()), number));
                }
                at_name = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    depth
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::{ModuleTable, TidyReport, check, check_crate, check_order, imports};
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean};

    const TABLE: ModuleTable = ModuleTable {
        folder: "a",
        central: Some("center"),
        rows: &[("low", ""), ("high", "low"), ("center", "low high")],
    };

    #[test]
    fn imports_outside_the_table_are_found() {
        let tree = Fixture::new("module-imports")
            .file("a/src/lib.rs", "//! A.\nuse crate::high;\n")
            .file("a/src/low.rs", "//! L.\nuse crate::high::X;\nuse crate::center::C;\n")
            .file("a/src/high/mod.rs", "//! H.\nuse crate::low;\n#[cfg(test)]\nuse crate::new;\n")
            .file("a/src/new.rs", "//! N.\n")
            .open();
        let mut report = TidyReport::default();
        check_crate(&TABLE, &tree, &mut report);
        let found: Vec<_> = report.findings.iter().map(|f| f.message.what.as_str()).collect();
        let missing = "the module `new` is not in the table of `a`";
        assert_eq!(found, ["`low` may not import `high`", missing]);
    }

    #[test]
    fn a_table_out_of_order_is_found() {
        let rows = &[("low", "high"), ("high", "")];
        let mut report = TidyReport::default();
        check_order(&ModuleTable { folder: "a", central: None, rows }, &mut report);
        assert_eq!(report.findings.len(), 1);
    }

    #[test]
    fn imports_are_read_from_paths_and_groups() {
        let code = "use crate::{\n    one::{Two, three},\n    four,\n};\nlet a = crate::five::six();\n\
                    use crate::{seven, Eight};\n";
        let names: Vec<_> = imports(code).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["one", "four", "five", "seven"]);
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
