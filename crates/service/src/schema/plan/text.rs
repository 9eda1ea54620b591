//! A plan as text.
//!
//! Owns the lines that people and logs see. Does not own where they are printed.

use std::fmt;

use super::build::{description, per_second};
use super::scripts::titled;
use super::step::{
    Effect, Obstacle, PropertyChange, SchemaPlan, SchemaStep, UndeclaredResource, Workaround,
};

impl SchemaPlan {
    /// Prints the plan. `place` are the flags that name the account to `planisphere copy`, such as `--from-data DIR`.
    #[must_use]
    pub fn text(&self, place: &str) -> String {
        let mut lines = Vec::new();
        for step in &self.steps {
            lines.push(step.to_string());
            match step {
                SchemaStep::ReplaceProperties { changes, .. } => {
                    changes.iter().for_each(|change| change.write_lines(&mut lines));
                }
                SchemaStep::PutScript { differences: Some(differences), .. } => {
                    lines.extend(differences.iter().map(|one| format!("    {one}")));
                }
                _ => {}
            }
        }
        for obstacle in &self.obstacles {
            obstacle.write_lines(place, &mut lines);
        }
        lines.extend(self.undeclared.iter().map(ToString::to_string));
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(self.summary());
        lines.join("\n")
    }

    /// The number of changes, in one sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.is_up_to_date() {
            return format!("Nothing to do: {} as declared.", self.unchanged);
        }
        let is_new = |step: &&SchemaStep| {
            matches!(
                step,
                SchemaStep::CreateDatabase { .. }
                    | SchemaStep::CreateContainer { .. }
                    | SchemaStep::PutScript { differences: None, .. }
            )
        };
        let created = self.steps.iter().filter(is_new).count();
        let changed = self.steps.len() - created;
        let (obstacles, same) = (self.obstacles.len(), self.unchanged);
        let refused = match obstacles {
            0 => String::new(),
            _ => format!("{obstacles} that cannot be changed, "),
        };
        format!("{created} to create, {changed} to change, {refused}{same} as declared.")
    }
}

impl fmt::Display for SchemaPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text(""))
    }
}

impl fmt::Display for SchemaStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateDatabase { database, throughput } => {
                write!(formatter, "+ database {database}")?;
                match throughput {
                    Some(throughput) => write!(formatter, ": {}", per_second(*throughput)),
                    None => Ok(()),
                }
            }
            Self::CreateContainer { database, container } => {
                let words = description(container).join(", ");
                write!(formatter, "+ container {database}/{}: {words}", container.id())
            }
            Self::ReplaceProperties { database, properties, .. } => {
                write!(formatter, "~ container {database}/{}", properties.id)
            }
            Self::ReplaceThroughput { database, container, from, to } => {
                match container {
                    Some(container) => write!(formatter, "~ container {database}/{container}")?,
                    None => write!(formatter, "~ database {database}")?,
                }
                write!(formatter, ": throughput {} -> {}", per_second(*from), per_second(*to))
            }
            Self::PutScript { database, container, script, differences } => {
                let sign = if differences.is_some() { '~' } else { '+' };
                write!(formatter, "{sign} {} of {database}/{container}", titled(script))
            }
        }
    }
}

impl fmt::Display for UndeclaredResource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left_alone = "is not in the schema and is left alone";
        match self {
            Self::Database(id) => write!(formatter, "  database {id} {left_alone}"),
            Self::Container(database, id) => {
                write!(formatter, "  container {database}/{id} {left_alone}")
            }
            Self::Script(database, container, script) => {
                write!(formatter, "  {script} of {database}/{container} {left_alone}")
            }
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expiry { expiring: 0, items } => {
                write!(formatter, "none of {items} items expires at once")
            }
            Self::Expiry { expiring, items } => {
                write!(formatter, "{expiring} of {items} items expire at once")
            }
            Self::Reindexing { items } => {
                write!(formatter, "{items} items are indexed again, in the background")
            }
        }
    }
}

impl PropertyChange {
    fn write_lines(&self, lines: &mut Vec<String>) {
        write_differences(self.property, &self.differences, lines);
        lines.extend(self.effect.map(|effect| format!("      {effect}")));
    }
}

impl Obstacle {
    fn write_lines(&self, place: &str, lines: &mut Vec<String>) {
        lines.push(format!("! {}", self.resource));
        write_differences(self.property, &self.differences, lines);
        lines.push(format!("      {}", self.reason));
        match &self.workaround {
            Workaround::Instructions(words) => lines.push(format!("      {words}")),
            Workaround::Copy { from, to, partition_key_paths } => {
                let place = if place.is_empty() { String::new() } else { format!("{place} ") };
                let keys =
                    partition_key_paths.iter().map(|path| format!(" --partition-key {path}"));
                let keys: String = keys.collect();
                lines.push(format!("      declare it as {to}, apply, and copy:"));
                lines.push(format!(
                    "      planisphere copy {place}--from {from} --to {to}{keys} --verify"
                ));
            }
        }
    }
}

/// Writes one difference on the line of its property, several below it.
fn write_differences(what: &str, how: &[String], lines: &mut Vec<String>) {
    match how {
        [one] if !one.starts_with(['+', '-']) => lines.push(format!("    {what}: {one}")),
        several => {
            lines.push(format!("    {what}:"));
            lines.extend(several.iter().map(|line| format!("      {line}")));
        }
    }
}
