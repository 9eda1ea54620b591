//! Continuation tokens of queries over all partitions.
//!
//! For such a query the gateway of the service returns the token of the backend as JSON, together with the range that
//! it belongs to. Tokens mean nothing to clients, but some distinguish theirs from ours by this form. Owns the form;
//! the token inside belongs to the engine.

use model::{Json, Object};

/// The JSON of a token.
pub(super) fn wrap(token: String) -> String {
    let mut range = Object::new();
    range.insert("min", "");
    range.insert("max", "FF");
    let mut object = Object::new();
    object.insert("token", token);
    object.insert("range", Json::Object(range));
    Json::Object(object).to_string()
}

/// The token in its JSON; any other text as it is.
pub(super) fn unwrap(text: String) -> String {
    let parsed = text.starts_with('{').then(|| Json::parse(text.as_bytes()).ok()).flatten();
    let token = parsed.as_ref().and_then(|object| object.get("token")).and_then(Json::as_str);
    token.map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_its_json() {
        let wrapped = wrap("BAVx_-".to_owned());
        assert_eq!(wrapped, r#"{"token":"BAVx_-","range":{"min":"","max":"FF"}}"#);
        assert_eq!(unwrap(wrapped), "BAVx_-");
        for text in ["BAVx_-", "{", r#"{"range":1}"#, ""] {
            assert_eq!(unwrap(text.to_owned()), text);
        }
    }
}
