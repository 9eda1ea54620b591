//! Requests without a socket.

use bytes::Bytes;
use gateway::{EMULATOR_KEY, Gateway};
use http_body_util::{BodyExt, Full};
use hyper::Request;

use crate::client::{Answer, DATE, sign};

/// A signed request; the given headers replace the default ones.
pub(crate) fn request(
    verb: &str,
    path: &str,
    headers: &[(&str, &[u8])],
    body: &[u8],
) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(Bytes::copy_from_slice(body)));
    *request.method_mut() = verb.parse().unwrap();
    *request.uri_mut() = path.parse().unwrap();
    let authorization = sign(verb, path, DATE, EMULATOR_KEY);
    let usual = [("host", &b"h"[..]), ("x-ms-date", DATE.as_bytes())];
    let signature = [("authorization", authorization.as_bytes())];
    for (name, value) in usual.iter().chain(&signature).chain(headers) {
        let name = hyper::header::HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, hyper::header::HeaderValue::from_bytes(value).unwrap());
    }
    request
}

pub(crate) async fn send(gateway: &Gateway, request: Request<Full<Bytes>>) -> Answer {
    let (parts, body) = gateway.respond(request).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    let headers = parts.headers.iter().map(|(name, value)| {
        let value = value.to_str().unwrap_or_else(|_| panic!("{name} is not ASCII: {value:?}"));
        (name.to_string(), value.to_owned())
    });
    Answer::new(parts.status.as_u16(), headers.collect(), body)
}
