//! The keys of a secret without its values.

use serde_json::{Value, json};

use crate::secret::wipe_json;

use super::super::reply::{VaultRefusal, VaultReply, VaultResult};
use super::super::request::VaultRequest;
use super::super::server::VaultCore;

impl VaultCore {
    pub(super) async fn subkeys(
        &self,
        request: &VaultRequest,
        mount: &str,
        path: &str,
    ) -> VaultResult<VaultReply> {
        let depth = request.number("depth")?.unwrap_or(0);
        let item = self.require_path(mount, path).await?;
        let stored = &item.value;
        let asked = request.number("version")?.filter(|number| *number > 0);
        let number = asked.unwrap_or(stored.current_version);
        let state = stored.versions.get(&number).ok_or_else(VaultRefusal::nothing)?;
        let metadata = stored.describe_version(number);
        if state.is_deleted(self.now()) {
            let data = json!({ "subkeys": null, "metadata": metadata });
            return Err(VaultRefusal::gone(data));
        }
        let text = self.open_value(stored, number).await?;
        let mut value: Value = serde_json::from_slice(&text).unwrap_or_default();
        let keys = without_values(&value, depth, 1);
        wipe_json(&mut value);
        Ok(VaultReply::Data(json!({ "subkeys": keys, "metadata": metadata })))
    }
}

/// Objects stay as deep as asked for (0: all); everything else becomes null.
fn without_values(value: &Value, depth: u64, level: u64) -> Value {
    match value {
        Value::Object(members) if depth == 0 || level <= depth => {
            let member = |(name, value): (&String, &Value)| {
                (name.clone(), without_values(value, depth, level + 1))
            };
            Value::Object(members.iter().map(member).collect())
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_are_left() {
        let secret = json!({"a": "hush", "b": {"c": 1, "d": {"e": [1]}}});
        let keys = without_values(&secret, 0, 1);
        assert_eq!(keys, json!({"a": null, "b": {"c": null, "d": {"e": null}}}));
        assert_eq!(without_values(&secret, 1, 1), json!({"a": null, "b": null}));
    }
}
