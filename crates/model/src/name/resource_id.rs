//! Resource ids: system-generated identifiers that contain the ids of their parents.
//!
//! Owns their bytes and text for every kind of resource. Does not assign the numbers: the engine does.
//!
//! ```text
//! offer               3 bytes  number, little-endian
//! database            4 bytes  number, little-endian
//! container, user     8 bytes  database, then a 31-bit number, big-endian; the top bit is set for containers
//! permission         16 bytes  user, then a 64-bit number, little-endian
//! child of container 16 bytes  container, then 4 bits of kind and a 60-bit ordinal, little-endian
//! ```

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{Result, ValidationError};

const OFFER_BYTES: usize = 3;
const DATABASE_BYTES: usize = 4;
const CONTAINER_BYTES: usize = 8;
const CHILD_BYTES: usize = 16;
const TEXT_BYTES_MAX: usize = CHILD_BYTES.div_ceil(3) * 4;

/// Set in the fifth byte of containers and clear in users. Both have eight bytes.
const CONTAINER_FLAG: u32 = 0x8000_0000;

/// Position of the kind of a container's child: the top four bits of its last eight bytes.
const NIBBLE_SHIFT: u32 = 60;

/// Identifier of any resource. It starts with the resource ids of its parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// Zero beyond `length`, so that the derived comparisons and hashes are correct.
    bytes: [u8; CHILD_BYTES],
    length: u8,
}

/// What a resource id identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceIdKind {
    /// A database.
    Database,
    /// A container of a database.
    Container,
    /// A user of a database.
    User,
    /// A permission of a user.
    Permission,
    /// An item of a container.
    Item,
    /// A conflict of a container.
    Conflict,
    /// A physical partition of a container, as clients see it.
    PartitionKeyRange,
    /// A user-defined function of a container.
    UserDefinedFunction,
    /// A trigger of a container.
    Trigger,
    /// A stored procedure of a container.
    StoredProcedure,
    /// The throughput of a database or container.
    Offer,
}

/// The kinds of children of a container, with the four bits that distinguish them.
const NIBBLES: [(u64, ResourceIdKind); 6] = [
    (0, ResourceIdKind::Item),
    (4, ResourceIdKind::Conflict),
    (5, ResourceIdKind::PartitionKeyRange),
    (6, ResourceIdKind::UserDefinedFunction),
    (7, ResourceIdKind::Trigger),
    (8, ResourceIdKind::StoredProcedure),
];

impl ResourceId {
    /// The resource id of a database.
    #[must_use]
    pub fn database(number: u32) -> Self {
        Self::from_parts(&[], &number.to_le_bytes())
    }

    /// The resource id of a container. Only the low 31 bits of the number are used.
    #[must_use]
    pub fn container(database: &Self, number: u32) -> Self {
        // Big-endian, unlike the other numbers: the flag must be in the fifth byte, where `known_kind` looks for it.
        Self::from_parts(database.parent(DATABASE_BYTES), &(number | CONTAINER_FLAG).to_be_bytes())
    }

    /// The resource id of a user. Only the low 31 bits of the number are used.
    #[must_use]
    pub fn user(database: &Self, number: u32) -> Self {
        Self::from_parts(database.parent(DATABASE_BYTES), &(number & !CONTAINER_FLAG).to_be_bytes())
    }

    /// The resource id of a permission.
    #[must_use]
    pub fn permission(user: &Self, number: u64) -> Self {
        Self::from_parts(user.parent(CONTAINER_BYTES), &number.to_le_bytes())
    }

    /// The resource id of an item. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn item(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 0, ordinal)
    }

    /// The resource id of a conflict. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn conflict(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 4, ordinal)
    }

    /// The resource id of a physical partition as clients see it. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn partition_key_range(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 5, ordinal)
    }

    /// The resource id of a user-defined function. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn user_defined_function(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 6, ordinal)
    }

    /// The resource id of a trigger. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn trigger(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 7, ordinal)
    }

    /// The resource id of a stored procedure. Only the low 60 bits of the ordinal are used.
    #[must_use]
    pub fn stored_procedure(container: &Self, ordinal: u64) -> Self {
        Self::child(container, 8, ordinal)
    }

    /// The resource id of a throughput. Only the low 24 bits of the number are used.
    #[must_use]
    pub fn offer(number: u32) -> Self {
        let [first, second, third, _] = number.to_le_bytes();
        Self::from_parts(&[], &[first, second, third])
    }

    /// Parses the text of a resource id.
    ///
    /// # Errors
    /// When the text is not the base64 of a known kind of resource id.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = || {
            ValidationError::new(format!("'{text}' is not a resource id such as 'DJB7AI1lZHo='."))
        };
        // The text form replaces '/' by '-', so that a resource id can be part of a URL path.
        if text.contains('/') {
            return Err(invalid());
        }
        let bytes = STANDARD.decode(text.replace('-', "/")).map_err(|_| invalid())?;
        Self::from_bytes(&bytes).ok_or_else(invalid)
    }

    /// The resource id of these bytes; `None` when they have no known kind.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let has_known_length =
            matches!(bytes.len(), OFFER_BYTES | DATABASE_BYTES | CONTAINER_BYTES | CHILD_BYTES);
        let resource_id = has_known_length.then(|| Self::from_parts(bytes, &[]))?;
        resource_id.known_kind().map(|_| resource_id)
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.prefix(CHILD_BYTES)
    }

    /// What it identifies.
    #[must_use]
    pub fn kind(&self) -> ResourceIdKind {
        self.known_kind().expect("every constructor gives a known kind")
    }

    /// The database that the resource belongs to, or itself if it is one; `None` for an offer.
    #[must_use]
    pub fn database_id(&self) -> Option<Self> {
        (self.kind() != ResourceIdKind::Offer)
            .then(|| Self::from_parts(self.prefix(DATABASE_BYTES), &[]))
    }

    /// The container that the resource belongs to, or itself if it is one.
    #[must_use]
    pub fn container_id(&self) -> Option<Self> {
        let container = Self::from_parts(self.prefix(CONTAINER_BYTES), &[]);
        // The first eight bytes of a permission are a user. The shorter ids of databases and offers stay what they
        // are.
        (container.kind() == ResourceIdKind::Container).then_some(container)
    }

    /// Its number among its siblings. Only children of containers and users have one.
    #[must_use]
    pub fn ordinal(&self) -> Option<u64> {
        let number = self.last_number()?;
        match self.kind() {
            // Permissions use all 64 bits; their kind follows from the user in front of it.
            ResourceIdKind::Permission => Some(number),
            _ => Some(number & ((1 << NIBBLE_SHIFT) - 1)),
        }
    }

    fn child(container: &Self, nibble: u64, ordinal: u64) -> Self {
        let number = (ordinal & ((1 << NIBBLE_SHIFT) - 1)) | (nibble << NIBBLE_SHIFT);
        Self::from_parts(container.parent(CONTAINER_BYTES), &number.to_le_bytes())
    }

    fn from_parts(parent: &[u8], own: &[u8]) -> Self {
        let mut bytes = [0; CHILD_BYTES];
        let mut length = 0;
        for (slot, byte) in bytes.iter_mut().zip(parent.iter().chain(own)) {
            *slot = *byte;
            length += 1;
        }
        Self { bytes, length }
    }

    /// Exactly this many bytes as the prefix of a child. A parent of the wrong kind is padded with zeros, so that the
    /// child always has its full length.
    fn parent(&self, bytes: usize) -> &[u8] {
        self.bytes.get(..bytes).unwrap_or_default()
    }

    /// At most this many bytes.
    fn prefix(&self, bytes_max: usize) -> &[u8] {
        self.bytes.get(..bytes_max.min(usize::from(self.length))).unwrap_or_default()
    }

    /// The last eight of sixteen bytes.
    fn last_number(&self) -> Option<u64> {
        self.as_bytes().get(CONTAINER_BYTES..)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn has_container_flag(&self) -> bool {
        self.bytes.get(DATABASE_BYTES).is_some_and(|byte| byte & 0x80 != 0)
    }

    fn known_kind(&self) -> Option<ResourceIdKind> {
        match usize::from(self.length) {
            OFFER_BYTES => Some(ResourceIdKind::Offer),
            DATABASE_BYTES => Some(ResourceIdKind::Database),
            CONTAINER_BYTES if self.has_container_flag() => Some(ResourceIdKind::Container),
            CONTAINER_BYTES => Some(ResourceIdKind::User),
            // Sixteen bytes: the parent is a user, not a container.
            _ if !self.has_container_flag() => Some(ResourceIdKind::Permission),
            _ => {
                let nibble = self.last_number()? >> NIBBLE_SHIFT;
                NIBBLES.iter().find(|(known, _)| *known == nibble).map(|(_, kind)| *kind)
            }
        }
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; TEXT_BYTES_MAX];
        let length = STANDARD.encode_slice(self.as_bytes(), &mut buffer).map_err(|_| fmt::Error)?;
        let text = buffer.get_mut(..length).unwrap_or_default();
        // Not the URL-safe alphabet of RFC 4648: the service replaces only the slash and keeps `+`.
        text.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'-');
        formatter.write_str(std::str::from_utf8(text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for ResourceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ResourceId({self})")
    }
}
