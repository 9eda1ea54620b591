//! Templates: one file per language, one entry per event type.
//!
//! Owns reading the files, choosing a language and rendering. Values from outside are sanitized before they are
//! rendered. Does not own the texts themselves (`templates/`).

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::{Environment, Value};
use serde::Deserialize;

use crate::domain::{EventPayload, EventType};
use crate::error::{Error, Result};

use super::plural::PluralForms;
use super::sanitize::{SNIPPET_CHARS_MAX, sanitize};

/// The longest name or extra value, in characters.
const NAME_CHARS_MAX: usize = 60;
/// The longest title, in characters, whatever a template makes of its values.
const LINE_CHARS_MAX: usize = 200;

/// The languages compiled into the program.
const BUNDLED: [(&str, &str); 3] = [
    ("en", include_str!("../../templates/en.json")),
    ("de", include_str!("../../templates/de.json")),
    ("pl", include_str!("../../templates/pl.json")),
];

/// All languages, ready to render.
#[derive(Clone)]
pub(crate) struct Templates {
    languages: Arc<BTreeMap<String, Language>>,
    default: String,
}

struct Language {
    file: TemplateFile,
    plural_forms: PluralForms,
    environment: Environment<'static>,
}

/// The template file of one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateFile {
    /// The actor of an event that names none.
    someone: String,
    /// "X and N others", by the plural form of N.
    others: BTreeMap<String, String>,
    /// Title and body by event type.
    events: BTreeMap<EventType, EventTemplate>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventTemplate {
    title: String,
    body: String,
}

/// The values that a notification is rendered from.
pub(crate) struct TemplateInput<'a> {
    pub(crate) locale: Option<&'a str>,
    pub(crate) event_type: EventType,
    pub(crate) payload: &'a EventPayload,
    /// Name of the first actor; `None` for events without one.
    pub(crate) actor_name: Option<&'a str>,
    /// How many other actors there are.
    pub(crate) others: u64,
}

/// The rendered texts of a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedText {
    pub(crate) title: String,
    pub(crate) body: String,
}

impl Templates {
    /// Loads the built-in languages, and those of a folder, which replace built-in ones.
    ///
    /// # Errors
    /// `Invalid`, naming the file and what is wrong with it.
    pub(crate) fn load(folder: Option<&str>, default: &str) -> Result<Self> {
        let mut languages = BTreeMap::new();
        for (name, text) in BUNDLED {
            languages.insert(name.to_owned(), Language::parse(name, text)?);
        }
        if let Some(folder) = folder {
            for (name, text) in read_template_files(folder)? {
                let language = Language::parse(&name, &text)?;
                languages.insert(name, language);
            }
        }
        if !languages.contains_key(default) {
            let known: Vec<_> = languages.keys().map(String::as_str).collect();
            return Err(Error::invalid(format!(
                "there are no templates for the default locale '{default}', only for {}",
                known.join(", ")
            )));
        }
        Ok(Self { languages: Arc::new(languages), default: default.to_owned() })
    }

    /// Whether there are texts in this locale, or in its language.
    pub(crate) fn has_locale(&self, locale: &str) -> bool {
        self.find(locale).is_some()
    }

    /// Renders the texts of a notification, in the default language if the locale has none.
    pub(crate) fn render(&self, input: &TemplateInput<'_>) -> Result<RenderedText> {
        let chosen = input.locale.and_then(|locale| self.find(locale));
        let language = chosen.or_else(|| self.find(&self.default)).ok_or_else(|| {
            Error::internal("the default language is missing; loading checked it")
        })?;
        language.render(input)
    }

    /// The language of a locale: `de-AT` uses `de` unless it has a file of its own.
    fn find(&self, locale: &str) -> Option<&Language> {
        let language = locale.split(['-', '_']).next().unwrap_or(locale);
        self.languages.get(locale).or_else(|| self.languages.get(language))
    }
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.languages.keys()).finish()
    }
}

impl Language {
    fn parse(name: &str, text: &str) -> Result<Self> {
        let invalid = |reason: &str| {
            Error::invalid(format!("the templates of '{name}' cannot be used: {reason}"))
        };
        let file: TemplateFile =
            serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        let missing: Vec<_> = EventType::ALL
            .into_iter()
            .filter(|event_type| !file.events.contains_key(event_type))
            .map(EventType::name)
            .collect();
        if !missing.is_empty() {
            return Err(invalid(&format!("{} is missing", missing.join(", "))));
        }
        if !file.others.contains_key("other") {
            return Err(invalid("`others` has no form `other`, which every number can take"));
        }
        let mut environment = Environment::new();
        // A template may name an extra property that an event does not have; it is then empty, and the notification
        // still goes out.
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Lenient);
        let language = Self { file, plural_forms: PluralForms::new(name), environment };
        // Every template is rendered once, so that an error in a file is found at the start and not when an event
        // comes.
        for event_type in EventType::ALL {
            language.check(event_type).map_err(|error| invalid(&error.to_string()))?;
        }
        Ok(language)
    }

    fn check(&self, event_type: EventType) -> Result<()> {
        let payload = EventPayload {
            actor_id: None,
            actor_name: None,
            target_id: "x".to_owned(),
            target_type: crate::domain::TargetType::Post,
            snippet: None,
            extra: serde_json::Map::new(),
        };
        // These numbers take every form that a language can have: one, two, few, many and other.
        for others in [0, 1, 2, 3, 5, 11, 100] {
            let input = TemplateInput {
                locale: None,
                event_type,
                payload: &payload,
                actor_name: None,
                others,
            };
            let rendered = self.render(&input)?;
            if rendered.title.is_empty() {
                return Err(Error::invalid(format!("{} has an empty title", event_type.name())));
            }
        }
        Ok(())
    }

    fn render(&self, input: &TemplateInput<'_>) -> Result<RenderedText> {
        let texts = self.file.events.get(&input.event_type);
        let texts =
            texts.ok_or_else(|| Error::internal("every type has texts; parsing checked it"))?;
        let safe = |text: &str| sanitize(text, NAME_CHARS_MAX);
        let actor = input.actor_name.map(safe).filter(|name| !name.is_empty());
        let actor = actor.unwrap_or_else(|| self.file.someone.clone());
        let who = self.actor_phrase(&actor, input.others)?;
        let snippet = input.payload.snippet.as_deref().unwrap_or_default();
        let values = Value::from_iter([
            ("actor", Value::from(actor)),
            ("who", Value::from(who)),
            ("others", Value::from(input.others)),
            ("snippet", Value::from(sanitize(snippet, SNIPPET_CHARS_MAX))),
            ("target_type", Value::from_serialize(input.payload.target_type)),
            ("more", Value::from_iter(extra_values(input.payload))),
        ]);
        let line = |template: &str| {
            let text = self.environment.render_str(template, &values);
            let text =
                text.map_err(|error| Error::internal(format!("a template failed: {error}")))?;
            // Again after rendering: a template could put harmless values together to something like a tag.
            Ok::<_, Error>(sanitize(&text, LINE_CHARS_MAX))
        };
        Ok(RenderedText {
            title: line(&texts.title)?,
            body: sanitize(&line(&texts.body)?, SNIPPET_CHARS_MAX),
        })
    }

    /// "alice", or "alice and 2 others".
    fn actor_phrase(&self, actor: &str, others: u64) -> Result<String> {
        if others == 0 {
            return Ok(actor.to_owned());
        }
        let forms = &self.file.others;
        let form = forms.get(self.plural_forms.form_of(others)).or_else(|| forms.get("other"));
        let form =
            form.ok_or_else(|| Error::internal("the form `other` is missing; parsing checked it"))?;
        let values =
            Value::from_iter([("actor", Value::from(actor)), ("others", Value::from(others))]);
        let text = self.environment.render_str(form, values);
        text.map_err(|error| Error::internal(format!("a plural form failed: {error}")))
    }
}

/// The extra properties of an event that a template can show: texts and numbers.
fn extra_values(payload: &EventPayload) -> Vec<(String, Value)> {
    let shown = payload.extra.iter().filter_map(|(name, value)| {
        let text = match value {
            serde_json::Value::String(text) => sanitize(text, NAME_CHARS_MAX),
            serde_json::Value::Number(number) => number.to_string(),
            _ => return None,
        };
        Some((name.clone(), Value::from(text)))
    });
    shown.collect()
}

/// The template files of a folder: `<locale>.json`, with their locales.
fn read_template_files(folder: &str) -> Result<Vec<(String, String)>> {
    let wrong = |error: std::io::Error| {
        Error::invalid(format!("the template folder '{folder}' cannot be read: {error}"))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let is_language = path.extension().is_some_and(|extension| extension == "json");
        if let (true, Some(name)) = (is_language, path.file_stem().and_then(|name| name.to_str())) {
            files.push((name.to_owned(), std::fs::read_to_string(&path).map_err(wrong)?));
        }
    }
    // The order of a folder is arbitrary; with a fixed one, the first error is the same on every machine.
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(locale: &str, others: u64, expected: &str) {
        let templates = Templates::load(None, "en").unwrap();
        let payload = EventPayload {
            actor_id: None,
            actor_name: Some("alice".to_owned()),
            target_id: "p1".to_owned(),
            target_type: crate::domain::TargetType::Post,
            snippet: Some("a <b>nice</b> day".to_owned()),
            extra: serde_json::Map::new(),
        };
        let input = TemplateInput {
            locale: Some(locale),
            event_type: EventType::PostLike,
            payload: &payload,
            actor_name: payload.actor_name.as_deref(),
            others,
        };
        let rendered = templates.render(&input).unwrap();
        assert_eq!(format!("{} | {}", rendered.title, rendered.body), expected);
    }

    #[test]
    fn languages_and_plural_forms() {
        check("en", 0, "alice liked your post | a nice day");
        check("en", 1, "alice and 1 other liked your post | a nice day");
        check("en-GB", 2, "alice and 2 others liked your post | a nice day");
        check("de", 1, "alice und 1 weiterer Person gefällt dein Beitrag | a nice day");
        check("de-AT", 2, "alice und 2 weiteren Personen gefällt dein Beitrag | a nice day");
        check("pl", 3, "alice i 3 inne osoby: polubienie Twojego wpisu | a nice day");
        check("xx", 0, "alice liked your post | a nice day");
    }

    #[test]
    fn a_file_that_lacks_something_is_refused_by_name() {
        let wrong = |text: &str| Language::parse("xx", text).err().unwrap().to_string();
        assert!(wrong("{").contains("'xx'"));
        let empty = r#"{"someone":"S","others":{"other":"o"},"events":{}}"#;
        assert!(wrong(empty).contains("POST_LIKE"), "{}", wrong(empty));
        assert!(Templates::load(None, "xx").unwrap_err().to_string().contains("'xx'"));
    }
}
