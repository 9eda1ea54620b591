//! Computed properties.
//!
//! Owns what their queries may be, and the substitution: where a query names a computed property at the root of an
//! item, the binder inserts the property's expression. So no later stage knows about computed properties, no index term
//! is looked up under their names, and a stored property of the same name is invisible to a query that names it. Does
//! not own their names and number: see `model`.

use model::{ComputedProperty, ValidationError};

use super::binder::{Binder, ScopeEntry};
use super::bound::Expression;
use super::{BuiltInFunctions, FunctionCatalog, FunctionKind, Parameters};
use crate::ast::{
    FromClause, QueryTree, Scalar, ScalarKind, Selection, SourceForm, SourcePath, SourceRoot,
};
use crate::function::{FunctionFamily, lookup};
use crate::parser::parse;

/// Functions whose result changes from call to call.
const CHANGING_FUNCTIONS: [&str; 9] = [
    "RAND",
    "NOW",
    "AGO",
    "GETCURRENTDATETIME",
    "GETCURRENTDATETIMESTATIC",
    "GETCURRENTTICKS",
    "GETCURRENTTICKSSTATIC",
    "GETCURRENTTIMESTAMP",
    "GETCURRENTTIMESTAMPSTATIC",
];

/// The computed properties of a container, ready for queries.
///
/// ```
/// use model::ComputedProperty;
/// use planisphere_query::bind::ComputedProperties;
///
/// let lower = ComputedProperty::new("lower", "SELECT VALUE LOWER(c.name) FROM c")?;
/// assert!(ComputedProperties::new(&[lower]).is_ok());
/// let now = ComputedProperty::new("now", "SELECT VALUE GetCurrentDateTime() FROM c")?;
/// assert!(ComputedProperties::new(&[now]).is_err());
/// # Ok::<(), model::ValidationError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ComputedProperties {
    list: Vec<ComputedExpression>,
}

#[derive(Clone, Debug)]
struct ComputedExpression {
    name: String,
    /// The alias of the item in its query.
    alias: String,
    expression: Scalar,
}

impl ComputedProperties {
    /// Parses and checks the queries.
    ///
    /// # Errors
    /// If a query is more than an expression over one item, or uses a function or property that it must not.
    pub fn new(properties: &[ComputedProperty]) -> model::Result<Self> {
        let names: Vec<&str> = properties.iter().map(ComputedProperty::name).collect();
        let list: model::Result<Vec<ComputedExpression>> =
            properties.iter().map(|property| ComputedExpression::new(property, &names)).collect();
        Ok(Self { list: list? })
    }

    /// The expression of a computed property over the item in a slot; `None` if there is no such property.
    pub(super) fn expression(&self, name: &str, slot: usize) -> Option<Expression> {
        let computed = self.list.iter().find(|computed| computed.name == name)?;
        Some(computed.bound(slot).0)
    }
}

impl ComputedExpression {
    fn new(property: &ComputedProperty, names: &[&str]) -> model::Result<Self> {
        let refuse = |reason: &str| {
            let (name, query) = (property.name(), property.query());
            ValidationError::new(format!("The computed property '{name}' {reason}: {query}"))
        };
        let tree = parse(property.query()).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            refuse(&format!("has a query that cannot be read ({})", errors.join(" ")))
        })?;
        let Some((alias, expression)) = value_of_item(tree) else {
            return Err(refuse("must be SELECT VALUE <expression> FROM <alias> and nothing more"));
        };
        if let Some(reason) = forbidden(&expression, property.name(), names) {
            return Err(refuse(&reason));
        }
        let computed = Self { name: property.name().to_owned(), alias, expression };
        // Bound once here only to report errors early; a query binds it again to the slot of its item.
        let errors: Vec<String> = computed.bound(0).1;
        if errors.is_empty() {
            return Ok(computed);
        }
        Err(refuse(&format!("has a query that is refused ({})", errors.join(" "))))
    }

    /// Binds the expression to the item in a slot; also returns the errors.
    fn bound(&self, slot: usize) -> (Expression, Vec<String>) {
        let (parameters, none) = (Parameters::new(), Self::none());
        let mut binder = Binder::new(&parameters, &BuiltInFunctions, &none);
        // The item must get the slot it has in the query around it: the slots before it are filled with unnamed
        // entries.
        let before = (0..slot).map(|_| ScopeEntry::unnamed());
        binder.scope.extend(before);
        binder.scope.push(ScopeEntry { alias: Some(self.alias.clone()), ..ScopeEntry::unnamed() });
        let expression = binder.bind_in_clause("SELECT", &self.expression);
        (expression, binder.errors.iter().map(ToString::to_string).collect())
    }

    fn none() -> ComputedProperties {
        ComputedProperties::default()
    }
}

/// The alias and the expression of `SELECT VALUE expression FROM alias`; `None` for any other query.
fn value_of_item(tree: QueryTree) -> Option<(String, Scalar)> {
    let QueryTree { select, from, filter, group_by, order_by, offset_limit, .. } = tree;
    let FromClause { first, joins } = from?;
    let is_bare = !select.distinct
        && select.top.is_none()
        && filter.is_none()
        && group_by.is_empty()
        && order_by.is_none()
        && offset_limit.is_none()
        && joins.is_empty();
    let SourcePath { root: SourceRoot::Name(name), steps, .. } = first.path else { return None };
    let SourceForm::Value(alias) = first.form else { return None };
    let Selection::Value(expression) = select.selection else { return None };
    // A path in FROM would make the expression depend on something below the item.
    (is_bare && steps.is_empty()).then(|| (alias.unwrap_or(name).text, *expression))
}

/// Why an expression is not allowed in a computed property. Its own name refers to the stored property.
fn forbidden(expression: &Scalar, own: &str, names: &[&str]) -> Option<String> {
    let mut reason = match &expression.kind {
        ScalarKind::Subquery { .. } => Some("may not have a subquery".to_owned()),
        ScalarKind::UdfCall { .. } => Some("may not call a user-defined function".to_owned()),
        ScalarKind::Parameter(_) => Some("may not have a parameter".to_owned()),
        ScalarKind::Call { function, .. } => forbidden_call(&function.text),
        ScalarKind::Member(member) => match (&member.target.kind, member.steps.first()) {
            (ScalarKind::Identifier(_), Some(step)) => step
                .property()
                // Otherwise properties could refer to each other in a circle, and substitution would not end.
                .filter(|name| *name != own && names.contains(name))
                .map(|name| format!("may not name the computed property '{name}'")),
            _ => None,
        },
        _ => None,
    };
    expression.for_each_child(&mut |part| {
        if reason.is_none() {
            reason = forbidden(part, own, names);
        }
    });
    reason
}

fn forbidden_call(name: &str) -> Option<String> {
    let function = lookup(name)?;
    let is_aggregate = BuiltInFunctions
        .find(name)
        .is_some_and(|signature| signature.kind == FunctionKind::Aggregate);
    let is_forbidden = is_aggregate
        || function.family == FunctionFamily::Spatial
        || CHANGING_FUNCTIONS.contains(&function.name);
    is_forbidden.then(|| format!("may not call {}", function.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(properties: &[(&str, &str)]) -> Result<ComputedProperties, String> {
        let properties: Vec<ComputedProperty> = properties
            .iter()
            .map(|(name, query)| ComputedProperty::new(name, query).unwrap())
            .collect();
        ComputedProperties::new(&properties).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_value_of_one_item_is_accepted() {
        for query in [
            "SELECT VALUE LOWER(c.name) FROM c",
            "SELECT VALUE x.price * 0.9 FROM x",
            "SELECT VALUE {a: c.a, b: [c[\"b\"], c.cp]} FROM c",
            "SELECT VALUE c FROM c",
            "SELECT VALUE IS_DEFINED(c.a) ? c.a : SUBSTRING(c.b, 0, 2) FROM c",
        ] {
            assert!(read(&[("cp", query)]).is_ok(), "{query}");
        }
    }

    #[test]
    fn anything_beyond_an_expression_over_one_item_is_rejected() {
        for (query, reason) in [
            ("SELECT VALUE (SELECT VALUE 1) FROM c", "subquery"),
            ("SELECT VALUE EXISTS(SELECT VALUE x FROM x IN c.a) FROM c", "subquery"),
            ("SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.a) FROM c", "subquery"),
            ("SELECT VALUE FIRST(SELECT VALUE x FROM x IN c.a) FROM c", "subquery"),
            ("SELECT VALUE udf.f(c.a) FROM c", "user-defined"),
            ("SELECT VALUE UPPER(c.a || @p) FROM c", "parameter"),
            ("SELECT VALUE COUNT(c.a) FROM c", "may not call COUNT"),
            ("SELECT VALUE [SUM(c.a)] FROM c", "may not call SUM"),
            ("SELECT VALUE ST_AREA(c.a) FROM c", "may not call ST_AREA"),
            ("SELECT VALUE 1 + RAND() FROM c", "may not call RAND"),
            ("SELECT VALUE GetCurrentTimestampStatic() FROM c", "GETCURRENTTIMESTAMPSTATIC"),
            ("SELECT VALUE DateTimeAdd('yyyy', 1, NOW()) FROM c", "may not call NOW"),
            ("SELECT VALUE FullTextScore(c.a, 'x') FROM c", "SC2240"),
            ("SELECT VALUE NOPE(c.a) FROM c", "SC2005"),
            ("SELECT VALUE d.a FROM c", "SC2001"),
            ("SELECT VALUE c.a[c.b] FROM c", "SC2990"),
            ("SELECT VALUE c.order FROM c", "SC1001"),
            ("SELECT VALUE c.a GROUP BY c.a FROM c", "SC1001"),
        ] {
            let error = read(&[("cp", query)]).unwrap_err();
            assert!(error.contains(reason) && error.contains("'cp'"), "{error}");
        }
    }

    #[test]
    fn one_may_not_name_another() {
        let error = read(&[
            ("a", "SELECT VALUE c.x FROM c"),
            ("b", "SELECT VALUE UPPER(c[\"a\"].y) FROM c"),
        ]);
        assert!(error.unwrap_err().contains("may not name the computed property 'a'"));
        let below = [("a", "SELECT VALUE c.x FROM c"), ("b", "SELECT VALUE c.x.a FROM c")];
        assert!(read(&below).is_ok(), "a property below the root is stored");
    }
}
