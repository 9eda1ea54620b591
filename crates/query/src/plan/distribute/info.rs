//! The query info of a query plan document.
//!
//! Owns its members and their order on the wire, where all of them are always present.

use model::{Json, Object};

use crate::ast::SortOrder;

/// How a client merges the rows of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryInfo {
    /// Whether duplicate rows are removed.
    pub distinct: DistinctKind,
    /// The largest number of rows.
    pub top: Option<u32>,
    /// How many rows are skipped.
    pub offset: Option<u32>,
    /// How many of the following rows are returned.
    pub limit: Option<u32>,
    /// The sort directions of the values by which rows are merged.
    pub order_by: Vec<SortOrder>,
    /// Those values as text.
    pub order_by_expressions: Vec<String>,
    /// The GROUP BY expressions as text.
    pub group_by_expressions: Vec<String>,
    /// The properties of a group's row, in order.
    pub group_by_aliases: Vec<String>,
    /// The aggregate that is the whole row.
    pub aggregates: Vec<AggregateKind>,
    /// Which properties of a group's row are aggregates.
    pub aliased_aggregates: Vec<(String, Option<AggregateKind>)>,
    /// The text that each partition runs; empty for the user's own.
    pub rewritten_query: String,
    /// Whether rows are bare values.
    pub has_select_value: bool,
    /// The property that holds the number of distinct rows; empty if the number itself is the row.
    pub distinct_count_alias: Option<String>,
    /// Whether the rows of a partition are not sorted.
    pub has_non_streaming_order_by: bool,
}

/// Whether duplicate rows are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistinctKind {
    /// No.
    #[default]
    None,
    /// Yes; duplicates are adjacent.
    Ordered,
    /// Yes; duplicates may be anywhere.
    Unordered,
}

/// An aggregate as clients know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    /// AVG, from sum and count.
    Average,
    /// COUNT
    Count,
    /// COUNTIF
    CountIf,
    /// MAX
    Max,
    /// MIN
    Min,
    /// SUM
    Sum,
    /// MAKELIST
    MakeList,
    /// MAKESET
    MakeSet,
}

impl AggregateKind {
    /// The aggregate of a function, by its canonical name.
    #[must_use]
    pub fn from_function(function: &str) -> Option<Self> {
        const KINDS: [(&str, AggregateKind); 8] = [
            ("AVG", AggregateKind::Average),
            ("COUNT", AggregateKind::Count),
            ("COUNTIF", AggregateKind::CountIf),
            ("MAX", AggregateKind::Max),
            ("MIN", AggregateKind::Min),
            ("SUM", AggregateKind::Sum),
            ("MAKELIST", AggregateKind::MakeList),
            ("MAKESET", AggregateKind::MakeSet),
        ];
        let found = KINDS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(function));
        found.map(|(_, kind)| kind)
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Average => "Average",
            Self::Count => "Count",
            Self::CountIf => "CountIf",
            Self::Max => "Max",
            Self::Min => "Min",
            Self::Sum => "Sum",
            Self::MakeList => "MakeList",
            Self::MakeSet => "MakeSet",
        }
    }
}

impl DistinctKind {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Ordered => "Ordered",
            Self::Unordered => "Unordered",
        }
    }
}

impl QueryInfo {
    /// A query whose rows are concatenated.
    #[must_use]
    pub(super) fn plain(has_select_value: bool) -> Self {
        Self {
            distinct: DistinctKind::None,
            top: None,
            offset: None,
            limit: None,
            order_by: Vec::new(),
            order_by_expressions: Vec::new(),
            group_by_expressions: Vec::new(),
            group_by_aliases: Vec::new(),
            aggregates: Vec::new(),
            aliased_aggregates: Vec::new(),
            rewritten_query: String::new(),
            has_select_value,
            distinct_count_alias: None,
            has_non_streaming_order_by: false,
        }
    }

    /// The wire form.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut members = Object::new();
        members.insert("distinctType", self.distinct.name());
        members.insert("top", number(self.top));
        members.insert("offset", number(self.offset));
        members.insert("limit", number(self.limit));
        let directions = self.order_by.iter().map(|order| match order {
            SortOrder::Ascending => "Ascending",
            SortOrder::Descending => "Descending",
        });
        members.insert("orderBy", strings(directions));
        members.insert("orderByExpressions", strings(&self.order_by_expressions));
        members.insert("groupByExpressions", strings(&self.group_by_expressions));
        members.insert("groupByAliases", strings(&self.group_by_aliases));
        members.insert("aggregates", strings(self.aggregates.iter().map(|kind| kind.name())));
        let mut aliases = Object::new();
        for (alias, kind) in &self.aliased_aggregates {
            aliases.insert(alias, kind.map_or(Json::Null, |kind| Json::from(kind.name())));
        }
        members.insert("groupByAliasToAggregateType", aliases);
        members.insert("rewrittenQuery", self.rewritten_query.as_str());
        members.insert("hasSelectValue", self.has_select_value);
        members.insert(
            "dCountInfo",
            self.distinct_count_alias.as_ref().map_or(Json::Null, |alias| {
                let mut info = Object::new();
                info.insert("dCountAlias", alias.as_str());
                Json::Object(info)
            }),
        );
        members.insert("hasNonStreamingOrderBy", self.has_non_streaming_order_by);
        Json::Object(members)
    }
}

pub(super) fn number(value: Option<u32>) -> Json {
    value.map_or(Json::Null, |value| Json::from(i64::from(value)))
}

fn strings<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Json {
    Json::Array(texts.into_iter().map(|text| Json::from(text.as_ref())).collect())
}
