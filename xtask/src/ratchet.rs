//! Today's exceptions to a rule, in a checked-in list that may only shrink.
//!
//! Owns: reading `xtask/ratchet.txt`, comparing it with what the checks measure, and writing it tighter.
//! Does not own: the measuring; a check gives its offenses (everything over its limit) and we settle them here.
//!
//! A line of the list is `path rule number`. An offense that is not listed fails, one that is above its number fails,
//! and a number above reality fails too: whoever improves a file also gives up its exception.

use std::collections::BTreeMap;

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::Tree;

/// Where the list is kept.
pub(crate) const LIST: &str = "xtask/ratchet.txt";

const HEADER: &str = "\
# Today's exceptions to the limits of tidy: path, rule, number. This list may only shrink.
# `cargo xtask tidy --update-ratchet` writes it tighter, and refuses to raise a number or to add a line.
";

/// Something over its limit.
#[derive(Debug, Clone)]
pub(crate) struct Offense {
    pub(crate) path: String,
    /// The rule, with its subject where one file can offend several times: `function-length/run`.
    pub(crate) rule: String,
    pub(crate) number: usize,
    pub(crate) line: usize,
    pub(crate) message: TidyMessage,
}

type Exceptions = BTreeMap<(String, String), (usize, usize)>;

/// Turns offenses into findings, unless they are today's exceptions. `rules` are those the caller measured.
pub(crate) fn settle(tree: &Tree, rules: &[&str], offenses: &[Offense], report: &mut TidyReport) {
    let mut listed = read(&tree.text(LIST).unwrap_or_default(), report);
    // Several checks share the list. Lines of the others would look like exceptions that nobody needs any more.
    listed.retain(|(_, rule), _| rules.contains(&base(rule)));
    for ((path, rule), (number, offense)) in worst(offenses) {
        // What remains in `listed` after the loop has no offense: those lines must go.
        let exception = listed.remove(&(path.clone(), rule.clone()));
        match exception {
            None => report.find(&path, offense.line, &rule, offense.message.clone()),
            Some((limit, _)) if number > limit => {
                let mut message = offense.message.clone();
                message.what = format!("{} (its exception allows {limit})", message.what);
                report.find(&path, offense.line, &rule, message);
            }
            Some((limit, line)) if number < limit => {
                tighten(&path, &rule, (line, limit, number), report);
            }
            Some(_) => {}
        }
    }
    for ((path, rule), (limit, line)) in listed {
        tighten(&path, &rule, (line, limit, 0), report);
    }
}

/// The list as it should be written now, or what would have to be raised or added for it.
pub(crate) fn tightened(tree: &Tree, offenses: &[Offense]) -> Result<String, Vec<String>> {
    let old = tree.text(LIST);
    let listed = read(&old.clone().unwrap_or_default(), &mut TidyReport::default());
    let mut text = HEADER.to_owned();
    let mut refused = Vec::new();
    for ((path, rule), (number, _)) in worst(offenses) {
        let limit = listed.get(&(path.clone(), rule.clone())).map(|(limit, _)| *limit);
        // Only the very first list may contain what no list allowed before.
        if old.is_some() && limit.is_none_or(|limit| number > limit) {
            let before = limit.map_or_else(|| "not listed".to_owned(), |limit| limit.to_string());
            refused.push(format!("{path} {rule} {number} (before: {before})"));
        }
        text.push_str(&format!("{path} {rule} {number}\n"));
    }
    if refused.is_empty() { Ok(text) } else { Err(refused) }
}

fn base(rule: &str) -> &str {
    rule.split('/').next().unwrap_or(rule)
}

/// The largest offense for each path and rule, in a stable order.
fn worst(offenses: &[Offense]) -> BTreeMap<(String, String), (usize, &Offense)> {
    let mut worst: BTreeMap<(String, String), (usize, &Offense)> = BTreeMap::new();
    for offense in offenses {
        let known = worst
            .entry((offense.path.clone(), offense.rule.clone()))
            .or_insert((offense.number, offense));
        if offense.number > known.0 {
            *known = (offense.number, offense);
        }
    }
    worst
}

fn tighten(path: &str, rule: &str, numbers: (usize, usize, usize), report: &mut TidyReport) {
    let (line, limit, number) = numbers;
    let reality = if number == 0 { "within the limit".to_owned() } else { number.to_string() };
    report.find(
        LIST,
        line,
        rule,
        TidyMessage::new(
            format!("tighten: {path} is listed with {limit} and is now {reality}"),
            "an exception larger than reality lets the file grow back",
            "run `cargo xtask tidy --update-ratchet`",
        ),
    );
}

fn read(text: &str, report: &mut TidyReport) -> Exceptions {
    let mut listed = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut parts = line.split_whitespace();
        let entry = (parts.next(), parts.next(), parts.next().map(str::parse::<usize>));
        if let (Some(path), Some(rule), Some(Ok(number))) = entry {
            listed.insert((path.to_owned(), rule.to_owned()), (number, index + 1));
        } else {
            report.find(
                LIST,
                index + 1,
                "ratchet",
                TidyMessage::new(
                    format!("cannot read `{line}`"),
                    "an exception that is not understood allows nothing",
                    "write `path rule number`",
                ),
            );
        }
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::{LIST, Offense, settle, tightened};
    use crate::finding::{TidyMessage, TidyReport};
    use crate::reading::fixture::{Fixture, FixtureTree};

    fn tree(name: &str, list: &str) -> FixtureTree {
        Fixture::new(name).file(LIST, list).open()
    }

    fn offense(path: &str, number: usize) -> Offense {
        let message = TidyMessage::new("long", "why", "remedy");
        Offense { path: path.into(), rule: "file-length".into(), number, line: 1, message }
    }

    fn check(name: &str, list: &str, offenses: &[Offense], expected: &[&str]) {
        let mut report = TidyReport::default();
        settle(&tree(name, list), &["file-length"], offenses, &mut report);
        let whats: Vec<_> = report.findings.iter().map(|f| f.message.what.as_str()).collect();
        assert_eq!(whats, expected);
    }

    #[test]
    fn a_new_offender_fails_and_a_listed_one_does_not() {
        check("new", "a.rs file-length 500\n", &[offense("a.rs", 500)], &[]);
        check("new-2", "", &[offense("a.rs", 500)], &["long"]);
    }

    #[test]
    fn an_exception_may_not_grow() {
        let expected = ["long (its exception allows 500)"];
        check("grow", "a.rs file-length 500\n", &[offense("a.rs", 501)], &expected);
    }

    #[test]
    fn an_exception_larger_than_reality_must_be_tightened() {
        let smaller = ["tighten: a.rs is listed with 500 and is now 450"];
        check("less", "a.rs file-length 500\n", &[offense("a.rs", 450)], &smaller);
        let gone = ["tighten: a.rs is listed with 500 and is now within the limit"];
        check("gone", "a.rs file-length 500\n", &[], &gone);
    }

    #[test]
    fn exceptions_of_rules_that_were_not_measured_are_left_alone() {
        check("other", "a.rs glossary/uid 1\n", &[], &[]);
    }

    #[test]
    fn a_line_that_cannot_be_read_fails() {
        check("odd", "a.rs file-length many\n", &[], &["cannot read `a.rs file-length many`"]);
    }

    #[test]
    fn the_written_list_is_never_looser() {
        let list = "# words\na.rs file-length 500\nb.rs file-length 410\n";
        let tree = tree("write", list);
        let written = tightened(&tree, &[offense("a.rs", 450)]).expect("it only shrinks");
        assert!(written.ends_with("a.rs file-length 450\n"), "{written}");
        assert!(!written.contains("b.rs"));
        let raised = tightened(&tree, &[offense("a.rs", 501), offense("c.rs", 401)]);
        let expected =
            ["a.rs file-length 501 (before: 500)", "c.rs file-length 401 (before: not listed)"];
        assert_eq!(raised, Err(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn the_first_list_takes_things_as_they_are() {
        let tree = Fixture::new("first").file("x", "").open();
        let written = tightened(&tree, &[offense("a.rs", 450)]).expect("there was no list");
        assert!(written.ends_with("a.rs file-length 450\n"), "{written}");
    }
}
