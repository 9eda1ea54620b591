//! The scripts of a container on a running server.

use engine::{AttachedKind, ContainerLink};
use model::{Json, Object};
use reqwest::Method;
use reqwest::header::HeaderMap;

use super::file::{KINDS, ScriptFile};
use super::place::{ProcedureAnswer, ProcedureCall, ScriptPlace};
use crate::error::CommandError;
use crate::server_call::ServerCall;

/// A container of a server.
pub(in crate::command) struct ServerScripts<'a> {
    pub(in crate::command) server: ServerCall<'a>,
    pub(in crate::command) container: &'a ContainerLink,
}

impl ServerScripts<'_> {
    /// The path of the scripts of one kind, escaped.
    fn path(&self, kind: AttachedKind, id: Option<&str>) -> String {
        let segment = KINDS.iter().find(|(known, ..)| *known == kind).map_or("", |known| known.2);
        let (database, container) = (&self.container.database, &self.container.container);
        let mut url = reqwest::Url::parse("http://localhost/").expect("a constant address");
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(["dbs", database.as_str(), "colls", container.as_str()]);
            segments.push(segment).extend(id);
        }
        url.path().to_owned()
    }
}

impl ScriptPlace for ServerScripts<'_> {
    async fn list(&self, kind: AttachedKind) -> Result<Vec<Object>, CommandError> {
        let (action, path) = ("listing the scripts at", self.path(kind, None));
        let body = self.server.send(action, Method::GET, &path, Vec::new()).await?;
        let Ok(Json::Object(feed)) = Json::parse(&body) else {
            return Err(CommandError::new(action, "the server did not answer with JSON"));
        };
        let arrays = feed.iter().filter_map(|(_, value)| value.as_array());
        let object = |json: &Json| match json {
            Json::Object(object) => Some(object.clone()),
            _ => None,
        };
        Ok(arrays.flatten().filter_map(object).collect())
    }

    async fn put(&self, script: &ScriptFile) -> Result<(), CommandError> {
        let body = Json::Object(script.content.clone()).to_bytes();
        let headers = [("x-ms-documentdb-is-upsert", "true")];
        let path = self.path(script.kind, None);
        let action = "writing a script at";
        self.server.send_with(action, Method::POST, &path, &headers, body).await.map(drop)
    }

    async fn call(&self, call: ProcedureCall) -> Result<ProcedureAnswer, CommandError> {
        let headers = [
            ("x-ms-documentdb-partitionkey", call.partition_key.as_str()),
            ("x-ms-documentdb-script-enable-logging", "true"),
        ];
        let path = self.path(AttachedKind::StoredProcedure, Some(&call.procedure));
        let action = format!("running the procedure {} at", call.procedure);
        let arguments = call.arguments.into_bytes();
        let (headers, body) =
            self.server.send_with(&action, Method::POST, &path, &headers, arguments).await?;
        Ok(ProcedureAnswer {
            body: String::from_utf8_lossy(&body).into_owned(),
            log: unescape(header(&headers, "x-ms-documentdb-script-log-results")),
            charge: header(&headers, "x-ms-request-charge").to_owned(),
        })
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Decodes `%0A` and the like.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_decoded() {
        assert_eq!(unescape("a%20b%0A%C3%BC%"), "a b\nü%");
    }
}
