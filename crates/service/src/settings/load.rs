//! Loading: names are resolved, the later source wins, everything is validated.
//!
//! Owns the order of these steps and the table that `settings show` prints. Does not own any rule about a value: those
//! belong to the type.

use std::collections::BTreeMap;

use serde_json::Value;

use super::builder::{SettingEntry, SettingSource, SettingValue, SettingsBuilder};
use super::error::{SettingError, SettingErrors};
use super::fit::{FitResult, fit, nested};
use super::name;
use super::secret::Secret;
use super::validator::{SettingsSection, SettingsValidator};

/// Settings with the source of each value.
#[derive(Debug)]
pub struct LoadedSettings<T> {
    /// The settings.
    pub value: T,
    warnings: Vec<String>,
    rows: Vec<(String, String, SettingSource)>,
}

impl<T> LoadedSettings<T> {
    /// Names that are unknown, with the nearest known name.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Logs the warnings.
    pub fn log_warnings(&self) {
        for warning in &self.warnings {
            tracing::warn!("{warning}");
        }
    }

    /// One line per setting: name, value, source. Secrets are masked by their type.
    #[must_use]
    pub fn show(&self) -> String {
        let width = |texts: &dyn Fn(&(String, String, SettingSource)) -> usize| {
            self.rows.iter().map(texts).max().unwrap_or_default()
        };
        let (names, values) = (width(&|row| row.0.len()), width(&|row| row.1.chars().count()));
        let line = |(name, value, source): &(String, String, SettingSource)| {
            format!("{name:names$}  {value:values$}  {source}\n")
        };
        self.rows.iter().map(line).collect()
    }
}

impl SettingsBuilder {
    /// Loads the settings.
    ///
    /// # Errors
    /// All errors at once.
    pub fn load<T: SettingsSection>(self) -> Result<LoadedSettings<T>, SettingErrors> {
        // The default, written out, is the list of all names; see the module.
        let known = serde_json::to_value(T::default()).unwrap_or_default();
        let mut resolver =
            SettingsResolver { known, errors: self.errors, ..SettingsResolver::default() };
        for entry in self.entries {
            resolver.place(entry);
        }
        let accepted = resolver.fit_all::<T>();
        let leaves = accepted.iter().map(|(path, value)| (path.as_slice(), value.clone()));
        match serde_json::from_value::<T>(nested(&resolver.known, leaves)) {
            // Although values may have been rejected: validation of the rest adds its errors to the same report.
            Ok(value) => resolver.finish(value),
            Err(error) => {
                resolver.errors.push(SettingError {
                    name: "the settings together".to_owned(),
                    value: "not possible".to_owned(),
                    source: SettingSource::Default,
                    allowed: error.to_string(),
                });
                Err(SettingErrors::new(resolver.errors))
            }
        }
    }
}

/// The state of a load between its steps.
#[derive(Default)]
struct SettingsResolver {
    known: Value,
    winners: BTreeMap<Vec<String>, SettingEntry>,
    warnings: Vec<String>,
    errors: Vec<SettingError>,
}

impl SettingsResolver {
    /// Adds an entry, which replaces an earlier one of the same name.
    fn place(&mut self, entry: SettingEntry) {
        if matches!(entry.source, SettingSource::Environment(_)) && !self.claims_variable(&entry) {
            return;
        }
        let path = name::resolve(&self.known, &entry.path);
        // A list replaces entries for its elements, and an entry for one element replaces a list.
        let overlaps = |other: &[String]| other.starts_with(&path) || path.starts_with(other);
        self.winners.retain(|other, _| !overlaps(other));
        self.winners.insert(path, entry);
    }

    /// Whether an environment variable belongs to these settings. The environment also holds the variables of everybody
    /// else, so unknown ones are ignored, and warned of only if a section name is nearly right.
    fn claims_variable(&mut self, entry: &SettingEntry) -> bool {
        let (Some(table), Some(first)) = (self.known.as_object(), entry.path.first()) else {
            return false;
        };
        if let Some((_, value)) = name::find_child(table, first) {
            // A variable that is called like a whole section, such as `LOGGING`, belongs to somebody else.
            return entry.path.len() > 1 || !value.is_object();
        }
        if entry.path.len() > 1
            && let Some(near) = name::nearest(first, table.keys().map(String::as_str))
        {
            let warning = format!("{} means nothing here; is '{near}' meant?", entry.source);
            self.warnings.push(warning);
        }
        false
    }

    /// The values that the type accepts; the others become errors or warnings.
    fn fit_all<T: SettingsSection>(&mut self) -> Vec<(Vec<String>, Value)> {
        let mut accepted = Vec::new();
        for (path, entry) in &self.winners {
            match fit::<T>(&self.known, path, &entry.value) {
                FitResult::Accepted(value) => accepted.push((path.clone(), value)),
                FitResult::UnknownName => {
                    let name = path.join(":");
                    let names = name::leaves(&self.known);
                    let near = name::nearest(&name, names.iter().map(|(name, _)| name.as_str()));
                    let hint = near.map_or(String::new(), |near| format!("; is '{near}' meant?"));
                    let source = &entry.source;
                    self.warnings.push(format!("the setting {name} ({source}) is not known{hint}"));
                }
                FitResult::Rejected(allowed) => {
                    // The rejected value has no type that could mask it. The default value of the
                    // same setting has one.
                    let is_secret = name::value_at(&self.known, path).is_some_and(Secret::is_mask);
                    let value =
                        if is_secret { "a secret".to_owned() } else { entry.value.printed() };
                    let source = entry.source.clone();
                    self.errors.push(SettingError { name: path.join(":"), value, source, allowed });
                }
            }
        }
        accepted
    }

    fn finish<T: SettingsSection>(mut self, value: T) -> Result<LoadedSettings<T>, SettingErrors> {
        let written = serde_json::to_value(&value).unwrap_or_default();
        let mut validator = SettingsValidator::default();
        value.validate(&mut validator);
        for (name, allowed) in validator.into_violations() {
            // Where the type rejected the value, its default was validated instead; that is not a second error.
            if self.errors.iter().any(|error| error.name == name) {
                continue;
            }
            let path: Vec<String> = name.split(':').map(str::to_owned).collect();
            let value =
                name::value_at(&written, &path).map_or("not known".to_owned(), Value::to_string);
            let source = self.source(&name);
            self.errors.push(SettingError { name, value, source, allowed });
        }
        SettingErrors::unless_empty(std::mem::take(&mut self.errors))?;
        let leaf = |(name, value): (String, &Value)| {
            let source = self.source(&name);
            (name, value.to_string(), source)
        };
        let rows = name::leaves(&written).into_iter().map(leaf).collect();
        Ok(LoadedSettings { value, rows, warnings: self.warnings })
    }

    /// The source of a value: its own entry, that of its first element, or that of the list it is in.
    fn source(&self, name: &str) -> SettingSource {
        let path: Vec<String> = name.split(':').map(str::to_owned).collect();
        let found = self
            .winners
            .iter()
            .find(|(winner, _)| winner.starts_with(&path) || path.starts_with(winner));
        found.map_or(SettingSource::Default, |(_, entry)| entry.source.clone())
    }
}

impl SettingValue {
    fn printed(&self) -> String {
        match self {
            Self::Text(text) => Value::from(text.as_str()).to_string(),
            Self::Typed(value) => value.to_string(),
        }
    }
}
