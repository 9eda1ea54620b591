//! Vector indexes: which embeddings are indexed, and by which kind of index.
//!
//! Owns the definition, its wire form and its check against the vector embedding policy, with the messages that the SDK
//! test suites compare. Does not own search.

use crate::limits::VECTOR_DIMENSIONS_FLAT_MAX;
use crate::resource::members::{Members, describe};
use crate::resource::vector_embedding::VectorEmbeddingPolicy;
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// Maximum size of a quantized vector, unless it has fewer dimensions.
const QUANTIZATION_BYTES_MAX: u32 = 512;
/// Allowed number of candidates kept while a vector is added to the graph.
const SEARCH_LIST_SIZE: std::ops::RangeInclusive<i64> = 25..=500;
/// Paths of a shard key.
const SHARD_PATHS_MAX: usize = 1;

/// One embedding with a vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorIndex {
    /// Path of the vector.
    pub path: PropertyPath,
    /// The kind of index.
    pub kind: VectorIndexKind,
    /// How vectors are quantized.
    pub quantizer: Option<QuantizerType>,
    /// Bytes of a quantized vector.
    pub quantization_bytes: Option<u32>,
    /// Candidates kept while a vector is added to the graph.
    pub search_list_size: Option<u32>,
    /// Properties by which the index is divided into separate ones.
    pub shard_paths: Vec<PropertyPath>,
}

/// The kind of a vector index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorIndexKind {
    /// Exact search over full vectors.
    Flat,
    /// Exhaustive search over quantized vectors.
    QuantizedFlat,
    /// Approximate search over a graph.
    DiskAnn,
}

/// How vectors are quantized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantizerType {
    /// Product quantization.
    Product,
    /// Spherical quantization.
    Spherical,
}

impl VectorIndex {
    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("vector index", json)?;
        let path = members.required_text("path")?;
        let path = PropertyPath::parse(path).map_err(|_| {
            ValidationError::new(format!(
                "The Vector Indexing Policy has an invalid Path: {path}. Write it like '/vector'."
            ))
        })?;
        let search_list_size = members.integer("indexingSearchListSize")?;
        if let Some(size) = search_list_size
            && !SEARCH_LIST_SIZE.contains(&size)
        {
            return Err(out_of_range("IndexingSearchListSize", size, SEARCH_LIST_SIZE));
        }
        let quantization_bytes = members.integer("quantizationByteSize")?;
        Ok(Self {
            path,
            kind: VectorIndexKind::parse(members.required_text("type")?)?,
            quantizer: members.text("quantizerType")?.map(QuantizerType::parse).transpose()?,
            quantization_bytes: quantization_bytes.map(parse_quantization_bytes).transpose()?,
            // In range by the check above, so nothing is dropped.
            search_list_size: search_list_size.and_then(|size| u32::try_from(size).ok()),
            shard_paths: shard_paths(members.get("vectorIndexShardKey"))?,
        })
    }

    pub(super) fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        object.insert("type", self.kind.as_str());
        if let Some(quantizer) = self.quantizer {
            object.insert("quantizerType", quantizer.as_str());
        }
        if let Some(bytes) = self.quantization_bytes {
            object.insert("quantizationByteSize", i64::from(bytes));
        }
        if let Some(size) = self.search_list_size {
            object.insert("indexingSearchListSize", i64::from(size));
        }
        if !self.shard_paths.is_empty() {
            let paths: Vec<Json> =
                self.shard_paths.iter().map(|path| path.to_string().into()).collect();
            object.insert("vectorIndexShardKey", paths);
        }
        Json::Object(object)
    }

    /// Checks the index against the embedding of its path.
    pub(super) fn validate(&self, policy: Option<&VectorEmbeddingPolicy>) -> Result<()> {
        let found = policy.and_then(|policy| policy.embedding(&self.path));
        let embedding = found.ok_or_else(|| {
            ValidationError::new(format!(
                "The Vector Indexing Policy's path::{} not matching in Embedding's path.",
                self.path
            ))
        })?;
        if self.kind == VectorIndexKind::Flat && embedding.dimensions > VECTOR_DIMENSIONS_FLAT_MAX {
            return Err(ValidationError::new(format!(
                "The Vector Indexing Policy has Index Type::flat for the path {} with \
                 Dimensions:{}, which is more than the maximum supported \
                 value:{VECTOR_DIMENSIONS_FLAT_MAX}; use quantizedFlat or diskANN.",
                self.path, embedding.dimensions
            )));
        }
        // A quantized vector has at most one byte per dimension.
        let most = embedding.dimensions.min(QUANTIZATION_BYTES_MAX);
        match self.quantization_bytes {
            Some(bytes) if !(1..=most).contains(&bytes) => {
                Err(out_of_range("QuantizationByteSize", i64::from(bytes), 1..=i64::from(most)))
            }
            _ => Ok(()),
        }
    }
}

impl VectorIndexKind {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::QuantizedFlat => "quantizedFlat",
            Self::DiskAnn => "diskANN",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let known = [Self::Flat, Self::QuantizedFlat, Self::DiskAnn];
        known.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            ValidationError::new(format!(
                "The Vector Indexing Policy has Index Type::{text} is invalid. Supported types \
                 are: flat, quantizedFlat, diskANN."
            ))
        })
    }
}

impl QuantizerType {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Spherical => "spherical",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let known = [Self::Product, Self::Spherical];
        known.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            ValidationError::new(format!(
                "The Vector Indexing Policy has an invalid QuantizerType:{text}. Supported types \
                 are: product, spherical."
            ))
        })
    }
}

/// Converts the size to bytes. The upper bound depends on the embedding and is checked with it.
fn parse_quantization_bytes(size: i64) -> Result<u32> {
    let most = i64::from(QUANTIZATION_BYTES_MAX);
    u32::try_from(size).map_err(|_| out_of_range("QuantizationByteSize", size, 1..=most))
}

fn shard_paths(value: Option<&Json>) -> Result<Vec<PropertyPath>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let elements = value.as_array().ok_or_else(|| {
        ValidationError::new(format!(
            "One of the specified inputs is invalid: vectorIndexShardKey must be an array of \
             paths, not {}.",
            describe(value)
        ))
    })?;
    if elements.len() > SHARD_PATHS_MAX {
        return Err(ValidationError::new(format!(
            "The number of shard paths defined in the Vector Indexing Policy: {} exceeds the \
             maximum: {SHARD_PATHS_MAX}.",
            elements.len()
        )));
    }
    let parse = |element: &Json| {
        // An element that is no string is described, does not parse as a path, and so appears in the message.
        let text = element.as_str().map_or_else(|| describe(element), ToOwned::to_owned);
        PropertyPath::parse(&text).map_err(|_| {
            ValidationError::new(format!(
                "The Vector Indexing Policy has an invalid Shard Path: {text}."
            ))
        })
    };
    elements.iter().map(parse).collect()
}

fn out_of_range(name: &str, value: i64, allowed: std::ops::RangeInclusive<i64>) -> ValidationError {
    ValidationError::new(format!(
        "The Vector Indexing Policy parameter {name} value :: {value} is out of range. The allowed \
         range is between {} and {}.",
        allowed.start(),
        allowed.end()
    ))
}
