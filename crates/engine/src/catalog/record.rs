//! The stored form of catalog entries: JSON.
//!
//! Owns the records and their conversion. Unknown members of container properties are kept.

use std::collections::BTreeMap;

use model::{
    ContainerProperties, DatabaseProperties, EffectivePartitionKey, EpkRange, Etag, IndexingPolicy,
    Json, Object, ResourceId, Throughput, TimestampSeconds,
};
use storage::Shard;

use crate::error::{Error, Result};

/// Throughput with the history that its minimum depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThroughputRecord {
    pub(crate) throughput: Throughput,
    pub(crate) highest_ever: u32,
    /// When it was replaced last; `None` if it is still that of the creation.
    pub(crate) replaced_at: Option<TimestampSeconds>,
}

/// A database.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DatabaseRecord {
    pub(crate) properties: DatabaseProperties,
    pub(crate) rid: ResourceId,
    pub(crate) etag: Etag,
    pub(crate) timestamp: TimestampSeconds,
    pub(crate) throughput: Option<ThroughputRecord>,
}

/// A physical partition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PartitionRecord {
    pub(crate) number: u32,
    pub(crate) shard: Shard,
    pub(crate) range: EpkRange,
    pub(crate) parents: Vec<u32>,
}

/// A container.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContainerRecord {
    pub(crate) properties: ContainerProperties,
    pub(crate) rid: ResourceId,
    pub(crate) etag: Etag,
    pub(crate) timestamp: TimestampSeconds,
    pub(crate) throughput: Option<ThroughputRecord>,
    /// Whether throughput is enforced, whatever the settings say.
    pub(crate) enforce_throughput: Option<bool>,
    /// Generation of the indexing policy in `properties`.
    pub(crate) generation: u32,
    /// Older policies that some partition may still follow.
    pub(crate) older_policies: BTreeMap<u32, IndexingPolicy>,
    /// Grows with every split and merge.
    pub(crate) map_generation: u64,
    pub(crate) partitions: Vec<PartitionRecord>,
    pub(crate) next_partition: u32,
}

impl DatabaseRecord {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut object = head(&self.rid, self.etag, self.timestamp, self.throughput.as_ref());
        object.insert("id", self.properties.id.as_str());
        Json::Object(object).to_bytes()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let json = parse(bytes)?;
        let (rid, etag, timestamp, throughput) = read_head(&json)?;
        let properties = DatabaseProperties::from_json(&json)?;
        Ok(Self { properties, rid, etag, timestamp, throughput })
    }
}

impl ContainerRecord {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut object = head(&self.rid, self.etag, self.timestamp, self.throughput.as_ref());
        object.insert("properties", self.properties.to_json());
        // Stored next to the policy: partitions store only the number.
        object.insert("generation", i64::from(self.generation));
        if let Some(enforced) = self.enforce_throughput {
            object.insert("enforceThroughput", enforced);
        }
        let older = self.older_policies.iter().map(|(generation, policy)| {
            let mut entry = Object::new();
            entry.insert("generation", i64::from(*generation));
            entry.insert("policy", policy.to_json());
            Json::Object(entry)
        });
        object.insert("olderPolicies", older.collect::<Vec<_>>());
        // It grows by one per split or merge.
        let map_generation = i64::try_from(self.map_generation).unwrap_or(i64::MAX);
        object.insert("mapGeneration", map_generation);
        let partitions = self.partitions.iter().map(PartitionRecord::to_json);
        object.insert("partitions", partitions.collect::<Vec<_>>());
        object.insert("nextPartition", i64::from(self.next_partition));
        Json::Object(object).to_bytes()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let json = parse(bytes)?;
        let (rid, etag, timestamp, throughput) = read_head(&json)?;
        let properties = json.get("properties").ok_or_else(|| missing("properties"))?;
        let mut older_policies = BTreeMap::new();
        for entry in elements(&json, "olderPolicies")? {
            let policy = entry.get("policy").ok_or_else(|| missing("policy"))?;
            older_policies.insert(number(entry, "generation")?, IndexingPolicy::from_json(policy)?);
        }
        let partitions = elements(&json, "partitions")?;
        Ok(Self {
            properties: ContainerProperties::from_json(properties)?,
            rid,
            etag,
            timestamp,
            throughput,
            // Absent in records of older versions, and if the account decides.
            enforce_throughput: json.get("enforceThroughput").and_then(Json::as_bool),
            generation: number(&json, "generation")?,
            older_policies,
            map_generation: number(&json, "mapGeneration")?,
            partitions: partitions.iter().map(PartitionRecord::from_json).collect::<Result<_>>()?,
            next_partition: number(&json, "nextPartition")?,
        })
    }
}

impl PartitionRecord {
    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("number", i64::from(self.number));
        object.insert("shard", i64::from(self.shard.0));
        object.insert("min", self.range.min.to_string());
        object.insert("max", self.range.max.to_string());
        let parents = self.parents.iter().map(|parent| Json::from(i64::from(*parent)));
        object.insert("parents", parents.collect::<Vec<_>>());
        Json::Object(object)
    }

    fn from_json(json: &Json) -> Result<Self> {
        let bound = |name: &str| -> Result<EffectivePartitionKey> {
            Ok(EffectivePartitionKey::from_hex(text(json, name)?)?)
        };
        let parents = elements(json, "parents")?.iter().map(|parent| {
            parent
                .as_i64()
                .and_then(|parent| u32::try_from(parent).ok())
                .ok_or_else(|| missing("parents"))
        });
        Ok(Self {
            // No default for a missing member: a map with a guessed part would route items to the wrong shard.
            number: number(json, "number")?,
            shard: Shard(number(json, "shard")?),
            range: EpkRange { min: bound("min")?, max: bound("max")? },
            parents: parents.collect::<Result<_>>()?,
        })
    }
}

type RecordHead = (ResourceId, Etag, TimestampSeconds, Option<ThroughputRecord>);

pub(super) fn head(
    rid: &ResourceId,
    etag: Etag,
    timestamp: TimestampSeconds,
    throughput: Option<&ThroughputRecord>,
) -> Object {
    let mut object = Object::new();
    object.insert("rid", rid.to_string());
    object.insert("etag", hex(&etag.to_bytes()));
    object.insert("timestamp", i64::try_from(timestamp.0).unwrap_or(i64::MAX));
    if let Some(record) = throughput {
        object.insert("throughput", record.throughput.to_json());
        object.insert("highestThroughput", i64::from(record.highest_ever));
        if let Some(replaced_at) = record.replaced_at {
            let seconds = i64::try_from(replaced_at.0).unwrap_or(i64::MAX);
            object.insert("throughputReplaced", seconds);
        }
    }
    object
}

pub(super) fn read_head(json: &Json) -> Result<RecordHead> {
    let throughput = match json.get("throughput") {
        Some(throughput) => Some(ThroughputRecord {
            throughput: Throughput::from_json(throughput)?,
            highest_ever: number(json, "highestThroughput")?,
            // Absent in records of stores that were written before it was kept.
            replaced_at: match json.get("throughputReplaced") {
                Some(_) => Some(TimestampSeconds(number(json, "throughputReplaced")?)),
                None => None,
            },
        }),
        None => None,
    };
    let etag = unhex(text(json, "etag")?).and_then(|bytes| bytes.try_into().ok());
    Ok((
        ResourceId::parse(text(json, "rid")?)?,
        Etag::from_bytes(etag.ok_or_else(|| missing("etag"))?),
        TimestampSeconds(number(json, "timestamp")?),
        throughput,
    ))
}

fn parse(bytes: &[u8]) -> Result<Json> {
    Json::parse(bytes)
        .map_err(|error| Error::corrupt(format!("a catalog record is not JSON: {error}")))
}

fn missing(member: &str) -> Error {
    Error::corrupt(format!("a catalog record has no usable member '{member}'"))
}

fn text<'json>(json: &'json Json, member: &str) -> Result<&'json str> {
    json.get(member).and_then(Json::as_str).ok_or_else(|| missing(member))
}

fn number<T: TryFrom<i64>>(json: &Json, member: &str) -> Result<T> {
    let value = json.get(member).and_then(Json::as_i64).ok_or_else(|| missing(member))?;
    T::try_from(value).map_err(|_| missing(member))
}

fn elements<'json>(json: &'json Json, member: &str) -> Result<&'json [Json]> {
    json.get(member).and_then(Json::as_array).ok_or_else(|| missing(member))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks_exact(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// For fuzzing: the records of the catalog are refused or survive being stored again.
#[cfg(any(test, fuzzing))]
pub(crate) fn check_catalog_records(bytes: &[u8]) {
    if let Ok(record) = DatabaseRecord::decode(bytes) {
        let again = DatabaseRecord::decode(&record.encode());
        assert_eq!(again.map(|again| again.encode()).ok(), Some(record.encode()));
    }
    if let Ok(record) = ContainerRecord::decode(bytes) {
        let again = ContainerRecord::decode(&record.encode());
        assert_eq!(again.map(|again| again.encode()).ok(), Some(record.encode()));
    }
}
