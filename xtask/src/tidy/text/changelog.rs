//! Check 12: `CHANGELOG.md` is written for users, in fixed groups under versions, with an Unreleased one.

use crate::finding::{TidyMessage, TidyReport};
use crate::reading::{Heading, Tree, headings};

const RULE: &str = "changelog";
const CHANGELOG: &str = "CHANGELOG.md";
const GROUPS: &[&str] = &["Added", "Changed", "Fixed", "Removed", "Performance"];

pub(crate) fn check(tree: &Tree, report: &mut TidyReport) {
    let Some(text) = tree.text(CHANGELOG) else {
        return report.skip(RULE, "CHANGELOG.md does not exist yet, nothing was read");
    };
    let headings = headings(&text);
    let unreleased = headings.iter().any(|heading| heading.level == 2 && is_unreleased(heading));
    if !unreleased {
        find(1, "no heading `## Unreleased`".to_owned(), report);
    }
    let mut groups_here: Vec<&str> = Vec::new();
    for heading in &headings {
        if heading.level == 2 {
            groups_here.clear();
            if !is_unreleased(heading) && !is_version(&heading.text) {
                find(heading.line, format!("`{}` is not a version", heading.text), report);
            }
        } else if heading.level > 2 {
            let name = heading.text.as_str();
            if !GROUPS.contains(&name) {
                find(heading.line, format!("`{name}` is not a group"), report);
            } else if groups_here.contains(&name) {
                find(heading.line, format!("a second `{name}` in one version"), report);
            }
            groups_here.push(name);
        }
    }
    check_entries(&text, &headings, report);
}

/// Every entry stands in a group.
fn check_entries(text: &str, headings: &[Heading], report: &mut TidyReport) {
    for (index, line) in text.lines().enumerate() {
        let above = headings.iter().rev().find(|heading| heading.line <= index);
        let is_entry = line.starts_with("- ") || line.starts_with("* ");
        if is_entry && above.is_some_and(|heading| heading.level == 2) {
            find(index + 1, "an entry outside a group".to_owned(), report);
        }
    }
}

fn is_unreleased(heading: &Heading) -> bool {
    heading.text.trim_matches(['[', ']']) == "Unreleased"
}

/// `0.1.0`, `[0.1.0]`, with or without ` - date` after it.
fn is_version(text: &str) -> bool {
    let number = text.split_whitespace().next().unwrap_or_default().trim_matches(['[', ']']);
    let parts: Vec<&str> = number.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

fn find(line: usize, what: String, report: &mut TidyReport) {
    let message = TidyMessage::new(
        what,
        "users look for the same groups in every version",
        format!("use `## Unreleased`, `## 0.1.0 - date` and {}", GROUPS.join(", ")),
    );
    report.find(CHANGELOG, line, RULE, message);
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::finding::TidyReport;
    use crate::reading::fixture::{Fixture, assert_workspace_is_clean, found};

    #[test]
    fn a_good_changelog_is_clean() {
        let text = "# Changelog\n- how to read it\n## [Unreleased]\n### Added\n- a\n\
                    ## [0.1.0] - 2026-01-02\n### Fixed\n- b\n### Performance\n- c\n";
        let tree = Fixture::new("changelog-good").file("CHANGELOG.md", text).open();
        assert_eq!(found(&tree, check), Vec::<String>::new());
    }

    #[test]
    fn other_groups_and_loose_entries_are_found() {
        let text = "# Changelog\n## Soon\n- a\n### News\n- b\n## 0.1.0\n### Added\n### Added\n";
        let tree = Fixture::new("changelog-bad").file("CHANGELOG.md", text).open();
        let expected = [
            "CHANGELOG.md:1: changelog: no heading `## Unreleased`",
            "CHANGELOG.md:2: changelog: `Soon` is not a version",
            "CHANGELOG.md:4: changelog: `News` is not a group",
            "CHANGELOG.md:8: changelog: a second `Added` in one version",
            "CHANGELOG.md:3: changelog: an entry outside a group",
        ];
        assert_eq!(found(&tree, check), expected);
    }

    #[test]
    fn a_missing_changelog_is_said_aloud() {
        let mut report = TidyReport::default();
        check(&Fixture::new("changelog-none").open(), &mut report);
        assert_eq!((report.findings.len(), report.skipped.len()), (0, 1));
    }

    #[test]
    fn the_workspace_is_clean() {
        assert_workspace_is_clean(check);
    }
}
