//! Reads a JSON array element by element, so that a large file is never in memory as a whole.
//!
//! Finds the end of each element; its content is parsed separately.

use std::io::BufRead;

use super::records::{ImportRecord, RecordReader, item};

pub(super) struct ArrayReader {
    input: Box<dyn BufRead + Send>,
    line: u64,
    state: ArrayState,
}

#[derive(PartialEq)]
enum ArrayState {
    BeforeArray,
    First,
    Between,
    Ended,
}

impl ArrayReader {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Self { input, line: 1, state: ArrayState::BeforeArray }
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

    /// The next byte that is not whitespace, without consuming it.
    fn next_non_space(&mut self) -> Result<Option<u8>, String> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.take()?;
        }
        Ok(None)
    }

    /// Reads an element up to the comma or bracket after it.
    fn element(&mut self) -> Result<Vec<u8>, String> {
        let line = self.line;
        let (mut text, mut depth, mut in_text, mut escaped) = (Vec::new(), 0_u32, false, false);
        while let Some(byte) = self.peek()? {
            // Not consumed: the caller decides by it whether another element follows.
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
                // A closing bracket too many is left to the parser of the element, which has the better message.
                b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Err(format!("the item that starts in line {line} does not end"))
    }
}

impl RecordReader for ArrayReader {
    fn next(&mut self) -> Result<Option<ImportRecord>, String> {
        if self.state == ArrayState::Ended {
            return Ok(None);
        }
        if self.state == ArrayState::BeforeArray {
            match self.next_non_space()? {
                Some(b'[') => self.take()?,
                _ => {
                    return Err(
                        "the file is not a JSON array; use --format jsonl if it has one item per line"
                            .to_owned(),
                    );
                }
            };
            self.state = ArrayState::First;
        }
        match (self.next_non_space()?, &self.state) {
            (Some(b']'), _) => {
                self.take()?;
                self.state = ArrayState::Ended;
                match self.next_non_space()? {
                    None => return Ok(None),
                    Some(_) => {
                        return Err(format!("there is more after the array in line {}", self.line));
                    }
                }
            }
            // A comma is allowed between elements only, neither before the first nor after the last.
            (Some(b','), ArrayState::Between) => {
                self.take()?;
                self.next_non_space()?;
            }
            (Some(_), ArrayState::First) => {}
            _ => {
                return Err(format!("expected ',' or ']' in line {}", self.line));
            }
        }
        self.state = ArrayState::Between;
        let line = self.line;
        let text = self.element()?;
        Ok(Some(ImportRecord { line, content: item(&text) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All records as text; the last one is the error, if any.
    fn check(text: &'static str, expected: &[&str]) {
        let mut elements = ArrayReader::new(Box::new(text.as_bytes()));
        let mut output = Vec::new();
        loop {
            match elements.next() {
                Ok(None) => break,
                Err(why) => {
                    output.push(why);
                    break;
                }
                Ok(Some(record)) => {
                    let content = record.content.map_or_else(|why| why, |item| item.to_string());
                    output.push(format!("{} {content}", record.line));
                }
            }
        }
        assert_eq!(output.len(), expected.len(), "{output:?}");
        for (output, expected) in output.iter().zip(expected) {
            assert!(output.starts_with(expected), "{output}");
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
        check("[{},7,{]", &["1 {}", "1 is not an item but", "the item that starts in line 1"]);
        check("[{},{\"a\":tru},{}]", &["1 {}", "1 is not JSON", "1 {}"]);
    }

    #[test]
    fn what_is_no_array_is_refused() {
        check("{\"id\":\"1\"}", &["the file is not a JSON array"]);
        check("", &["the file is not a JSON array"]);
        check("[{}", &["the item that starts in line 1 does not end"]);
        check("[{}\n{}]", &["1 is not JSON"]);
        check("[{}] x", &["1 {}", "there is more after the array"]);
        check("[{},]", &["1 {}", "1 is not JSON"]);
    }
}
