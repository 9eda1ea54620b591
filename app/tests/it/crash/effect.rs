//! What a write does, as both processes understand it: as a word on the pipe and as the item it leaves.

use std::fmt;

use engine::ContainerLink;
use model::{
    CompositeIndex, CompositeOrder, CompositePath, ContainerProperties, IndexPath, IndexingPolicy,
    Json, Object, PartitionKey, PartitionKeyDefinition, PropertyPath, TimeToLive, UniqueKey,
};

/// Slots of one writer in one container; an item lives in a slot, or none.
pub(crate) const SLOTS: u32 = 16;
/// The slot whose items expire.
pub(crate) const EXPIRING_SLOT: u32 = 15;
/// How long they live.
pub(crate) const SHORT_TTL_SECONDS: u64 = 2;
/// Indexing policies to change between.
pub(crate) const POLICIES: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// One partition key path, nothing else.
    Plain,
    /// Two partition key paths, a unique key, a default time to live.
    Rich,
}

/// Where an item may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) writer: u32,
    pub(crate) slot: u32,
}

/// What one write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Put(Place),
    Delete(Place),
    Policy(Kind, u32),
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::Plain, Self::Rich];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Rich => "rich",
        }
    }

    pub(crate) fn link(self) -> ContainerLink {
        ContainerLink::new("crash", self.name()).unwrap()
    }

    pub(crate) fn properties(self, policy: u32) -> ContainerProperties {
        let definition = match self {
            Self::Plain => PartitionKeyDefinition::single("/outer"),
            Self::Rich => PartitionKeyDefinition::hierarchical(&["/outer", "/inner"]),
        };
        let mut properties = ContainerProperties::new(self.link().container, definition.unwrap());
        properties.indexing_policy = indexing_policy(policy);
        if self == Self::Rich {
            let path = PropertyPath::parse("/email").unwrap();
            properties.unique_keys = vec![UniqueKey::new(vec![path]).unwrap()];
            properties.default_time_to_live = TimeToLive::Seconds(3600);
        }
        properties
    }
}

fn indexing_policy(number: u32) -> IndexingPolicy {
    let mut policy = IndexingPolicy::default();
    match number % POLICIES {
        1 => policy.excluded.push(IndexPath::parse("/text/?").unwrap()),
        2 => {
            let path = |text: &str, order| CompositePath {
                path: IndexPath::parse_implied_scalar(text).unwrap(),
                order,
            };
            let paths = vec![
                path("/outer", CompositeOrder::Ascending),
                path("/serial", CompositeOrder::Descending),
            ];
            policy.composite.push(CompositeIndex { paths });
        }
        _ => {}
    }
    policy
}

impl Place {
    pub(crate) fn id(self) -> String {
        format!("w{}-{}", self.writer, self.slot)
    }

    /// Four writers share a logical partition, and four slots of a writer are in the same one.
    fn outer(self) -> String {
        format!("o{}", self.writer % 4)
    }

    fn inner(self) -> String {
        format!("i{}", self.slot % 4)
    }

    pub(crate) fn partition_key(self) -> PartitionKey {
        match self.kind {
            Kind::Plain => PartitionKey::from(self.outer().as_str()),
            Kind::Rich => PartitionKey::from_values(
                [self.outer().as_str(), self.inner().as_str()].map(Into::into),
            ),
        }
    }

    pub(crate) fn expires(self) -> bool {
        self.kind == Kind::Rich && self.slot == EXPIRING_SLOT
    }

    /// The item that the write with this serial number leaves here. A slot alternates between two unique keys, so one
    /// that is not released makes a later write fail.
    pub(crate) fn item(self, serial: u64) -> Json {
        let (id, outer, inner) = (self.id(), self.outer(), self.inner());
        let email = format!("{id}-{}@example.com", serial % 2);
        let length = usize::try_from(serial.wrapping_mul(7919) % 200).unwrap();
        let padding = "lorem ipsum ".chars().cycle().take(length).collect::<String>();
        let mut item = Object::new();
        item.insert("id", id);
        item.insert("outer", outer);
        item.insert("inner", inner);
        item.insert("serial", i64::try_from(serial).unwrap());
        item.insert("email", email);
        item.insert("text", padding);
        if self.expires() {
            item.insert("ttl", i64::try_from(SHORT_TTL_SECONDS).unwrap());
        }
        Json::Object(item)
    }

    /// The place of an item that was read.
    pub(crate) fn of_item(kind: Kind, item: &Json) -> Option<Self> {
        let (writer, slot) = item.get("id")?.as_str()?.strip_prefix('w')?.split_once('-')?;
        Some(Self { kind, writer: writer.parse().ok()?, slot: slot.parse().ok()? })
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put(Place { kind, writer, slot }) => {
                write!(formatter, "put:{}:{writer}:{slot}", kind.name())
            }
            Self::Delete(Place { kind, writer, slot }) => {
                write!(formatter, "delete:{}:{writer}:{slot}", kind.name())
            }
            Self::Policy(kind, number) => write!(formatter, "policy:{}:{number}:0", kind.name()),
        }
    }
}

impl Effect {
    /// Reads what `Display` wrote.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(':');
        let (verb, name) = (parts.next()?, parts.next()?);
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name)?;
        let (first, second) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let place = Place { kind, writer: first, slot: second };
        match verb {
            "put" => Some(Self::Put(place)),
            "delete" => Some(Self::Delete(place)),
            "policy" => Some(Self::Policy(kind, first)),
            _ => None,
        }
    }
}
