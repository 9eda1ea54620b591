//! Patches through the library, on the side of the account.
//!
//! The library sends no condition with a patch. A condition is asked as a query that gives the etag of the item it
//! holds for, and the patch is sent for that etag only: what is patched is what the condition was true of.

use azure_data_cosmos::models::{CosmosNumber, PatchInstructions, PatchOperation as Operation};
use azure_data_cosmos::options::{PatchItemOptions, PatchStrategy, Precondition};
use model::{Json, Number, Patch, PatchOperation};

use crate::answer::Etag;
use crate::call::{At, Body, Reply};
use crate::error::{Error, ErrorKind, Result};

use super::Connected;
use super::error::translate;
use super::execute::with_content;
use super::reply::item_reply;
use super::translate::partition_key;

/// How often a condition is asked again because somebody wrote the item between it and the patch.
const ROUNDS_MAX: u32 = 10;

impl Connected {
    pub(super) async fn patch(&self, at: &At, patch: &Patch, etag: Option<&Etag>) -> Result<Reply> {
        let Some(condition) = patch.condition() else {
            return self.send_patch(at, patch, etag).await;
        };
        let mut round = 1;
        loop {
            let (holds_for, charge) = self.etag_if(at, condition).await?;
            if etag.is_some_and(|etag| *etag != holds_for) {
                return Err(not_met(at));
            }
            match self.send_patch(at, patch, Some(&holds_for)).await {
                Ok(reply) => return Ok(Reply { charge: reply.charge + charge, ..reply }),
                Err(error) if error.kind() == ErrorKind::Precondition && round < ROUNDS_MAX => {
                    round += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The etag of the item if the condition holds for it, and what it cost to ask.
    async fn etag_if(&self, at: &At, condition: &str) -> Result<(Etag, f64)> {
        let (alias, filter) = parse_condition(condition)?;
        let text = format!(
            "SELECT VALUE {alias}._etag FROM {alias} WHERE ({filter}\n) AND {alias}.id = @id"
        );
        let id = Json::from(at.id.as_str());
        let (rows, charge) = self.rows(&at.container, &text, &[("@id", id)], at).await?;
        match rows.first() {
            Some(row) => {
                let etag: String = serde_json::from_slice(row).map_err(|error| {
                    Error::unexpected("the account answered no etag").with_source(error)
                })?;
                Ok((Etag::from_text(etag), charge))
            }
            // A missing item is not found, whatever the condition says.
            None => match self.read(at, None, None).await {
                Ok(_) => Err(not_met(at)),
                Err(error) => Err(error),
            },
        }
    }

    async fn send_patch(&self, at: &At, patch: &Patch, etag: Option<&Etag>) -> Result<Reply> {
        let mut instructions = PatchInstructions::new();
        for operation in patch.operations() {
            instructions = instructions.with_operation(library_operation(operation)?);
        }
        let mut options = PatchItemOptions::default()
            .with_operation_options(with_content())
            .with_strategy(PatchStrategy::ServerSide);
        if let Some(etag) = etag {
            options = options.with_precondition(Precondition::if_match(etag.to_string()));
        }
        let container = self.container(&at.container).await?;
        let key = partition_key(&at.partition_key)?;
        let patched = container.patch_item(key, at.id.as_str(), instructions, Some(options)).await;
        let reply = item_reply(patched.map_err(translate)?, &self.environment)?;
        match reply.body {
            Body::Item(_) => Ok(reply),
            // An account that does not send the item back is asked for it.
            _ => {
                let read = self.read(at, None, None).await?;
                Ok(Reply { charge: read.charge + reply.charge, ..read })
            }
        }
    }
}

fn not_met(at: &At) -> Error {
    let message = format!("the condition of the patch does not hold for item '{}'", at.id);
    Error::new(ErrorKind::Precondition, message)
}

/// The alias and the filter of `from c where ...`.
fn parse_condition(condition: &str) -> Result<(&str, &str)> {
    let wrong = || {
        Error::bad_request(format!(
            "the condition '{condition}' of a patch must have the form 'from c where ...'"
        ))
    };
    let word = |text: &str, expected: &str| {
        let (first, rest) = text.trim_start().split_once(char::is_whitespace)?;
        first.eq_ignore_ascii_case(expected).then_some(rest.len())
    };
    let tail = |length: usize| condition.get(condition.len() - length..).unwrap_or_default();
    let rest = tail(word(condition, "from").ok_or_else(wrong)?).trim_start();
    let (alias, rest) = rest.split_once(char::is_whitespace).ok_or_else(wrong)?;
    let filter = tail(word(rest, "where").ok_or_else(wrong)?);
    let is_name = alias.chars().all(|c| c.is_alphanumeric() || c == '_');
    if alias.is_empty() || !is_name || filter.trim().is_empty() {
        return Err(wrong());
    }
    Ok((alias, filter))
}

fn library_operation(operation: &PatchOperation) -> Result<Operation> {
    let value = |json: &Json| {
        serde_json::from_slice::<serde_json::Value>(&json.to_bytes()).map_err(|error| {
            Error::bad_request("a value of the patch cannot be sent").with_source(error)
        })
    };
    Ok(match operation {
        PatchOperation::Add { path, value: json } => Operation::add(path.to_string(), value(json)?),
        PatchOperation::Set { path, value: json } => Operation::set(path.to_string(), value(json)?),
        PatchOperation::Replace { path, value: json } => {
            Operation::replace(path.to_string(), value(json)?)
        }
        PatchOperation::Remove { path } => Operation::remove(path.to_string()),
        PatchOperation::Increment { path, by } => {
            Operation::increment(path.to_string(), number(by))
        }
        PatchOperation::Move { from, path } => {
            Operation::move_value(from.to_string(), path.to_string())
        }
    })
}

fn number(number: &Number) -> CosmosNumber {
    number.as_i64().map_or_else(|| CosmosNumber::from(number.as_f64()), CosmosNumber::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_has_an_alias_and_a_filter() {
        let table = [
            ("from c where c.a = 1", ("c", "c.a = 1")),
            ("  FROM item\nWHERE item.a = 'from where'", ("item", "item.a = 'from where'")),
        ];
        for (condition, expected) in table {
            assert_eq!(parse_condition(condition).unwrap(), expected);
        }
    }

    #[test]
    fn another_form_is_refused() {
        for condition in ["", "c.a = 1", "from c", "from c where ", "from c-d where true"] {
            let error = parse_condition(condition).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadRequest, "{condition}");
        }
    }
}
