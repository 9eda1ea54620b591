//! Vector embeddings: which properties contain vectors, with their element type, length and distance function.
//!
//! Owns the policy and its wire form, with the messages that the SDK test suites compare. Does not own vector indexes
//! (see `indexing_policy`) nor distances.

use super::members::Members;
use crate::limits::VECTOR_DIMENSIONS_MAX;
use crate::{Json, Object, PropertyPath, Result, ValidationError};

/// The `vectorEmbeddingPolicy` of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorEmbeddingPolicy {
    embeddings: Vec<VectorEmbedding>,
}

/// One property that contains vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorEmbedding {
    /// Path of the vector.
    pub path: PropertyPath,
    /// Type of its elements.
    pub data_type: VectorDataType,
    /// Number of elements.
    pub dimensions: u32,
    /// How two vectors are compared.
    pub distance_function: DistanceFunction,
}

/// Type of the elements of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorDataType {
    /// 32-bit floating point.
    Float32,
    /// 16-bit floating point.
    Float16,
    /// Signed byte.
    Int8,
    /// Unsigned byte.
    Uint8,
}

/// How two vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistanceFunction {
    /// Angle between the vectors.
    Cosine,
    /// Sum of the products.
    DotProduct,
    /// Length of the difference.
    Euclidean,
}

impl VectorEmbeddingPolicy {
    /// The embeddings, in the order in which they were given.
    #[must_use]
    pub fn embeddings(&self) -> &[VectorEmbedding] {
        &self.embeddings
    }

    /// The embedding of a path.
    #[must_use]
    pub fn embedding(&self, path: &PropertyPath) -> Option<&VectorEmbedding> {
        self.embeddings.iter().find(|embedding| embedding.path == *path)
    }

    /// Whether another policy still contains every embedding of this one, unchanged.
    #[must_use]
    pub fn is_kept_by(&self, other: &Self) -> bool {
        // Existing vectors were checked and indexed by these settings.
        self.embeddings.iter().all(|embedding| other.embeddings.contains(embedding))
    }

    /// Parses the wire form.
    ///
    /// # Errors
    /// When an embedding is malformed or a path comes twice.
    pub fn from_json(json: &Json) -> Result<Self> {
        let mut policy = Self::default();
        for element in Members::new("vector embedding policy", json)?.array("vectorEmbeddings")? {
            let embedding = VectorEmbedding::from_json(element)?;
            if policy.embedding(&embedding.path).is_some() {
                return Err(ValidationError::new(format!(
                    "The Vector Embedding Policy has Embedding Path {} twice; give each path once.",
                    embedding.path
                )));
            }
            policy.embeddings.push(embedding);
        }
        Ok(policy)
    }

    /// The wire form.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let embeddings: Vec<Json> = self.embeddings.iter().map(VectorEmbedding::to_json).collect();
        let mut object = Object::new();
        object.insert("vectorEmbeddings", embeddings);
        Json::Object(object)
    }
}

impl VectorEmbedding {
    fn from_json(json: &Json) -> Result<Self> {
        let members = Members::new("vector embedding", json)?;
        let path = members.required_text("path")?;
        let path = PropertyPath::parse(path).map_err(|_| {
            ValidationError::new(format!(
                "The Vector Embedding Policy has Embedding Path {path} which is invalid; write it \
                 like '/vector'."
            ))
        })?;
        let data_type = members.text("dataType")?.unwrap_or("float32");
        let distance = members.text("distanceFunction")?.unwrap_or("cosine");
        Ok(Self {
            path,
            data_type: VectorDataType::parse(data_type)?,
            dimensions: parse_dimensions(members.integer("dimensions")?)?,
            distance_function: DistanceFunction::parse(distance)?,
        })
    }

    fn to_json(&self) -> Json {
        let mut object = Object::new();
        object.insert("path", self.path.to_string());
        object.insert("dataType", self.data_type.as_str());
        object.insert("dimensions", i64::from(self.dimensions));
        object.insert("distanceFunction", self.distance_function.as_str());
        Json::Object(object)
    }
}

impl VectorDataType {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let known = [Self::Float32, Self::Float16, Self::Int8, Self::Uint8];
        known.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            ValidationError::new(format!(
                "The Vector Embedding Policy has an invalid DataType:{text}. Supported data types \
                 are: float32, float16, int8, uint8."
            ))
        })
    }
}

impl DistanceFunction {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::DotProduct => "dotproduct",
            Self::Euclidean => "euclidean",
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let known = [Self::Cosine, Self::DotProduct, Self::Euclidean];
        known.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            ValidationError::new(format!(
                "The Vector Embedding Policy has an invalid DistanceFunction:{text}. Supported \
                 functions are: cosine, dotproduct, euclidean."
            ))
        })
    }
}

fn parse_dimensions(given: Option<i64>) -> Result<u32> {
    let given = given.ok_or_else(|| {
        ValidationError::new(
            "The Vector Embedding Policy has no Dimensions; give a positive integer.",
        )
    })?;
    if given > i64::from(VECTOR_DIMENSIONS_MAX) {
        return Err(ValidationError::new(format!(
            "The Vector Embedding Policy has Dimensions:{given} which is more than the maximum \
             supported value:{VECTOR_DIMENSIONS_MAX}."
        )));
    }
    u32::try_from(given).ok().filter(|dimensions| *dimensions > 0).ok_or_else(|| {
        ValidationError::new(format!(
            "The Vector Embedding Policy has Dimensions:{given} which is less than the minimum \
             supported value:1."
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(data_type: &str, dimensions: i64, distance: &str) -> Result<VectorEmbeddingPolicy> {
        let kind = format!(r#""dataType":"{data_type}","distanceFunction":"{distance}""#);
        let one = format!(r#"{{"path":"/v","dimensions":{dimensions},{kind}}}"#);
        let text = format!(r#"{{"vectorEmbeddings":[{one}]}}"#);
        VectorEmbeddingPolicy::from_json(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn every_data_type_and_distance_round_trips() {
        for data_type in ["float32", "float16", "int8", "uint8"] {
            for distance in ["cosine", "dotproduct", "euclidean"] {
                let read = policy(data_type, 256, distance).unwrap();
                assert_eq!(VectorEmbeddingPolicy::from_json(&read.to_json()), Ok(read));
            }
        }
    }

    #[test]
    fn refusals_use_the_sentences_of_the_service() {
        let message = |result: Result<_>| result.unwrap_err().message().to_owned();
        assert!(
            message(policy("float33", 256, "cosine"))
                .contains("Vector Embedding Policy has an invalid DataType")
        );
        assert!(message(policy("int8", 8000, "cosine")).contains(
            "Vector Embedding Policy has Dimensions:8000 which is more than the maximum supported \
             value"
        ));
        assert!(
            message(policy("int8", -1, "cosine"))
                .contains("The Vector Embedding Policy has Dimensions:-1")
        );
        assert!(
            message(policy("int8", 8, "handMeasured")).contains(
                "The Vector Embedding Policy has an invalid DistanceFunction:handMeasured"
            )
        );
    }
}
