//! Containers as clients send them and as the service echoes them.

use super::*;
use crate::{ContainerId, Json, PartitionKeyDefinition, TimeToLive};

fn read(text: &str) -> crate::Result<ContainerProperties> {
    ContainerProperties::from_json(&Json::parse(text.as_bytes()).unwrap())
}

fn with(members: &str) -> crate::Result<ContainerProperties> {
    read(&format!(r#"{{"id":"c","partitionKey":{{"paths":["/pk"],"kind":"Hash"}},{members}}}"#))
}

fn refused(members: &str, expected: &str) {
    let error = with(members).unwrap_err();
    assert!(error.message().contains(expected), "{error}");
}

/// The members of a container with one embedding and one vector index.
fn vectors(dimensions: u32, index: &str) -> String {
    let embedding = format!(
        r#""path":"/v","dataType":"float32","dimensions":{dimensions},"distanceFunction":"cosine""#
    );
    let embeddings = format!(r#""vectorEmbeddingPolicy":{{"vectorEmbeddings":[{{{embedding}}}]}}"#);
    let indexes = format!(r#""vectorIndexes":[{{"path":"/v",{index}}}]"#);
    format!(r#"{embeddings},"indexingPolicy":{{{indexes}}}"#)
}

#[test]
fn defaults_print_as_the_service_prints_them() {
    let expected = concat!(
        r#"{"id":"kv","indexingPolicy":{"indexingMode":"consistent","automatic":true,"#,
        r#""includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/\"_etag\"/?"}]},"#,
        r#""partitionKey":{"paths":["/pk"],"kind":"Hash"},"#,
        r#""conflictResolutionPolicy":{"mode":"LastWriterWins","#,
        r#""conflictResolutionPath":"/_ts","conflictResolutionProcedure":""},"#,
        r#""geospatialConfig":{"type":"Geography"}}"#,
    );
    let sent = read(r#"{"id":"kv","partitionKey":{"paths":["/pk"],"kind":"Hash"}}"#).unwrap();
    assert_eq!(sent.to_json().to_string(), expected);
    let id = ContainerId::new("kv").unwrap();
    let made = ContainerProperties::new(id, PartitionKeyDefinition::single("/pk").unwrap());
    assert_eq!(made.indexing_policy, sent.indexing_policy);
    assert_eq!(made.conflict_resolution, sent.conflict_resolution);
}

#[test]
fn every_member_round_trips_and_unknown_ones_are_kept() {
    let text = concat!(
        r#"{"id":"c","indexingPolicy":{"indexingMode":"consistent","automatic":true,"#,
        r#""includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/\"_etag\"/?"}],"#,
        r#""vectorIndexes":[{"path":"/v","type":"flat"}],"fullTextIndexes":[{"path":"/t"}]},"#,
        r#""partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2},"defaultTtl":-1,"#,
        r#""uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/email"]}]},"#,
        r#""conflictResolutionPolicy":{"mode":"LastWriterWins","#,
        r#""conflictResolutionPath":"/_ts","conflictResolutionProcedure":""},"#,
        r#""geospatialConfig":{"type":"Geometry"},"#,
        r#""computedProperties":[{"name":"low","query":"SELECT VALUE LOWER(c.n) FROM c"}],"#,
        r#""changeFeedPolicy":{"retentionDuration":10},"#,
        r#""vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"float32","#,
        r#""dimensions":256,"distanceFunction":"cosine"}]},"#,
        r#""fullTextPolicy":{"defaultLanguage":"en-US","fullTextPaths":[{"path":"/t"}]},"#,
        r#""analyticalStorageTtl":-1,"clientEncryptionPolicy":{"policyFormatVersion":1}}"#,
    );
    let properties = read(text).unwrap();
    assert_eq!(properties.default_time_to_live, TimeToLive::NoDefault);
    assert_eq!(properties.unknown.len(), 2);
    assert_eq!(properties.to_json().to_string(), text);
}

#[test]
fn system_members_sent_back_by_a_client_are_dropped() {
    let properties = with(r#""_rid":"x","_etag":"y","_ts":1,"_docs":"docs/""#).unwrap();
    assert!(properties.unknown.is_empty());
}

#[test]
fn id_and_partition_key_are_required() {
    let message = |text| read(text).unwrap_err().message().to_owned();
    assert_eq!(
        message(r#"{"partitionKey":{"paths":["/pk"]}}"#),
        "The input content is invalid because the required properties - 'id; ' - are missing."
    );
    assert!(message(r#"{"id":"c"}"#).contains("'partitionKey'"));
    assert!(message("[]").contains("must be a JSON object"));
}

#[test]
fn policies_must_agree_with_each_other() {
    refused(
        r#""indexingPolicy":{"vectorIndexes":[{"path":"/vector1","type":"flat"}]}"#,
        "vector1 not matching in Embedding's path",
    );
    refused(
        r#""indexingPolicy":{"fullTextIndexes":[{"path":"/path"}]}"#,
        "The path of the Full Text Index /path does not match the path specified in the Full Text \
         Policy",
    );
    refused(
        r#""computedProperties":[{"name":"pk","query":"SELECT VALUE c.a FROM c"}]"#,
        "belongs to the partition key",
    );
    refused(r#""indexingPolicy":{"indexingMode":"none"},"defaultTtl":5"#, "time to live");
    refused(
        r#""geospatialConfig":{"type":"Geometry"},"indexingPolicy":{"spatialIndexes":[{"path":"/g/?"}]}"#,
        "Required parameter 'boundingBox' for 'Geometry' collection is missing in spatial path '/g/?'",
    );
}

#[test]
fn vector_indexes_are_checked_against_their_embedding() {
    let check = |dimensions: u32, index: &str, expected: &str| {
        refused(&vectors(dimensions, index), expected);
    };
    check(256, r#""type":"notFlat""#, "Index Type::notFlat is invalid");
    check(506, r#""type":"flat""#, "505");
    check(
        256,
        r#""type":"quantizedFlat","quantizationByteSize":0"#,
        "The Vector Indexing Policy parameter QuantizationByteSize value :: 0 is out of range. The \
         allowed range is between 1 and 256.",
    );
    check(
        550,
        r#""type":"quantizedFlat","quantizationByteSize":513"#,
        "QuantizationByteSize value :: 513 is out of range.",
    );
    check(
        256,
        r#""type":"diskANN","indexingSearchListSize":5"#,
        "IndexingSearchListSize value :: 5 is out of range. The allowed range is between 25 and 500.",
    );
    check(
        256,
        r#""type":"diskANN","vectorIndexShardKey":["country"]"#,
        "The Vector Indexing Policy has an invalid Shard Path: country.",
    );
    check(
        256,
        r#""type":"diskANN","vectorIndexShardKey":["/a","/b","/c"]"#,
        "The number of shard paths defined in the Vector Indexing Policy: 3 exceeds the maximum: 1.",
    );
    check(
        256,
        r#""type":"diskANN","vectorIndexShardKey":"/country""#,
        "One of the specified inputs is invalid",
    );
}

#[test]
fn a_replace_may_change_policies_but_not_identity() {
    let unique = r#""uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/e"]}]}"#;
    let old = with(&format!("{unique},{}", vectors(256, r#""type":"flat""#))).unwrap();
    let check = |members: &str| old.check_replace(&with(members).unwrap());
    let same = vectors(256, r#""type":"flat""#);
    assert_eq!(check(&format!(r#"{unique},{same},"defaultTtl":5"#)), Ok(()));
    assert_eq!(check(&same), Err(ImmutableProperty::UniqueKeys));
    assert_eq!(
        check(&format!("{unique},{}", vectors(384, r#""type":"flat""#))),
        Err(ImmutableProperty::VectorEmbeddingPolicy)
    );
    assert_eq!(
        check(&format!("{unique},{}", vectors(256, r#""type":"quantizedFlat""#))),
        Err(ImmutableProperty::VectorIndexes)
    );
    assert_eq!(check(unique), Err(ImmutableProperty::VectorEmbeddingPolicy));

    let plain = |text: &str| read(text).unwrap();
    let base = plain(r#"{"id":"c","partitionKey":{"paths":["/pk"]}}"#);
    let check = |text: &str| base.check_replace(&plain(text));
    assert_eq!(check(r#"{"id":"c","partitionKey":{"paths":["/pk"],"version":1}}"#), Ok(()));
    assert_eq!(check(r#"{"id":"d","partitionKey":{"paths":["/pk"]}}"#), Err(ImmutableProperty::Id));
    let other = Err(ImmutableProperty::PartitionKey);
    assert_eq!(check(r#"{"id":"c","partitionKey":{"paths":["/x"]}}"#), other);
    assert_eq!(check(r#"{"id":"c","partitionKey":{"paths":["/pk"],"version":2}}"#), other);
    assert_eq!(
        ImmutableProperty::UniqueKeys.to_string(),
        "The unique index cannot be modified. To change the unique index, remove the collection \
         and re-create a new one."
    );
}
