//! Query features that clients support.
//!
//! Owns the names of the features, parsing the list that a client sends, and the message that rejects a query that
//! needs more.

use crate::error::QueryError;

/// A way to merge the rows of several partitions that a client may support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Merge one aggregate.
    Aggregate,
    /// Merge an aggregate that consists of two parts.
    CompositeAggregate,
    /// Remove duplicate rows.
    Distinct,
    /// Merge groups.
    GroupBy,
    /// Merge several aggregates.
    MultipleAggregates,
    /// Merge by several values.
    MultipleOrderBy,
    /// Apply OFFSET and LIMIT.
    OffsetAndLimit,
    /// Merge by one value.
    OrderBy,
    /// Apply TOP.
    Top,
    /// Merge aggregates that are properties of objects.
    NonValueAggregate,
    /// Count distinct rows.
    DCount,
    /// Sort rows that are not sorted within a partition.
    NonStreamingOrderBy,
    /// Merge lists and sets.
    ListAndSetAggregate,
    /// Merge COUNTIF.
    CountIf,
    /// Fuse ranks.
    HybridSearch,
    /// Fuse ranks by weight.
    WeightedRankFusion,
    /// Accept the components of a fusion without the envelope of ordered rows.
    HybridSearchSkipOrderByRewrite,
}

const ALL: [Feature; 17] = [
    Feature::Aggregate,
    Feature::CompositeAggregate,
    Feature::Distinct,
    Feature::GroupBy,
    Feature::MultipleAggregates,
    Feature::MultipleOrderBy,
    Feature::OffsetAndLimit,
    Feature::OrderBy,
    Feature::Top,
    Feature::NonValueAggregate,
    Feature::DCount,
    Feature::NonStreamingOrderBy,
    Feature::ListAndSetAggregate,
    Feature::CountIf,
    Feature::HybridSearch,
    Feature::WeightedRankFusion,
    Feature::HybridSearchSkipOrderByRewrite,
];

impl Feature {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aggregate => "Aggregate",
            Self::CompositeAggregate => "CompositeAggregate",
            Self::Distinct => "Distinct",
            Self::GroupBy => "GroupBy",
            Self::MultipleAggregates => "MultipleAggregates",
            Self::MultipleOrderBy => "MultipleOrderBy",
            Self::OffsetAndLimit => "OffsetAndLimit",
            Self::OrderBy => "OrderBy",
            Self::Top => "Top",
            Self::NonValueAggregate => "NonValueAggregate",
            Self::DCount => "DCount",
            Self::NonStreamingOrderBy => "NonStreamingOrderBy",
            Self::ListAndSetAggregate => "ListAndSetAggregate",
            Self::CountIf => "CountIf",
            Self::HybridSearch => "HybridSearch",
            Self::WeightedRankFusion => "WeightedRankFusion",
            Self::HybridSearchSkipOrderByRewrite => "HybridSearchSkipOrderByRewrite",
        }
    }

    // Seventeen features fit into 32 bits; the order of declaration is the number of the bit and appears nowhere else.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureSet {
    bits: u32,
}

impl FeatureSet {
    /// Every feature, except the one that changes a plan instead of allowing it.
    #[must_use]
    pub fn full() -> Self {
        ALL.into_iter()
            .filter(|feature| *feature != Feature::HybridSearchSkipOrderByRewrite)
            .collect()
    }

    /// Parses a comma-separated list; unknown names are ignored.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        let names = list.split(',').map(str::trim);
        // A newer client may name features that we never ask for.
        names.filter_map(|name| ALL.into_iter().find(|known| known.name() == name)).collect()
    }

    /// Adds a feature.
    pub fn insert(&mut self, feature: Feature) {
        self.bits |= feature.bit();
    }

    /// Whether a feature is among them.
    #[must_use]
    pub fn contains(self, feature: Feature) -> bool {
        self.bits & feature.bit() != 0
    }

    /// The features, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        ALL.into_iter().filter(move |feature| self.contains(*feature))
    }

    /// Checks that a client with these features can run a query that needs `needed`.
    ///
    /// # Errors
    /// If a feature is missing; the message names all missing ones.
    pub fn check(self, needed: Self) -> Result<(), QueryError> {
        let missing: Vec<&str> =
            needed.iter().filter(|feature| !self.contains(*feature)).map(Feature::name).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut message =
            "Query contains 1 or more unsupported features. Upgrade your SDK to a version that \
                           does support the requested features:"
                .to_owned();
        for name in missing {
            message.push_str(&format!(
                "\r\nQuery contained {name}, which the calling client does not support."
            ));
        }
        Err(QueryError::refusal(message))
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        let mut set = Self::default();
        for feature in features {
            set.insert(feature);
        }
        set
    }
}
