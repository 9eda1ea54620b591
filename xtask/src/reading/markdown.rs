//! The part of Markdown that the checks need: headings and code spans outside fenced blocks.

/// A heading with its level, its text and its line counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: usize,
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// All headings outside fenced blocks.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if is_fence(line) {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            let level = line.chars().take_while(|&char| char == '#').count();
            let text = line.trim_start_matches('#').trim().to_owned();
            found.push(Heading { level, text, line: index + 1 });
        }
    }
    found
}

/// Whether a line opens or closes a fenced block.
pub(crate) fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// The texts between single backticks on one line.
pub(crate) fn code_spans(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).filter(|span| !span.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{code_spans, headings};

    #[test]
    fn headings_inside_fences_are_text() {
        let found = headings("# A\n```\n# b\n```\n## C `d`\n");
        let found: Vec<_> = found.iter().map(|h| (h.level, h.text.as_str(), h.line)).collect();
        assert_eq!(found, [(1, "A", 1), (2, "C `d`", 5)]);
    }

    #[test]
    fn code_spans_are_found() {
        assert_eq!(code_spans("a `b` c `d/e`"), ["b", "d/e"]);
    }
}
