//! The file format: reading and writing back, nothing else.

use std::path::Path;

/// One file of cases.
pub(super) struct CaseFile {
    /// The lines before the first case.
    preamble: String,
    /// The cases in order.
    pub(super) cases: Vec<Case>,
}

/// One case.
pub(super) struct Case {
    /// A sentence about behaviour.
    pub(super) title: String,
    /// The line of the title, counted from one.
    pub(super) line: usize,
    /// The sections in order.
    pub(super) sections: Vec<Section>,
}

/// One section of a case.
pub(super) struct Section {
    /// Its header.
    pub(super) name: String,
    /// Its lines, without the blank ones at the end.
    pub(super) body: String,
}

impl CaseFile {
    pub(super) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a case file is readable");
        let mut file = Self { preamble: String::new(), cases: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            if let Some(title) = line.strip_prefix("=== ") {
                let title = title.trim().to_owned();
                file.cases.push(Case { title, line: index + 1, sections: Vec::new() });
                continue;
            }
            let place = match file.cases.last_mut() {
                None => &mut file.preamble,
                Some(case) => {
                    if let Some(name) = line.strip_prefix("--- ") {
                        let name = name.trim().to_owned();
                        case.sections.push(Section { name, body: String::new() });
                        continue;
                    }
                    match case.sections.last_mut() {
                        Some(section) => &mut section.body,
                        None => continue,
                    }
                }
            };
            place.push_str(line);
            place.push('\n');
        }
        for section in file.cases.iter_mut().flat_map(|case| &mut case.sections) {
            section.body.truncate(section.body.trim_end_matches('\n').len());
        }
        file
    }

    pub(super) fn write(&self, path: &Path) {
        let mut text = self.preamble.clone();
        for (index, case) in self.cases.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            text.push_str(&format!("=== {}\n", case.title));
            for section in &case.sections {
                text.push_str(&format!("--- {}\n", section.name));
                if !section.body.is_empty() {
                    text.push_str(&section.body);
                    text.push('\n');
                }
            }
        }
        std::fs::write(path, text).expect("a case file is writable");
    }
}

impl Case {
    /// The lines of a section.
    pub(super) fn section(&self, name: &str) -> Option<&str> {
        let section = self.sections.iter().find(|section| section.name == name);
        section.map(|section| section.body.as_str())
    }
}
