//! What must hold of any bytes that a client sends. Panics are the failures.
//!
//! Called by the targets in `fuzz/` and by tests, which replay the seeds of the targets; not part of the library.

use crate::authorization::check_token;
use crate::binary_json::{decode, encode};
use crate::http::parse_http_date;
use crate::route::RequestPath;
use crate::server::check_scanner;

/// Binary JSON is refused or read; what was read is the same after it was written.
pub fn check_binary_json(bytes: &[u8]) {
    let Ok(json) = decode(bytes) else { return };
    let written = encode(&json);
    assert_eq!(decode(&written).ok().as_ref(), Some(&json));
}

/// The head of a request: how its bytes arrive makes no difference, and its parts are refused or read.
pub fn check_http_head(bytes: &[u8]) {
    check_scanner(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = parse_http_date(text);
    for line in text.lines() {
        let _ = RequestPath::parse(line.split(' ').nth(1).unwrap_or(line));
    }
}

/// The value of an authorization header, and the payload of a resource token that we have signed.
pub fn check_resource_token(bytes: &[u8]) {
    check_token(bytes);
}

#[cfg(test)]
mod tests {
    const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn the_seeds_of_the_targets_are_read() {
        fuzz_seeds::replay(PACKAGE, "binary_json", super::check_binary_json);
        fuzz_seeds::replay(PACKAGE, "http_head", super::check_http_head);
        fuzz_seeds::replay(PACKAGE, "resource_token", super::check_resource_token);
    }
}
