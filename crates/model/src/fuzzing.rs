//! What must hold of any input of the parsers of this crate. Panics are the failures.
//!
//! Called by the targets in `fuzz/` and by tests, which replay the seeds of the targets; not part of the library.

use crate::{
    ContainerProperties, FeedRange, IndexPath, IndexingPolicy, Json, PartitionKey, PropertyPath,
    ResourceId, SessionToken,
};

/// An indexing policy, alone or in a container, is refused or survives being printed.
pub fn check_indexing_policy(bytes: &[u8]) {
    let Ok(json) = Json::parse(bytes) else { return };
    if let Ok(policy) = IndexingPolicy::from_json(&json) {
        assert_eq!(IndexingPolicy::from_json(&policy.to_json()).as_ref(), Ok(&policy));
    }
    if let Ok(properties) = ContainerProperties::from_json(&json) {
        let again = ContainerProperties::from_json(&properties.to_json());
        assert_eq!(again.map(|again| again.to_json()), Ok(properties.to_json()));
    }
}

/// A session token, a feed range, a partition key, a resource id or a path is refused or survives being printed.
pub fn check_token(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(token) = SessionToken::parse(text) {
        assert_eq!(SessionToken::parse(&token.to_string()).as_ref(), Ok(&token));
    }
    if let Ok(range) = FeedRange::parse(text) {
        assert_eq!(FeedRange::parse(&range.to_text()).as_ref(), Ok(&range));
    }
    if let Ok(key) = PartitionKey::parse(text) {
        let printed = key.to_json().to_string();
        assert_eq!(PartitionKey::parse(&printed).as_ref(), Ok(&key), "{printed}");
    }
    if let Ok(rid) = ResourceId::parse(text) {
        assert_eq!(ResourceId::parse(&rid.to_string()).as_ref(), Ok(&rid));
    }
    if let Ok(path) = PropertyPath::parse(text) {
        let spelled = PropertyPath::from_segments(path.segments().to_vec());
        assert_eq!(spelled.as_ref(), Some(&path));
        let spelled = spelled.map(|path| PropertyPath::parse(path.as_str()));
        assert_eq!(spelled, Some(Ok(path)));
    }
    if let Ok(path) = IndexPath::parse(text) {
        assert_eq!(IndexPath::parse(&path.to_string()).as_ref(), Ok(&path));
    }
}

#[cfg(test)]
mod tests {
    const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn the_seeds_of_the_targets_are_read() {
        fuzz_seeds::replay(PACKAGE, "indexing_policy", super::check_indexing_policy);
        fuzz_seeds::replay(PACKAGE, "token", super::check_token);
    }
}
