//! One line of a runner: an object whose members are all texts.

use std::collections::BTreeMap;

/// What a runner says about one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScenarioResult {
    pub(crate) scenario: String,
    pub(crate) area: String,
    pub(crate) outcome: String,
    pub(crate) reason: String,
}

impl ScenarioResult {
    /// Reads a line; none when it is no object of texts with the four members.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        let mut texts = StringReader { rest: inner.chars().collect::<Vec<_>>().into_iter() };
        let mut members = BTreeMap::new();
        while let Some(name) = texts.next_text() {
            members.insert(name, texts.next_text()?);
        }
        let mut take = |name: &str| members.remove(name);
        Some(Self {
            scenario: take("scenario")?,
            area: take("area")?,
            outcome: take("outcome")?,
            reason: take("reason")?,
        })
    }
}

struct StringReader {
    rest: std::vec::IntoIter<char>,
}

impl StringReader {
    fn next_text(&mut self) -> Option<String> {
        self.rest.find(|char| *char == '"')?;
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                char => text.push(char),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'n' | 'r' | 't' | 'b' | 'f' => ' ',
            'u' => {
                let digits: String = self.rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok()?;
                // Half of a pair: good enough for a reason that people read.
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            char => char,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ScenarioResult;

    #[test]
    fn a_line_is_read_with_its_escapes() {
        let text = r#"{"scenario": "a \"b\"", "area":"x","outcome":"failed","reason":"\u00e9\n1"}"#;
        let line =
            ScenarioResult::parse(text).map(|line| (line.scenario, line.outcome, line.reason));
        assert_eq!(line, Some(("a \"b\"".into(), "failed".into(), "\u{e9} 1".into())));
    }

    #[test]
    fn what_is_no_result_is_not_read() {
        for text in ["", "{}", "hello", r#"{"scenario":"a"}"#, r#"{"scenario":"a"#] {
            assert_eq!(ScenarioResult::parse(text), None, "{text}");
        }
    }
}
