//! One JSON array of items, read element by element: a large file is never held whole.
//!
//! Owns finding where an element ends. Does not own what is in it: each is parsed on its own.

use std::io::BufRead;

use super::records::{Record, Records, item};

pub(super) struct Elements {
    input: Box<dyn BufRead + Send>,
    line: u64,
    state: State,
}

#[derive(PartialEq)]
enum State {
    BeforeArray,
    First,
    Between,
    Ended,
}

impl Elements {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Self { input, line: 1, state: State::BeforeArray }
    }

    fn peek(&mut self) -> Result<Option<u8>, String> {
        Ok(self.input.fill_buf().map_err(|error| error.to_string())?.first().copied())
    }

    fn take(&mut self) -> Result<Option<u8>, String> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
        }
        Ok(byte)
    }

    /// The next byte that is no space, not taken.
    fn next_sign(&mut self) -> Result<Option<u8>, String> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.take()?;
        }
        Ok(None)
    }

    /// The text up to the comma or bracket behind an element.
    fn element(&mut self) -> Result<Vec<u8>, String> {
        let line = self.line;
        let (mut text, mut depth, mut in_text, mut escaped) = (Vec::new(), 0_u32, false, false);
        while let Some(byte) = self.peek()? {
            if !in_text && depth == 0 && matches!(byte, b',' | b']') {
                return Ok(text);
            }
            self.take()?;
            text.push(byte);
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_text => escaped = true,
                b'"' => in_text = !in_text,
                b'{' | b'[' if !in_text => depth += 1,
                b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Err(format!("the item that begins in line {line} does not end"))
    }
}

impl Records for Elements {
    fn next(&mut self) -> Result<Option<Record>, String> {
        if self.state == State::Ended {
            return Ok(None);
        }
        if self.state == State::BeforeArray {
            match self.next_sign()? {
                Some(b'[') => self.take()?,
                _ => {
                    return Err(
                        "the file is no JSON array; say --format jsonl if it has one item per line"
                            .to_owned(),
                    );
                }
            };
            self.state = State::First;
        }
        match (self.next_sign()?, &self.state) {
            (Some(b']'), _) => {
                self.take()?;
                self.state = State::Ended;
                match self.next_sign()? {
                    None => return Ok(None),
                    Some(_) => {
                        return Err(format!(
                            "there is more behind the array in line {}",
                            self.line
                        ));
                    }
                }
            }
            (Some(b','), State::Between) => {
                self.take()?;
                self.next_sign()?;
            }
            (Some(_), State::First) => {}
            _ => {
                return Err(format!(
                    "the array does not go on with ',' or ']' in line {}",
                    self.line
                ));
            }
        }
        self.state = State::Between;
        let line = self.line;
        let text = self.element()?;
        Ok(Some(Record { line, content: item(&text) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything read, as text; the last is how it ended.
    fn check(text: &'static str, expected: &[&str]) {
        let mut elements = Elements::new(Box::new(text.as_bytes()));
        let mut told = Vec::new();
        loop {
            match elements.next() {
                Ok(None) => break,
                Err(why) => {
                    told.push(why);
                    break;
                }
                Ok(Some(record)) => {
                    let content = record.content.map_or_else(|why| why, |item| item.to_string());
                    told.push(format!("{} {content}", record.line));
                }
            }
        }
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn elements_are_found_whatever_is_in_them() {
        check("[]", &[]);
        check(" [ ] ", &[]);
        check(
            "[{\"a\":[1,{}]},\n {\"b\":\"x,]\\\"}\"}]\n",
            &[r#"1 {"a":[1,{}]}"#, r#"2 {"b":"x,]\"}"}"#],
        );
        check("[{},7,{]", &["1 {}", "1 is no item but", "the item that begins in line 1"]);
        check("[{},{\"a\":tru},{}]", &["1 {}", "1 is not JSON", "1 {}"]);
    }

    #[test]
    fn what_is_no_array_is_refused() {
        check("{\"id\":\"1\"}", &["the file is no JSON array"]);
        check("", &["the file is no JSON array"]);
        check("[{}", &["the item that begins in line 1 does not end"]);
        check("[{}\n{}]", &["1 is not JSON"]);
        check("[{}] x", &["1 {}", "there is more behind the array"]);
        check("[{},]", &["1 {}", "1 is not JSON"]);
    }
}
