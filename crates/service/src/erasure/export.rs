//! Exporting a subject: lines of JSON, page by page, with secrets redacted.

use std::sync::Arc;

use client::{Item, Json, Result};
use model::{Object, is_system_property};
use serde::de::IgnoredAny;

use super::subject_container::SubjectContainer;

/// An export in progress. Every line is `{"container": ..., "item": {...}}`.
#[derive(Debug)]
pub struct SubjectExport {
    registered: Vec<Arc<SubjectContainer>>,
    subject: String,
    /// The index of the container that is being read.
    index: usize,
    continuation: Option<String>,
}

impl SubjectExport {
    pub(super) fn new(registered: Vec<Arc<SubjectContainer>>, subject: &str) -> Self {
        Self { registered, subject: subject.to_owned(), index: 0, continuation: None }
    }

    /// The lines of the next page, at least one; `None` at the end. After an error, the next call repeats the page.
    ///
    /// # Errors
    /// Those of [`client::Container::query_page`].
    pub async fn next(&mut self) -> Result<Option<String>> {
        while let Some(registration) = self.registered.get(self.index) {
            let page = registration.page(&self.subject, self.continuation.clone()).await?;
            let mut lines = String::new();
            for item in &page.rows {
                lines.push_str(&line(registration, item)?);
                lines.push('\n');
            }
            // Position and container change only after the page was read and printed, so an error repeats it.
            if page.continuation.is_none() {
                self.index += 1;
            }
            self.continuation = page.continuation;
            if !lines.is_empty() {
                return Ok(Some(lines));
            }
        }
        Ok(None)
    }
}

fn line(registration: &SubjectContainer, item: &Item<IgnoredAny>) -> Result<String> {
    let stored = item.stored()?;
    let mut item = Object::new();
    let properties = stored.as_object().into_iter().flat_map(Object::iter);
    for (name, value) in properties.filter(|(name, _)| !is_system_property(name)) {
        item.insert(name, value.clone());
    }
    // After the system properties are gone and before anything is printed.
    registration.redact(&mut item);
    let mut line = Object::new();
    line.insert("container", registration.name());
    line.insert("item", item);
    Ok(Json::from(line).to_string())
}

/// Redacts a text except for its last characters. A text that is less than twice as long is redacted completely,
/// because the rest would reveal most of it.
pub fn keep_last_characters(item: &mut Object, property: &str, kept: usize) {
    if let Some(value) = item.get_mut(property)
        && let Some(text) = value.as_str()
    {
        let length = text.chars().count();
        let hidden = if length >= kept * 2 { length - kept } else { length };
        let last: String = text.chars().skip(hidden).collect();
        *value = Json::from(format!("…{last}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: impl Into<Json>, expected: &str) {
        let mut item = Object::new();
        item.insert("token", value);
        keep_last_characters(&mut item, "token", 4);
        keep_last_characters(&mut item, "absent", 4);
        assert_eq!(Json::from(item).to_string(), expected);
    }

    #[test]
    fn the_last_characters_of_a_long_text_are_kept() {
        check("0123456789", r#"{"token":"…6789"}"#);
        check("01234567", r#"{"token":"…4567"}"#);
        check("0123456", r#"{"token":"…"}"#);
        check("", r#"{"token":"…"}"#);
        check("äöüßäöüß", r#"{"token":"…äöüß"}"#);
        check(7, r#"{"token":7}"#);
    }
}
