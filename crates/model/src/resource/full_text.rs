//! Full-text policies: which properties contain searchable text, and in which language.
//!
//! Owns the policy and its wire form, with the messages that the SDK test suites compare. Does not own full-text
//! indexes (see `indexing_policy`) nor tokens and scores.

use super::members::Members;
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// The locale number by which the service also knows en-US. The policy keeps it as it was sent.
const LOCALE_NUMBER_OF_EN_US: &str = "1033";
/// The languages of the service; names are case-sensitive.
const LANGUAGES: [&str; 7] = ["en-US", "de-DE", "es-ES", "fr-FR", "it-IT", "pt-BR", "pt-PT"];

/// The `fullTextPolicy` of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FullTextPolicy {
    default_language: Option<String>,
    paths: Vec<FullTextPath>,
}

/// One property that contains searchable text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullTextPath {
    /// Path of the text.
    pub path: PropertyPath,
    /// Its language, when it differs from the default of the policy.
    pub language: Option<String>,
}

impl FullTextPolicy {
    /// The language of paths that set none.
    #[must_use]
    pub fn default_language(&self) -> Option<&str> {
        self.default_language.as_deref()
    }

    /// The paths, in the order in which they were given.
    #[must_use]
    pub fn paths(&self) -> &[FullTextPath] {
        &self.paths
    }

    /// The language of a path; `None` when the policy does not contain the path.
    #[must_use]
    pub fn language_of(&self, path: &PropertyPath) -> Option<&str> {
        let found = self.paths.iter().find(|known| known.path == *path)?;
        // The default of the service when neither the path nor the policy names a language.
        let language = found.language.as_deref().or(self.default_language()).unwrap_or("en-US");
        Some(if language == LOCALE_NUMBER_OF_EN_US { "en-US" } else { language })
    }

    /// Parses the wire form.
    ///
    /// # Errors
    /// When a path is malformed, or a language is unknown.
    pub fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("full text policy", json)?;
        let default_language = language(members.text("defaultLanguage")?)?;
        let mut paths: Vec<FullTextPath> = Vec::new();
        for element in members.array("fullTextPaths")? {
            let path = FullTextPath::from_json(element)?;
            if paths.iter().any(|known| known.path == path.path) {
                return Err(ValidationError::new(format!(
                    "The Full Text Policy contains the Path {} twice; give each path once.",
                    path.path
                )));
            }
            paths.push(path);
        }
        Ok(Self { default_language, paths })
    }

    /// The wire form: only what was given.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut object = Object::new();
        if let Some(language) = self.default_language() {
            object.insert("defaultLanguage", language);
        }
        if !self.paths.is_empty() {
            let paths: Vec<Json> = self.paths.iter().map(FullTextPath::to_json).collect();
            object.insert("fullTextPaths", paths);
        }
        Json::Object(object)
    }
}

impl FullTextPath {
    fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("full text path", json)?;
        let path = members.required_text("path")?;
        let path = PropertyPath::parse(path).map_err(|_| {
            ValidationError::new(format!(
                "The Full Text Policy contains an invalid Path: {path}. Write it like '/text'."
            ))
        })?;
        Ok(Self { path, language: language(members.text("language")?)? })
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        if let Some(language) = &self.language {
            object.insert("language", language.as_str());
        }
        Json::Object(object)
    }
}

fn language(text: Option<&str>) -> Result<Option<String>> {
    match text {
        Some(text) if !LANGUAGES.contains(&text) && text != LOCALE_NUMBER_OF_EN_US => {
            Err(ValidationError::new(format!(
                "The Full Text Policy contains an unsupported language {text}. Supported languages \
             are: {}.",
                LANGUAGES.join(", ")
            )))
        }
        known => Ok(known.map(ToOwned::to_owned)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<FullTextPolicy> {
        FullTextPolicy::from_json(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn only_what_was_given_is_echoed() {
        for text in [
            r#"{"defaultLanguage":"en-US"}"#,
            r#"{"defaultLanguage":"en-US","fullTextPaths":[{"path":"/abstract"}]}"#,
            r#"{"defaultLanguage":"en-US","fullTextPaths":[{"path":"/a","language":"fr-FR"}]}"#,
        ] {
            assert_eq!(read(text).unwrap().to_json().to_string(), text);
        }
    }

    #[test]
    fn a_path_without_language_takes_the_default() {
        let policy = read(
            r#"{"defaultLanguage":"de-DE","fullTextPaths":[{"path":"/a"},{"path":"/b","language":"fr-FR"}]}"#,
        )
        .unwrap();
        let language = |path| policy.language_of(&PropertyPath::parse(path).unwrap());
        assert_eq!(language("/a"), Some("de-DE"));
        assert_eq!(language("/b"), Some("fr-FR"));
        assert_eq!(language("/c"), None);
        let by_number = r#"{"defaultLanguage":"1033","fullTextPaths":[{"path":"/a"}]}"#;
        let policy =
            FullTextPolicy::from_json(&Json::parse(by_number.as_bytes()).unwrap()).unwrap();
        assert_eq!(policy.language_of(&PropertyPath::parse("/a").unwrap()), Some("en-US"));
        assert_eq!(policy.default_language(), Some("1033"), "kept as it was sent");
    }

    #[test]
    fn refusals_use_the_sentences_of_the_service() {
        let message = |text| read(text).unwrap_err().message().to_owned();
        assert!(
            message(r#"{"fullTextPaths":[{"path":"abstract"}]}"#)
                .starts_with("The Full Text Policy contains an invalid Path: abstract")
        );
        for text in [
            r#"{"defaultLanguage":"spa-SPA"}"#,
            r#"{"fullTextPaths":[{"path":"/a","language":"spa-SPA"}]}"#,
        ] {
            assert!(message(text).starts_with(
                "The Full Text Policy contains an unsupported language spa-SPA. Supported \
                 languages are:"
            ));
        }
    }
}
