//! What a client signs of a path: its resource type and its resource link, in each form clients have.
//!
//! Owns the forms. Does not own the signature.

use std::borrow::Cow;

use crate::exchange::percent_decoded;
use crate::route::{Path, segments_of};

/// The type and the possible links of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SignedLink<'a> {
    pub(crate) resource_type: Cow<'a, str>,
    /// The usual form: decoded.
    pub(crate) usual: Cow<'a, str>,
    raw: Cow<'a, str>,
}

impl<'a> SignedLink<'a> {
    pub(crate) fn of(path: &Path<'a>) -> Self {
        let has_empty_segment = path.raw.as_bytes().windows(2).any(|pair| pair == b"//");
        if has_empty_segment {
            let joined = segments_of(path.raw).collect::<Vec<_>>().join("/");
            let (resource_type, raw) = parts(&joined);
            let usual = percent_decoded(raw).into_owned();
            let (resource_type, raw) = (resource_type.to_owned(), raw.to_owned());
            return Self {
                resource_type: resource_type.into(),
                usual: usual.into(),
                raw: raw.into(),
            };
        }
        let (resource_type, raw) = parts(path.raw);
        Self { resource_type: resource_type.into(), usual: percent_decoded(raw), raw: raw.into() }
    }

    /// What clients sign that do not sign the usual form, without that.
    pub(crate) fn others(&self) -> Vec<String> {
        let last = self.usual.rsplit('/').next().unwrap_or_default().to_lowercase();
        let mut others: Vec<String> = Vec::new();
        for link in [self.raw.to_string(), last, self.usual.to_lowercase()] {
            if link != self.usual && !others.contains(&link) {
                others.push(link);
            }
        }
        others
    }
}

/// The type and the link of a path that has one slash between its segments.
fn parts(path: &str) -> (&str, &str) {
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    let (grandparent, before_last) = parent.rsplit_once('/').unwrap_or(("", parent));
    if before_last == "operations" {
        return ("colls", grandparent);
    }
    match path.strip_prefix("offers") {
        Some("") => return ("offers", ""),
        Some(beyond) if beyond.starts_with('/') => {
            return ("offers", beyond.trim_start_matches('/'));
        }
        _ => {}
    }
    let has_odd_segments = path.bytes().filter(|byte| *byte == b'/').count().is_multiple_of(2);
    if has_odd_segments { (last, parent) } else { (before_last, path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, resource_type: &str, links: &[&str]) {
        let signed = SignedLink::of(&Path::parse(path));
        assert_eq!(signed.resource_type, resource_type, "{path}");
        let found: Vec<_> = [signed.usual.to_string()].into_iter().chain(signed.others()).collect();
        assert_eq!(found, links, "{path}");
    }

    #[test]
    fn each_path_is_signed_as_clients_do() {
        check("/", "", &[""]);
        check("/dbs", "dbs", &[""]);
        check("/dbs/x/", "dbs", &["dbs/x", "x"]);
        check("/dbs/my%20db/colls", "colls", &["dbs/my db", "dbs/my%20db", "my db"]);
        check("/dbs/x/colls/Y/docs", "docs", &["dbs/x/colls/Y", "y", "dbs/x/colls/y"]);
        check("/dbs/x/colls/y/docs/z", "docs", &["dbs/x/colls/y/docs/z", "z"]);
        check("/dbs/x/colls/y/operations/partitionkeydelete", "colls", &["dbs/x/colls/y", "y"]);
        check("/dbs//x/colls", "colls", &["dbs/x", "x"]);
        check("/dbs///x//colls/y/docs%2F", "docs%2F", &["dbs/x/colls/y", "y"]);
        check("//dbs//my%20db//", "dbs", &["dbs/my db", "dbs/my%20db", "my db"]);
        check("/operations/x", "colls", &[""]);
        check("/offersx", "offersx", &[""]);
        check("/offers/operations/x", "colls", &["offers"]);
        check("/offers/a/b/c", "offers", &["a/b/c", "c"]);
        check("/offers", "offers", &[""]);
        check("/offers/AbCd/", "offers", &["AbCd", "abcd"]);
    }
}
