//! Files of plan cases: the format of the syntax cases, with other sections.

use std::path::Path;

pub(super) struct Case {
    pub(super) title: String,
    pub(super) sections: Vec<(String, String)>,
}

impl Case {
    pub(super) fn section(&self, name: &str) -> Option<&str> {
        let found = self.sections.iter().find(|(known, _)| known == name);
        found.map(|(_, body)| body.as_str())
    }
}

/// The preamble and the cases of a file.
pub(super) fn read(path: &Path) -> (String, Vec<Case>) {
    let text = std::fs::read_to_string(path).expect("a case file is readable");
    let mut preamble = String::new();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(Case { title: title.to_owned(), sections: Vec::new() });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            preamble.push_str(line);
            preamble.push('\n');
            continue;
        };
        if let Some(name) = line.strip_prefix("--- ") {
            case.sections.push((name.to_owned(), String::new()));
        } else if let Some((_, body)) = case.sections.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    for (_, body) in cases.iter_mut().flat_map(|case| &mut case.sections) {
        body.truncate(body.trim_end().len());
    }
    (preamble, cases)
}

pub(super) fn write(path: &Path, preamble: &str, cases: &[Case]) {
    let mut text = preamble.to_owned();
    for (place, case) in cases.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        text.push_str(&format!("=== {}\n", case.title));
        for (name, body) in &case.sections {
            text.push_str(&format!("--- {name}\n"));
            if !body.is_empty() {
                text.push_str(&format!("{body}\n"));
            }
        }
    }
    std::fs::write(path, text).expect("a case file is writable");
}
