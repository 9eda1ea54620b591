//! Reads JSON lines: one item per line, optionally after a line that describes the container.

use std::io::BufRead;

use model::Json;

use super::records::{ImportRecord, RecordReader, item};

/// The property that marks the first line of an export.
const FORMAT_MEMBER: &str = "planisphereExport";
const FORMAT_VERSION: i64 = 1;

pub(super) struct LineReader {
    input: Box<dyn BufRead + Send>,
    line: u64,
    /// The first line, if it was read to look for a description and is an item.
    first: Option<Vec<u8>>,
}

impl LineReader {
    /// Opens the lines; returns also the container properties, if the first line contains them.
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Result<(Self, Option<Json>), String> {
        let mut lines = Self { input, line: 0, first: None };
        let Some(first) = lines.read()? else { return Ok((lines, None)) };
        let header = Json::parse(&first).ok().filter(|line| line.get(FORMAT_MEMBER).is_some());
        match header {
            Some(header) => {
                let version = header.get(FORMAT_MEMBER).and_then(Json::as_i64);
                if version != Some(FORMAT_VERSION) {
                    return Err(format!(
                        "the file has export format {version:?}, but this version reads {FORMAT_VERSION}; \
                         use a newer version"
                    ));
                }
                Ok((lines, header.get("container").cloned()))
            }
            None => {
                lines.line -= 1;
                lines.first = Some(first);
                Ok((lines, None))
            }
        }
    }

    fn read(&mut self) -> Result<Option<Vec<u8>>, String> {
        if let Some(first) = self.first.take() {
            self.line += 1;
            return Ok(Some(first));
        }
        let mut line = Vec::new();
        let read = self.input.read_until(b'\n', &mut line);
        if read.map_err(|error| error.to_string())? == 0 {
            return Ok(None);
        }
        self.line += 1;
        Ok(Some(line))
    }
}

impl RecordReader for LineReader {
    fn next(&mut self) -> Result<Option<ImportRecord>, String> {
        loop {
            let Some(text) = self.read()? else { return Ok(None) };
            if !text.iter().all(u8::is_ascii_whitespace) {
                return Ok(Some(ImportRecord { line: self.line, content: item(&text) }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &'static str, expected: &[(u64, &str)], has_header: bool) {
        let (mut lines, header) = LineReader::new(Box::new(text.as_bytes())).unwrap();
        assert_eq!(header.is_some(), has_header, "{text}");
        for (line, content) in expected {
            let record = lines.next().unwrap().unwrap();
            let output = record.content.map_or_else(|why| why, |item| item.to_string());
            assert_eq!(record.line, *line, "{text}");
            assert!(output.starts_with(content), "{output}");
        }
        assert_eq!(lines.next(), Ok(None), "{text}");
    }

    #[test]
    fn lines_are_counted_from_one_and_empty_ones_are_stepped_over() {
        check(
            "{\"id\":\"1\"}\n\n{\"id\":\"2\"}",
            &[(1, r#"{"id":"1"}"#), (3, r#"{"id":"2"}"#)],
            false,
        );
        check("", &[], false);
        check("[1]\nx\n", &[(1, "is not an item but"), (2, "is not JSON")], false);
    }

    #[test]
    fn a_first_line_may_describe_the_container() {
        check(
            "{\"planisphereExport\":1,\"container\":{}}\n{\"id\":\"1\"}\n",
            &[(2, r#"{"id":"1"}"#)],
            true,
        );
        let newer = LineReader::new(Box::new(&b"{\"planisphereExport\":2}\n"[..])).map(|_| ());
        assert!(newer.unwrap_err().contains("use a newer version"));
    }
}
