//! What a client signs of a path: its resource type and its resource link, in each form clients have.
//!
//! Owns the forms. Does not own the signature.

use std::borrow::Cow;

use crate::exchange::percent_decoded;
use crate::route::Path;

/// The type and the possible links of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SignedLink<'a> {
    pub(crate) resource_type: &'a str,
    /// The usual form: decoded.
    pub(crate) usual: Cow<'a, str>,
    raw: Cow<'a, str>,
}

impl<'a> SignedLink<'a> {
    pub(crate) fn of(path: &Path<'a>) -> Self {
        let segments: Vec<&str> = path.raw.split('/').filter(|part| !part.is_empty()).collect();
        let (resource_type, raw) = match segments.as_slice() {
            [parent @ .., "operations", _] => ("colls", parent),
            ["offers", ..] => ("offers", segments.get(1..).unwrap_or_default()),
            all if all.len() % 2 == 0 => {
                (all.iter().rev().nth(1).copied().unwrap_or_default(), all)
            }
            [parent @ .., last] => (*last, parent),
            [] => ("", segments.as_slice()),
        };
        let raw = joined(path.raw, raw);
        let usual = match &raw {
            Cow::Borrowed(raw) => percent_decoded(raw),
            Cow::Owned(raw) => Cow::Owned(percent_decoded(raw).into_owned()),
        };
        Self { resource_type, usual, raw }
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

/// Segments of a path with one slash between them: mostly the path begins or ends with just that.
fn joined<'a>(path: &'a str, segments: &[&str]) -> Cow<'a, str> {
    let letters: usize = segments.iter().map(|segment| segment.len()).sum();
    let bytes = letters + segments.len().saturating_sub(1);
    let ends = [path.get(..bytes), path.len().checked_sub(bytes).and_then(|at| path.get(at..))];
    let is_joined = |end: &&str| segments.is_empty() || end.split('/').eq(segments.iter().copied());
    match ends.into_iter().flatten().find(is_joined) {
        Some(end) => Cow::Borrowed(end),
        None => Cow::Owned(segments.join("/")),
    }
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
        check("/offers", "offers", &[""]);
        check("/offers/AbCd/", "offers", &["AbCd", "abcd"]);
    }
}
