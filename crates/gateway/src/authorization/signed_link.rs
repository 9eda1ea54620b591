//! What a client signs of a path: its resource type and its resource link, in each form clients have.
//!
//! Owns the forms. Does not own the signature.

use crate::exchange::percent_decoded;
use crate::route::Path;

/// The type and the possible links of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SignedLink {
    pub(crate) resource_type: String,
    /// The usual form first.
    pub(crate) links: Vec<String>,
}

impl SignedLink {
    pub(crate) fn of(path: &Path) -> Self {
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
        let raw_link = raw.join("/");
        let decoded = percent_decoded(&raw_link);
        let last = decoded.rsplit('/').next().unwrap_or_default().to_lowercase();
        let lower = decoded.to_lowercase();
        let mut links = vec![decoded, raw_link, last, lower];
        let mut known = 0;
        while known < links.len() {
            let (before, rest) = links.split_at(known);
            if rest.first().is_some_and(|link| before.contains(link)) {
                links.remove(known);
            } else {
                known += 1;
            }
        }
        Self { resource_type: resource_type.to_owned(), links }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, resource_type: &str, links: &[&str]) {
        let signed = SignedLink::of(&Path::parse(path));
        assert_eq!(signed.resource_type, resource_type, "{path}");
        assert_eq!(signed.links, links, "{path}");
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
        check("/offers", "offers", &[""]);
        check("/offers/AbCd/", "offers", &["AbCd", "abcd"]);
    }
}
