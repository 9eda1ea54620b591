//! Patches through the SDK, executed by the account.
//!
//! The SDK cannot send a condition with a patch. The condition is evaluated by a query that returns the etag of the
//! item if it is true, and the patch is sent with that etag: only the version for which the condition was true is
//! patched.

use azure_data_cosmos::models::{CosmosNumber, PatchInstructions, PatchOperation as Operation};
use azure_data_cosmos::options::{PatchItemOptions, PatchStrategy, Precondition};
use model::{Json, Number, Patch, PatchOperation};

use crate::error::{Error, ErrorKind, Result};
use crate::request::{BackendResponse, ItemAddress, ResponseBody};
use crate::response::EntityTag;

use super::ConnectedBackend;
use super::convert::partition_key;
use super::error::translate;
use super::execute::with_content;
use super::response::item_response;

/// Maximum rounds if somebody writes the item between the query and the patch.
const ROUNDS_MAX: u32 = 10;

impl ConnectedBackend {
    pub(super) async fn patch(
        &self,
        address: &ItemAddress,
        patch: &Patch,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
        let Some(condition) = patch.condition() else {
            return self.send_patch(address, patch, etag).await;
        };
        let mut round = 1;
        loop {
            let (matching_etag, charge) = self.etag_if(address, condition).await?;
            // The caller's etag is checked here, because the patch is sent with the one of the query.
            if etag.is_some_and(|etag| *etag != matching_etag) {
                return Err(condition_error(address));
            }
            match self.send_patch(address, patch, Some(&matching_etag)).await {
                Ok(response) => {
                    return Ok(BackendResponse { charge: response.charge + charge, ..response });
                }
                // Somebody wrote the item after the query. The condition has to be evaluated for the new version.
                Err(error) if error.kind() == ErrorKind::Precondition && round < ROUNDS_MAX => {
                    round += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The etag of the item if the condition is true, and the charge of the query.
    async fn etag_if(&self, address: &ItemAddress, condition: &str) -> Result<(EntityTag, f64)> {
        let (alias, filter) = parse_condition(condition)?;
        let text = format!(
            // The line break ends a comment that the filter may end with; without it the rest of the query would be a
            // comment too.
            "SELECT VALUE {alias}._etag FROM {alias} WHERE ({filter}\n) AND {alias}.id = @id"
        );
        let id = Json::from(address.id.as_str());
        let (rows, charge) = self.rows(&address.container, &text, &[("@id", id)], address).await?;
        match rows.first() {
            Some(row) => {
                let etag: String = serde_json::from_slice(row).map_err(|error| {
                    Error::unexpected("the account did not return an etag").caused_by(&error)
                })?;
                Ok((EntityTag::from_text(etag), charge))
            }
            // A missing item is "not found", regardless of the condition.
            None => match self.read(address, None, None).await {
                Ok(_) => Err(condition_error(address)),
                Err(error) => Err(error),
            },
        }
    }

    async fn send_patch(
        &self,
        address: &ItemAddress,
        patch: &Patch,
        etag: Option<&EntityTag>,
    ) -> Result<BackendResponse> {
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
        let container = self.container(&address.container).await?;
        let key = partition_key(&address.partition_key)?;
        let patched =
            container.patch_item(key, address.id.as_str(), instructions, Some(options)).await;
        let response = item_response(patched.map_err(translate)?, &self.environment)?;
        match response.body {
            ResponseBody::Item(_) => Ok(response),
            // Read the item if the account did not return it.
            _ => {
                let read = self.read(address, None, None).await?;
                Ok(BackendResponse { charge: read.charge + response.charge, ..read })
            }
        }
    }
}

fn condition_error(address: &ItemAddress) -> Error {
    let message = format!("the condition of the patch does not hold for item '{}'", address.id);
    Error::new(ErrorKind::Precondition, message)
}

/// The alias and the filter of `from c where ...`.
fn parse_condition(condition: &str) -> Result<(&str, &str)> {
    let invalid = || {
        Error::bad_request(format!(
            "the condition '{condition}' of a patch must have the form 'from c where ...'"
        ))
    };
    let word = |text: &str, expected: &str| {
        let (first, rest) = text.trim_start().split_once(char::is_whitespace)?;
        first.eq_ignore_ascii_case(expected).then_some(rest.len())
    };
    // The rest is given as its length, so that the slices borrow from `condition` and not from a trimmed copy.
    let tail = |length: usize| condition.get(condition.len() - length..).unwrap_or_default();
    let rest = tail(word(condition, "from").ok_or_else(invalid)?).trim_start();
    let (alias, rest) = rest.split_once(char::is_whitespace).ok_or_else(invalid)?;
    let filter = tail(word(rest, "where").ok_or_else(invalid)?);
    let is_name = alias.chars().all(|c| c.is_alphanumeric() || c == '_');
    if alias.is_empty() || !is_name || filter.trim().is_empty() {
        return Err(invalid());
    }
    Ok((alias, filter))
}

fn library_operation(operation: &PatchOperation) -> Result<Operation> {
    let value = |json: &Json| {
        serde_json::from_slice::<serde_json::Value>(&json.to_bytes()).map_err(|error| {
            Error::bad_request("a value of the patch cannot be sent").caused_by(&error)
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
