//! The part of a path that clients sign: resource type and resource link, in each form that clients use.
//!
//! Owns the forms. Does not own the signature.

use std::borrow::Cow;

use model::{ResourceId, ResourceIdKind};

use crate::http::percent_decode;
use crate::route::{RequestPath, split_segments};

/// The resource type and the resource link of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SignedLink<'a> {
    pub(super) resource_type: Cow<'a, str>,
    /// The decoded link, which nearly all clients sign.
    pub(super) decoded: Cow<'a, str>,
    /// The link as it was sent.
    raw: Cow<'a, str>,
}

impl<'a> SignedLink<'a> {
    pub(super) fn from_path(path: &RequestPath<'a>) -> Self {
        // Some clients send double slashes and sign the path without them.
        if path.has_empty_segment() {
            let joined = split_segments(path.raw).collect::<Vec<_>>().join("/");
            let (resource_type, raw) = split_type(&joined);
            let decoded = percent_decode(raw).into_owned();
            let (resource_type, raw) = (resource_type.to_owned(), raw.to_owned());
            return Self {
                resource_type: resource_type.into(),
                decoded: decoded.into(),
                raw: raw.into(),
            };
        }
        let (resource_type, raw) = split_type(path.raw);
        let decoded = percent_decode(raw);
        Self { resource_type: resource_type.into(), decoded, raw: raw.into() }
    }

    /// The other forms that some clients sign: the link without decoding it, and for a resource addressed by resource
    /// ids the last one of them alone, in lower case.
    ///
    /// Names are never shortened or compared in another case. A signature over the last name alone would be valid for
    /// every resource of that name, in any database.
    pub(super) fn alternatives(&self) -> Vec<String> {
        let mut alternatives: Vec<String> = Vec::new();
        for link in [Some(self.raw.to_string()), self.resource_id()].into_iter().flatten() {
            if link != self.decoded && !alternatives.contains(&link) {
                alternatives.push(link);
            }
        }
        alternatives
    }

    /// The last resource id of a link that consists of resource ids only, in lower case.
    ///
    /// Each id must contain the one of its parent. Then the last one determines the whole path, so that the signature
    /// of one resource is not valid for another.
    fn resource_id(&self) -> Option<String> {
        if self.resource_type == "offers" {
            ResourceId::parse(&self.decoded).ok()?;
            return Some(self.decoded.to_lowercase());
        }
        let mut segments = self.decoded.split('/');
        let mut parent: Option<ResourceId> = None;
        let mut last = None;
        while let Some(_type_segment) = segments.next() {
            let id = segments.next()?;
            let rid = ResourceId::parse(id).ok()?;
            let is_root = parent.is_none() && rid.kind() == ResourceIdKind::Database;
            let is_child = parent.is_some_and(|parent| {
                let (bytes, prefix) = (rid.as_bytes(), parent.as_bytes());
                bytes.len() > prefix.len() && bytes.starts_with(prefix)
            });
            if !is_root && !is_child {
                return None;
            }
            (parent, last) = (Some(rid), Some(id));
        }
        last.map(str::to_lowercase)
    }
}

/// Splits a path into resource type and link. A path with an even number of segments names a resource, whose type is
/// the last segment but one. A path with an odd number names a feed, whose type is the last segment and whose link is
/// its parent.
fn split_type(path: &str) -> (&str, &str) {
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    let (grandparent, before_last) = parent.rsplit_once('/').unwrap_or(("", parent));
    // The path of "delete by partition key" is signed as its container.
    if before_last == "operations" {
        return ("colls", grandparent);
    }
    match path.strip_prefix("offers") {
        Some("") => return ("offers", ""),
        Some(id) if id.starts_with('/') => {
            // Offers are signed by their id alone.
            return ("offers", id.trim_start_matches('/'));
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
        let signed = SignedLink::from_path(&RequestPath::parse(path));
        assert_eq!(signed.resource_type, resource_type, "{path}");
        let found: Vec<_> =
            [signed.decoded.to_string()].into_iter().chain(signed.alternatives()).collect();
        assert_eq!(found, links, "{path}");
    }

    #[test]
    fn each_path_is_signed_as_by_clients() {
        check("/", "", &[""]);
        check("/dbs", "dbs", &[""]);
        check("/dbs/x/", "dbs", &["dbs/x"]);
        check("/dbs/my%20db/colls", "colls", &["dbs/my db", "dbs/my%20db"]);
        check("/dbs/x/colls/Y/docs", "docs", &["dbs/x/colls/Y"]);
        check("/dbs/x/colls/y/docs/z", "docs", &["dbs/x/colls/y/docs/z"]);
        check("/dbs/x/colls/y/operations/partitionkeydelete", "colls", &["dbs/x/colls/y"]);
        check("/dbs//x/colls", "colls", &["dbs/x"]);
        check("/dbs///x//colls/y/docs%2F", "docs%2F", &["dbs/x/colls/y"]);
        check("//dbs//my%20db//", "dbs", &["dbs/my db", "dbs/my%20db"]);
        check("/operations/x", "colls", &[""]);
        check("/offersx", "offersx", &[""]);
        check("/offers/operations/x", "colls", &["offers"]);
        check("/offers/a/b/c", "offers", &["a/b/c"]);
        check("/offers", "offers", &[""]);
        check("/offers/name/", "offers", &["name"]);
    }

    #[test]
    fn resource_ids_are_signed_alone_and_in_lower_case() {
        let database = ResourceId::database(7);
        let container = ResourceId::container(&database, 9);
        let item = ResourceId::item(&container, 11);
        let offer = ResourceId::offer(3);
        let lower = |rid: ResourceId| rid.to_string().to_lowercase();
        let full = format!("dbs/{database}/colls/{container}/docs/{item}");
        check(&format!("/{full}"), "docs", &[&full, &lower(item)]);
        let parent = format!("dbs/{database}/colls/{container}");
        check(&format!("/{parent}/docs"), "docs", &[&parent, &lower(container)]);
        check(&format!("/offers/{offer}"), "offers", &[&offer.to_string(), &lower(offer)]);
        // The container of another database, and an item whose container is addressed by its name.
        let other = ResourceId::database(8);
        let foreign = format!("dbs/{other}/colls/{container}");
        check(&format!("/{foreign}"), "colls", &[&foreign]);
        let mixed = format!("dbs/{database}/colls/name/docs/{item}");
        check(&format!("/{mixed}"), "docs", &[&mixed]);
    }
}
