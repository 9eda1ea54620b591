//! A settings file: flags of commands as TOML, one table for each command.
//!
//! ```toml
//! [serve]
//! data = "/srv/planisphere"
//! port = 8081
//! tls = true
//! allowed-host = ["db", "db.example"]
//! ```
//!
//! Owns turning the table of a command into words of the command line, before those of the user. A flag that the user
//! gives replaces the one of the file. Does not own what the flags mean: the parser checks them like typed ones.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Command};
use toml::{Table, Value};

use crate::error::CommandError;

const FLAG: &str = "--settings-file";
const VARIABLE: &str = "PLANISPHERE_SETTINGS";

/// Adds the flags of the settings file, if one is given, to the words of a command line.
pub(crate) fn add_flags(
    program: &Command,
    words: impl IntoIterator<Item = OsString>,
) -> Result<Vec<OsString>, CommandError> {
    let words: Vec<OsString> = words.into_iter().collect();
    let variable = std::env::var_os(VARIABLE).filter(|file| !file.is_empty());
    let Some(file) = given_file(&words).or_else(|| variable.map(PathBuf::from)) else {
        return Ok(words);
    };
    insert(program, words, &file, &read(&file)?)
}

fn given_file(words: &[OsString]) -> Option<PathBuf> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if word == FLAG {
            return words.next().map(PathBuf::from);
        }
        if let Some(file) = word.strip_prefix(FLAG).and_then(|rest| rest.strip_prefix('=')) {
            return Some(PathBuf::from(file));
        }
    }
    None
}

fn read(file: &Path) -> Result<Table, CommandError> {
    let action = || format!("reading the settings in {}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| {
        CommandError::new(action(), error.to_string()).hint("Give a TOML file with a table [serve]")
    })?;
    text.parse::<Table>().map_err(|error| {
        let message = error.message().trim_end_matches('.').to_owned();
        CommandError::new(action(), message).hint("Write it as TOML: port = 8081")
    })
}

/// Puts the flags of the command's table behind its name.
fn insert(
    program: &Command,
    mut words: Vec<OsString>,
    file: &Path,
    settings: &Table,
) -> Result<Vec<OsString>, CommandError> {
    let refused = |why: String, hint: &str| {
        let action = format!("reading the settings in {}", file.display());
        CommandError::new(action, why).hint(hint)
    };
    for name in settings.keys() {
        if program.find_subcommand(name).is_none() {
            return Err(refused(format!("there is no command '{name}'"), "See planisphere --help"));
        }
    }
    let named = words.iter().enumerate().skip(1).find_map(|(index, word)| {
        let command = word.to_str().and_then(|word| program.find_subcommand(word));
        command.map(|command| (index, command))
    });
    let Some((index, command)) = named else { return Ok(words) };
    let Some(Value::Table(table)) = settings.get(command.get_name()) else { return Ok(words) };
    let mut added = Vec::new();
    for (name, value) in table {
        let flag = format!("--{name}");
        let mut arguments = command.get_arguments();
        let Some(argument) = arguments.find(|each| each.get_long() == Some(name.as_str())) else {
            let why = format!("{} has no flag {flag}", command.get_name());
            return Err(refused(why, &format!("See planisphere help {}", command.get_name())));
        };
        let is_given = |word: &OsString| {
            let rest = word.to_str().and_then(|word| word.strip_prefix(flag.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        if words.iter().any(is_given) {
            continue;
        }
        let takes_value = !matches!(argument.get_action(), ArgAction::SetTrue | ArgAction::Count);
        let wrong = |expected: &str| {
            refused(format!("'{name}' is {value}"), &format!("Give it as {expected}"))
        };
        match (takes_value, value) {
            (false, Value::Boolean(true)) => added.push(flag),
            (false, Value::Boolean(false)) => {}
            (false, _) => return Err(wrong("true or false")),
            (true, Value::Array(values)) => {
                for value in values {
                    let text = plain(value).ok_or_else(|| wrong("a list of texts"))?;
                    added.push(format!("{flag}={text}"));
                }
            }
            (true, value) => {
                let text = plain(value).ok_or_else(|| wrong("a text or a number"))?;
                added.push(format!("{flag}={text}"));
            }
        }
    }
    words.splice(index + 1..=index, added.into_iter().map(OsString::from));
    Ok(words)
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn check(settings: &str, words: &[&str]) -> Result<String, String> {
        let serve = Command::new("serve")
            .arg(Arg::new("port").long("port"))
            .arg(Arg::new("tls").long("tls").action(ArgAction::SetTrue))
            .arg(Arg::new("host").long("allowed-host").action(ArgAction::Append));
        let program = Command::new("planisphere").subcommand(serve);
        let words = ["planisphere"].iter().chain(words).map(OsString::from).collect();
        let settings = settings.parse::<Table>().unwrap();
        let words = insert(&program, words, Path::new("s.toml"), &settings);
        let words = words.map_err(|error| error.to_string())?;
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).skip(1).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn the_flags_of_a_command_come_from_its_table() {
        let settings = "[serve]\nport = 1\ntls = true\nallowed-host = [\"a\", \"b\"]";
        let words = check(settings, &["serve", "--memory"]).unwrap();
        assert_eq!(words, "serve --allowed-host=a --allowed-host=b --port=1 --tls --memory");
        assert_eq!(check(settings, &["version"]).unwrap(), "version");
        assert_eq!(check("[serve]\ntls = false", &["serve"]).unwrap(), "serve");
    }

    #[test]
    fn a_typed_flag_replaces_that_of_the_file() {
        let settings = "[serve]\nport = 1";
        assert_eq!(check(settings, &["serve", "--port", "2"]).unwrap(), "serve --port 2");
        assert_eq!(check(settings, &["serve", "--port=2"]).unwrap(), "serve --port=2");
    }

    #[test]
    fn unknown_names_and_wrong_values_are_refused() {
        for (settings, reason) in [
            ("[server]\nport = 1", "no command 'server'"),
            ("[serve]\nprot = 1", "serve has no flag --prot"),
            ("[serve]\ntls = 1", "true or false"),
            ("[serve]\nport = { a = 1 }", "a text or a number"),
        ] {
            let error = check(settings, &["serve"]).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
