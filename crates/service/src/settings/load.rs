//! From what was given to typed settings: names resolved, the later source wins, everything checked.
//!
//! Owns the order of these steps and the table that `settings show` prints. Does not own any rule about a value: the
//! type has them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::check::{Check, Settings};
use super::fit::{Fit, fit, nested};
use super::mistake::{Mistake, Mistakes};
use super::name;
use super::secret::Secret;
use super::sources::{Given, Raw, Source, Sources};

/// Settings with where each value came from.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The settings.
    pub value: T,
    warnings: Vec<String>,
    rows: Vec<(String, String, Source)>,
}

impl<T> Loaded<T> {
    /// What was given but means nothing, with the nearest name that would.
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
        let width = |texts: &dyn Fn(&(String, String, Source)) -> usize| {
            self.rows.iter().map(texts).max().unwrap_or_default()
        };
        let (names, values) = (width(&|row| row.0.len()), width(&|row| row.1.chars().count()));
        let line = |(name, value, source): &(String, String, Source)| {
            format!("{name:names$}  {value:values$}  {source}\n")
        };
        self.rows.iter().map(line).collect()
    }
}

impl Sources {
    /// The settings.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn load<T: Settings>(self) -> Result<Loaded<T>, Mistakes> {
        let known = serde_json::to_value(T::default()).unwrap_or_default();
        let mut loading = Loading { known, mistakes: self.mistakes, ..Loading::default() };
        for given in self.given {
            loading.place(given);
        }
        let taken = loading.fit_all::<T>();
        let leaves = taken.iter().map(|(path, value)| (path.as_slice(), value.clone()));
        match serde_json::from_value::<T>(nested(&loading.known, leaves)) {
            Ok(value) => loading.finish(value),
            Err(error) => {
                loading.mistakes.push(Mistake {
                    name: "the settings together".to_owned(),
                    value: "not possible".to_owned(),
                    source: Source::Default,
                    allowed: error.to_string(),
                });
                Err(Mistakes::all(loading.mistakes))
            }
        }
    }
}

/// The state between the steps.
#[derive(Default)]
struct Loading {
    known: Value,
    winners: BTreeMap<Vec<String>, Given>,
    warnings: Vec<String>,
    mistakes: Vec<Mistake>,
}

impl Loading {
    /// Takes one more value, which wins over the same name before it.
    fn place(&mut self, given: Given) {
        if matches!(given.source, Source::Environment(_)) && !self.concerns_us(&given) {
            return;
        }
        let path = name::resolved(&self.known, &given.path);
        // A whole list replaces its elements, and an element a whole list.
        let is_around = |other: &[String]| other.starts_with(&path) || path.starts_with(other);
        self.winners.retain(|other, _| !is_around(other));
        self.winners.insert(path, given);
    }

    /// Whether a variable is meant for these settings: everybody's variables are in one environment.
    fn concerns_us(&mut self, given: &Given) -> bool {
        let (Some(table), Some(first)) = (self.known.as_object(), given.path.first()) else {
            return false;
        };
        if let Some((_, value)) = name::child(table, first) {
            return given.path.len() > 1 || !value.is_object();
        }
        if given.path.len() > 1
            && let Some(near) = name::nearest(first, table.keys().map(String::as_str))
        {
            let warning = format!("{} means nothing here; is '{near}' meant?", given.source);
            self.warnings.push(warning);
        }
        false
    }

    /// The values that their names take; the others become mistakes or warnings.
    fn fit_all<T: Settings>(&mut self) -> Vec<(Vec<String>, Value)> {
        let mut taken = Vec::new();
        for (path, given) in &self.winners {
            match fit::<T>(&self.known, path, &given.raw) {
                Fit::Taken(value) => taken.push((path.clone(), value)),
                Fit::UnknownName => {
                    let name = path.join(":");
                    let names = name::leaves(&self.known);
                    let near = name::nearest(&name, names.iter().map(|(name, _)| name.as_str()));
                    let hint = near.map_or(String::new(), |near| format!("; is '{near}' meant?"));
                    let source = &given.source;
                    self.warnings.push(format!("the setting {name} ({source}) is not known{hint}"));
                }
                Fit::Refused(allowed) => {
                    let is_secret = name::at(&self.known, path).is_some_and(Secret::is_mask);
                    let value = if is_secret { "a secret".to_owned() } else { given.raw.printed() };
                    let source = given.source.clone();
                    self.mistakes.push(Mistake { name: path.join(":"), value, source, allowed });
                }
            }
        }
        taken
    }

    fn finish<T: Settings>(mut self, value: T) -> Result<Loaded<T>, Mistakes> {
        let written = serde_json::to_value(&value).unwrap_or_default();
        let mut check = Check::default();
        value.check(&mut check);
        for (name, allowed) in check.into_refused() {
            // Its default stands where the type refused the value; that is not a second mistake.
            if self.mistakes.iter().any(|mistake| mistake.name == name) {
                continue;
            }
            let path: Vec<String> = name.split(':').map(str::to_owned).collect();
            let value = name::at(&written, &path).map_or("not known".to_owned(), Value::to_string);
            let source = self.source(&name);
            self.mistakes.push(Mistake { name, value, source, allowed });
        }
        Mistakes::unless_empty(std::mem::take(&mut self.mistakes))?;
        let leaf = |(name, value): (String, &Value)| {
            let source = self.source(&name);
            (name, value.to_string(), source)
        };
        let rows = name::leaves(&written).into_iter().map(leaf).collect();
        Ok(Loaded { value, rows, warnings: self.warnings })
    }

    /// Where the value of a name came from: its own, the first of its elements, or the list it is in.
    fn source(&self, name: &str) -> Source {
        let path: Vec<String> = name.split(':').map(str::to_owned).collect();
        let found = self
            .winners
            .iter()
            .find(|(winner, _)| winner.starts_with(&path) || path.starts_with(winner));
        found.map_or(Source::Default, |(_, given)| given.source.clone())
    }
}

impl Raw {
    fn printed(&self) -> String {
        match self {
            Self::Text(text) => Value::from(text.as_str()).to_string(),
            Self::Typed(value) => value.to_string(),
        }
    }
}
