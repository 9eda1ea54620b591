//! Routes are found whatever the case of their letters, as in the original. Names of rooms, users and messages in a
//! path keep theirs.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::response::Response;
use tower::ServiceExt as _;

/// The routes behind their spelling.
#[derive(Clone)]
struct RespelledRoutes {
    inner: Router,
    /// The segments of every path; `None` for a variable.
    paths: Arc<Vec<Vec<Option<String>>>>,
}

/// Puts these routes behind their spelling. `paths` are those of the document, as `/api/rooms/{name}`.
pub(super) fn ignore_letter_case<'a>(
    inner: Router,
    paths: impl Iterator<Item = &'a String>,
) -> Router {
    let segments = |path: &String| -> Vec<Option<String>> {
        path.split('/').map(|part| (!part.starts_with('{')).then(|| part.to_owned())).collect()
    };
    let mut paths: Vec<_> = paths.map(segments).collect();
    // A word before a variable: `/api/messages/search` is no message.
    paths.sort_by_key(|path| path.iter().filter(|segment| segment.is_none()).count());
    let state = RespelledRoutes { inner, paths: Arc::new(paths) };
    Router::new().fallback(respond).with_state(state)
}

async fn respond(State(routes): State<RespelledRoutes>, mut request: Request) -> Response {
    if let Some(uri) = respelled(&routes.paths, request.uri()) {
        *request.uri_mut() = uri;
    }
    match routes.inner.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// The address with the words of its route; `None` if it has them already, or there is no such route.
fn respelled(paths: &[Vec<Option<String>>], uri: &Uri) -> Option<Uri> {
    let given: Vec<&str> = uri.path().split('/').collect();
    let is_like = |path: &&Vec<Option<String>>| {
        path.len() == given.len()
            && path.iter().zip(&given).all(|(word, part)| match word {
                Some(word) => word.eq_ignore_ascii_case(part),
                None => !part.is_empty(),
            })
    };
    let path = paths.iter().find(is_like)?;
    let parts = path.iter().zip(&given).map(|(word, part)| word.as_deref().unwrap_or(part));
    let spelled = parts.collect::<Vec<_>>().join("/");
    if spelled == uri.path() {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("{spelled}{query}").parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_respelled_and_names_are_kept() {
        let words = |path: &str| -> Vec<Option<String>> {
            path.split('/').map(|part| (!part.starts_with('{')).then(|| part.to_owned())).collect()
        };
        let paths = [words("/api/messages/search"), words("/api/messages/{id}")];
        let check = |given: &str, expected: Option<&str>| {
            let found = respelled(&paths, &given.parse().unwrap());
            assert_eq!(found.map(|uri| uri.to_string()).as_deref(), expected, "{given}");
        };
        check("/API/Messages/Ab?room=Ops", Some("/api/messages/Ab?room=Ops"));
        check("/api/messages/SEARCH?q=X", Some("/api/messages/search?q=X"));
        check("/api/messages/Ab", None);
        check("/Api/Other", None);
        check("/Api/Messages/", None);
    }
}
