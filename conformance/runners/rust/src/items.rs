//! Verbs on items in the words of this library: point operations, patch, batch.

use azure_data_cosmos::PartitionKey;
use azure_data_cosmos::models::{
    ItemResponse, PartitionKeyValue, PatchInstructions, PatchOperation, TransactionalBatch,
};
use azure_data_cosmos::options::{
    BatchDeleteOptions, BatchReadOptions, BatchReplaceOptions, BatchUpsertOptions,
    ContentResponseOnWrite, ItemReadOptions, ItemWriteOptions, OperationOptions, PatchItemOptions,
    PatchStrategy, Precondition, ReadConsistencyStrategy,
};
use serde_json::Value;

use crate::outcome::{Seen, Stop, unsupported};
use crate::runner::Runner;

impl Runner {
    pub(crate) async fn write(&self, verb: &str, step: &Value) -> Result<Seen, Stop> {
        let key = key_of(&self.paths, step)?;
        let item = &step["item"];
        let id = step["id"].as_str().or(item["id"].as_str()).unwrap_or_default();
        let mut options = ItemWriteOptions::default().with_operation_options(operation(step)?);
        options.precondition = precondition(step);
        if let Some(session) = step["session"].as_str() {
            options = options.with_session_token(session.to_owned());
        }
        let (container, options) = (self.container()?, Some(options));
        let answer = match verb {
            "create" => container.create_item(key, id, item, options).await,
            "upsert" => container.upsert_item(key, id, item, options).await,
            _ => container.replace_item(key, id, item, options).await,
        };
        shown(answer?)
    }

    pub(crate) async fn read(&self, step: &Value) -> Result<Seen, Stop> {
        let key = key_of(&self.paths, step)?;
        let mut options = ItemReadOptions::default().with_operation_options(operation(step)?);
        options.precondition = precondition(step);
        if let Some(session) = step["session"].as_str() {
            options = options.with_session_token(session.to_owned());
        }
        let id = step["id"].as_str().unwrap_or_default();
        shown(self.container()?.read_item(key, id, Some(options)).await?)
    }

    pub(crate) async fn delete(&self, step: &Value) -> Result<Seen, Stop> {
        let key = key_of(&self.paths, step)?;
        let mut options = ItemWriteOptions::default();
        options.precondition = precondition(step);
        let id = step["id"].as_str().unwrap_or_default();
        shown(self.container()?.delete_item(key, id, Some(options)).await?)
    }

    pub(crate) async fn patch(&self, step: &Value) -> Result<Seen, Stop> {
        if step.get("condition").is_some() {
            return Err(unsupported("this library has no condition of a patch"));
        }
        let key = key_of(&self.paths, step)?;
        // The server is asked to patch; otherwise the library reads, patches by itself and replaces.
        let mut options = PatchItemOptions::default()
            .with_strategy(PatchStrategy::ServerSide)
            .with_operation_options(operation(step)?);
        options.precondition = precondition(step);
        let id = step["id"].as_str().unwrap_or_default();
        let patch = instructions(&step["operations"])?;
        shown(self.container()?.patch_item(key, id, patch, Some(options)).await?)
    }

    pub(crate) async fn batch(&self, step: &Value) -> Result<Seen, Stop> {
        let mut batch = TransactionalBatch::new(key_of(&self.paths, step)?);
        for part in step["operations"].as_array().into_iter().flatten() {
            batch = with_part(batch, part)?;
        }
        let answer = self.container()?.execute_transactional_batch(batch, None).await?;
        let seen = Seen { status: Some(answer.status().into()), ..Seen::default() };
        let mut seen = seen.with_headers(answer.headers());
        let answer = answer.into_model()?;
        seen.results = answer.results().iter().map(|part| part.status_code().into()).collect();
        Ok(seen)
    }
}

fn with_part(batch: TransactionalBatch, part: &Value) -> Result<TransactionalBatch, Stop> {
    let id = part["id"].as_str().unwrap_or_default().to_owned();
    let condition = precondition(part);
    let item = &part["item"];
    Ok(match part["op"].as_str().unwrap_or_default() {
        "create" => batch.create_item(item)?,
        "upsert" => {
            let mut options = BatchUpsertOptions::default();
            options.precondition = condition;
            batch.upsert_item(item, Some(options))?
        }
        "replace" => {
            let mut options = BatchReplaceOptions::default();
            options.precondition = condition;
            batch.replace_item(id, item, Some(options))?
        }
        "read" => {
            let mut options = BatchReadOptions::default();
            options.precondition = condition;
            batch.read_item(id, Some(options))
        }
        "delete" => {
            let mut options = BatchDeleteOptions::default();
            options.precondition = condition;
            batch.delete_item(id, Some(options))
        }
        _ => return Err(unsupported("batches of this library have no patch")),
    })
}

fn instructions(operations: &Value) -> Result<PatchInstructions, Stop> {
    let mut all = PatchInstructions::new();
    for operation in operations.as_array().into_iter().flatten() {
        let path = operation["path"].as_str().unwrap_or_default();
        let from = operation["from"].as_str().unwrap_or_default();
        let value = operation["value"].clone();
        all = all.with_operation(match operation["op"].as_str().unwrap_or_default() {
            "add" => PatchOperation::add(path, value),
            "set" => PatchOperation::set(path, value),
            "replace" => PatchOperation::replace(path, value),
            "remove" => PatchOperation::remove(path),
            "move" => PatchOperation::move_value(from, path),
            "incr" => match (value.as_i64(), value.as_f64()) {
                (Some(whole), _) => PatchOperation::increment(path, whole),
                (None, Some(number)) => PatchOperation::increment(path, number),
                (None, None) => return Err(unsupported("this library increments by numbers only")),
            },
            other => return Err(Stop::Unsupported(format!("this library has no patch `{other}`"))),
        });
    }
    Ok(all)
}

fn shown(answer: ItemResponse) -> Result<Seen, Stop> {
    let seen = Seen { status: Some(answer.status().into()), ..Seen::default() };
    let mut seen = seen.with_headers(answer.headers());
    let body = answer.into_body();
    if !body.is_empty() {
        seen.value = Some(body.into_single()?);
    }
    Ok(seen)
}

pub(crate) fn operation(step: &Value) -> Result<OperationOptions, Stop> {
    let mut options = OperationOptions::default();
    let quiet = step["quiet"] == Value::Bool(true);
    options.content_response_on_write = Some(match quiet {
        true => ContentResponseOnWrite::Disabled,
        false => ContentResponseOnWrite::Enabled,
    });
    options.read_consistency_strategy = match step["consistency"].as_str() {
        None => None,
        Some("Eventual") => Some(ReadConsistencyStrategy::Eventual),
        Some("Session") => Some(ReadConsistencyStrategy::Session),
        Some(level) => {
            return Err(Stop::Unsupported(format!("this library cannot ask for {level}")));
        }
    };
    Ok(options)
}

fn precondition(step: &Value) -> Option<Precondition> {
    let text = |name: &str| step[name].as_str().map(str::to_owned);
    match (text("if_match"), text("if_none_match")) {
        (Some(etag), _) => Some(Precondition::if_match(etag)),
        (None, Some(etag)) => Some(Precondition::if_none_match(etag)),
        (None, None) => None,
    }
}

/// The key of a step, or that of its item.
pub(crate) fn key_of(paths: &[String], step: &Value) -> Result<PartitionKey, Stop> {
    let undefined = serde_json::json!({});
    let of_item = || paths.iter().map(|path| step["item"].get(path).unwrap_or(&undefined));
    let values: Vec<&Value> = match step["key"].as_array() {
        Some(values) => values.iter().collect(),
        None => of_item().collect(),
    };
    let mut key = Vec::new();
    for value in values {
        key.push(match value {
            Value::Null => PartitionKey::NULL,
            Value::Bool(value) => (*value).into(),
            Value::String(text) => text.clone().into(),
            Value::Number(number) => {
                PartitionKeyValue::try_from(number.as_f64().unwrap_or_default())?
            }
            _ => PartitionKey::UNDEFINED,
        });
    }
    Ok(PartitionKey::try_from(key)?)
}
